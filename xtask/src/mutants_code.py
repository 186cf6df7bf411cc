"""Small changes of Rust code: where they can be made, and a text that holds them all, each behind a switch.

A change of an operator stands beside the operator, `(if crate::mutant(7) { (a) - (b) } else { a + b })`, and a function
whose body is another value begins with `if crate::mutant(8) { return 0; }`. Only one is ever on, so the other changes
inside `a` and `b` are in the last branch alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter
import tree_sitter_rust

OPERATORS = {
    "+": ["-", "*"], "-": ["+", "/"], "*": ["+", "/"], "/": ["%", "*"], "%": ["/", "+"],
    "==": ["!="], "!=": ["=="], "<": ["==", ">", "<="], ">": ["==", "<", ">="], "<=": [">"], ">=": ["<"],
    "&&": ["||"], "||": ["&&"],
    "&": ["|", "^"], "|": ["&", "^"], "^": ["&", "|"], "<<": [">>"], ">>": ["<<"],
    "+=": ["-=", "*="], "-=": ["+=", "/="], "*=": ["+=", "/="], "/=": ["%=", "*="], "%=": ["/=", "+="],
    "&=": ["|=", "^="], "|=": ["&=", "^="], "^=": ["|=", "&="], "<<=": [">>="], ">>=": ["<<="],
}  # fmt: skip

# What the compiler works out, what is no expression, and what the parser does not see into.
PASSED_OVER = {
    "const_item", "static_item", "const_block", "enum_item", "struct_item", "type_item", "use_declaration",
    "macro_definition", "macro_invocation", "attribute_item", "inner_attribute_item", "type_arguments", "type_parameters",
    "parameters", "closure_parameters", "array_type", "where_clause", "line_comment", "block_comment",
}  # fmt: skip

INTEGERS = {"u8", "u16", "u32", "u64", "u128", "usize"}
SIGNED = {"i8", "i16", "i32", "i64", "i128", "isize"}
MOST_VALUES = 4

SWITCH = """//! Which change is on: written by `cargo xtask mutants`.
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const UNREAD: u32 = u32::MAX;
const NOTED: u32 = u32::MAX - 1;
static ON: AtomicU32 = AtomicU32::new(UNREAD);
static SEEN: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

#[inline]
pub(crate) fn mutant(number: u32) -> bool {
    let on = ON.load(Relaxed);
    on == number || (on >= NOTED && seldom(on, number))
}

#[cold]
fn seldom(mut on: u32, number: u32) -> bool {
    if on == UNREAD {
        let asked = std::env::var("CMNET_MUTANT").ok().and_then(|text| text.parse().ok());
        on = asked.unwrap_or(NOTED);
        ON.store(on, Relaxed);
    }
    if on == NOTED && !SEEN[number as usize].swap(true, Relaxed) {
        if let Some(path) = std::env::var_os("CMNET_MUTANTS_SEEN") {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            let _ = file.and_then(|mut file| file.write_all(format!("{number}\\n").as_bytes()));
        }
    }
    on == number
}
"""


@dataclass
class Mutant:
    """One change: where, what, and its place in the text that holds all."""

    module: str
    path: str
    line: int
    column: int
    function: str
    what: str
    start: int
    end: int
    text: str
    number: int = 0
    written: tuple[int, int] = (0, 0)
    encloses: tuple[int, int] = (0, 0)

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.what} in {self.function}"

    def share(self, count: int) -> int:
        """The share it belongs to: the same in every run on the same text."""
        return int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8], "big") % count


@dataclass
class File:
    """A file with the changes that were found in it."""

    path: Path
    source: bytes
    mutants: list[Mutant] = field(default_factory=list)


def values(kind: tree_sitter.Node | None) -> list[str]:
    """Values that a function of this type may return instead of its own."""
    if kind is None or kind.type == "unit_type":
        return [""]
    text = kind.text.decode()
    if text == "bool":
        return ["true", "false"]
    if text in INTEGERS:
        return ["0", "1"]
    if text in SIGNED:
        return ["0", "1", "-1"]
    if text in ("f64", "f32"):
        return ["0.0", "1.0", "-1.0"]
    if text == "String":
        return ["String::new()", '"xyzzy".into()']
    if kind.type in ("abstract_type", "bounded_type", "never_type", "dynamic_type", "pointer_type", "function_type"):
        return []
    if kind.type == "reference_type":
        inner = kind.child_by_field_name("type")
        if inner.text == b"str":
            return ['""', '"xyzzy"']
        if inner.type == "array_type" and inner.child_by_field_name("length") is None:
            return ["&[]"]
        return []
    if kind.type == "tuple_type":
        texts = [""]
        for part in kind.named_children:
            texts = [f"{before}{value or '()'}, " for before in texts for value in values(part)]
        return [f"({inner})" for inner in texts[:MOST_VALUES]]
    if kind.type == "generic_type":
        name = kind.child_by_field_name("type").text.decode().rsplit("::")[-1]
        arguments = kind.child_by_field_name("type_arguments").named_children
        inner = [value or "()" for value in values(arguments[0])][:MOST_VALUES]
        if name == "Option":
            return ["None", *(f"Some({value})" for value in inner)]
        if name in ("Result", "Box", "Arc", "Rc"):
            return [f"Ok({value})" if name == "Result" else f"{name}::new({value})" for value in inner]
        if name == "Vec":
            return ["vec![]", *(f"vec![{value}]" for value in inner)]
    if text.endswith("Result"):
        return ["Ok(Default::default())"]
    return ["Default::default()"]


def is_test(attributes: list[tree_sitter.Node]) -> bool:
    """Whether an item is compiled for tests alone, or not at all where every feature is on."""
    texts = [attribute.text.decode().replace(" ", "") for attribute in attributes]
    return any(text.startswith(("#[cfg(test)", "#[cfg(all(test", "#[test]", "#[cfg(not(feature")) for text in texts)


def modifiers(function: tree_sitter.Node) -> list[bytes]:
    return [word for child in function.children if child.type == "function_modifiers" for word in child.text.split()]


def has_let(node: tree_sitter.Node) -> bool:
    return node.type == "let_condition" or any(has_let(child) for child in node.named_children)


class Finder:
    """Walks over a file and notes the changes that can be made."""

    def __init__(self, module: str, path: str, source: bytes) -> None:
        self.module, self.path, self.source = module, path, source
        self.found: list[Mutant] = []
        self.tests: list[str] = []

    def text(self, node: tree_sitter.Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode()

    def note(self, span: tuple[int, int], at: tree_sitter.Node, function: str, what: str, text: str) -> None:
        line, column = at.start_point
        self.found.append(Mutant(self.module, self.path, line + 1, column + 1, function, what, *span, text))

    def walk(self, node: tree_sitter.Node, function: str) -> None:
        attributes: list[tree_sitter.Node] = []
        for place, child in enumerate(node.children):
            name = node.field_name_for_child(place)
            if child.type == "attribute_item":
                attributes.append(child)
                continue
            if "comment" in child.type:
                continue
            tested, attributes = is_test(attributes), []
            if tested:
                if child.type == "mod_item" and child.child_by_field_name("body") is None:
                    self.tests.append(child.child_by_field_name("name").text.decode())
                continue
            if child.type in PASSED_OVER or (node.type == "array_expression" and name == "length"):
                continue
            if child.type == "match_pattern":
                condition = child.child_by_field_name("condition")
                if condition is not None:
                    self.visit(condition, function)
                continue
            if child.type.endswith("_pattern") or name == "pattern":
                continue
            self.visit(child, function)

    def visit(self, node: tree_sitter.Node, function: str) -> None:
        if node.type == "function_item":
            if b"const" in modifiers(node):
                return
            function = node.child_by_field_name("name").text.decode()
            body = node.child_by_field_name("body")
            if function != "default":
                for value in values(node.child_by_field_name("return_type")):
                    kept = f" if crate::mutant(NUMBER) {{ return {value}; }}"
                    here = (body.start_byte, body.start_byte)
                    self.note(here, body, function, f"the body is {value or '()'}", kept)
        elif node.type in ("binary_expression", "compound_assignment_expr"):
            sign = node.child_by_field_name("operator")
            operator = sign.text.decode()
            left, right = (node.child_by_field_name(side) for side in ("left", "right"))
            for other in [] if has_let(node) else OPERATORS.get(operator, []):
                changed = f"({self.text(left)}) {other} ({self.text(right)})"
                self.note(node.byte_range, sign, function, f"{operator} becomes {other}", changed)
        elif node.type == "unary_expression" and node.children[0].type in ("!", "-") and not has_let(node):
            sign = node.children[0]
            self.note(node.byte_range, sign, function, f"{sign.type} is left out", self.text(node.children[-1]))
        self.walk(node, function)


def find(root: Path, module: str) -> Iterator[File]:
    """The files of a module of the library, with all changes that can be made in them."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
    base = root / "crates/cmnet/src"
    tests: set[Path] = set()
    for path in sorted([*(base / module).rglob("*.rs"), *base.glob(f"{module}.rs")]):
        source = path.read_bytes()
        finder = Finder(module, str(path.relative_to(base)), source)
        finder.walk(parser.parse(source).root_node, "")
        folder = path.parent if path.name == "mod.rs" else path.with_suffix("")
        tests.update(folder / f"{name}.rs" for name in finder.tests)
        if path not in tests:
            yield File(path, source, finder.found)


def written(file: File, chosen: list[Mutant]) -> bytes:
    """The text of a file with these changes in it, each behind its switch; their places in it are noted."""
    out = bytearray()
    source = file.source

    def put(mutant: Mutant, text: str) -> None:
        start = len(out)
        out.extend(text.encode())
        mutant.written = (start, len(out))

    def write(start: int, end: int, inside: list[Mutant]) -> None:
        place = start
        while inside:
            first = inside[0]
            if first.end == first.start:  # a body, of which this is the brace
                out.extend(source[place : first.start + 1])
                place = first.start + 1
                put(first, first.text.replace("NUMBER", str(first.number)))
                first.encloses = first.written
                inside = inside[1:]
                continue
            here = [mutant for mutant in inside if (mutant.start, mutant.end) == (first.start, first.end)]
            within = [mutant for mutant in inside if mutant not in here and mutant.start < first.end]
            out.extend(source[place : first.start])
            opened = len(out)
            out.extend(b"(")
            for mutant in here:
                out.extend(f"if crate::mutant({mutant.number}) {{ ".encode())
                put(mutant, mutant.text)
                out.extend(b" } else ")
            out.extend(b"{ ")
            write(first.start, first.end, within)
            out.extend(b" })")
            for mutant in here:
                mutant.encloses = (opened, len(out))
            place = first.end
            inside = [mutant for mutant in inside if mutant not in here and mutant not in within]
        out.extend(source[place:end])

    # The larger of two that begin together encloses the other; a body begins with its brace.
    write(0, len(source), sorted(chosen, key=lambda mutant: (mutant.start, -mutant.end, mutant.number)))
    return bytes(out)

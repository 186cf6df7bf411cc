"""The stubs say what the extension module has, and the package keeps its own types."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import cmnet
from cmnet import _cmnet

PACKAGE = Path(cmnet.__file__).parent


def declared():
    """Names in the stub file, and for classes those inside them, with their parameters."""

    def parameters(function):
        own = [argument.arg for argument in function.args.args]
        return own[1:] if own[:1] == ["self"] else own

    found = {}
    for node in ast.parse((PACKAGE / "_cmnet.pyi").read_text()).body:
        if isinstance(node, ast.ClassDef):
            found[node.name] = {
                inner.name: parameters(inner) for inner in node.body if isinstance(inner, ast.FunctionDef)
            }
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = parameters(node)
    return found


def test_stubs_and_module_have_the_same_names_and_parameters():
    stubs = declared()
    public = {name for name in dir(_cmnet) if not name.startswith("__")}
    assert public == set(stubs)
    for name, stub in stubs.items():
        real = getattr(_cmnet, name)
        if isinstance(stub, dict):
            inside = {inner for inner in vars(real) if not inner.startswith("__") or inner in stub}
            assert inside == set(stub), name
            for method, parameters in stub.items():
                member = inspect.getattr_static(real, method)
                if type(member).__name__ != "getset_descriptor" and not method.startswith("__"):
                    signature = inspect.signature(getattr(real, method))
                    assert [p for p in signature.parameters if p != "self"] == parameters, f"{name}.{method}"
        else:
            assert list(inspect.signature(real).parameters) == stub, name


def test_the_package_is_typed_and_mypy_agrees(tmp_path):
    assert (PACKAGE / "py.typed").exists()
    script = tmp_path / "use.py"
    script.write_text(
        "import cmnet\n"
        "learned = cmnet.learn({'a': ['x', 'y']}, kappa=0.5)\n"
        "model = learned.selected\n"
        "assert model is not None\n"
        "p: float = model.query({'a': 'x'})['b']['y']\n"
        "edges: list[tuple[str, str]] = model.edges\n"
    )
    words = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", str(tmp_path / "cache")]
    for what in (["-p", "cmnet"], [str(script)]):
        done = subprocess.run([*words, *what], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    script.write_text("import cmnet\nx: int = cmnet.learn({}).selected\n")
    wrong = subprocess.run([*words, str(script)], capture_output=True, text=True)
    assert wrong.returncode == 1 and "Incompatible types" in wrong.stdout


def test_what_is_public_is_documented():
    for name in cmnet.__all__:
        thing = getattr(cmnet, name)
        if name != "__version__":
            assert inspect.getdoc(thing), name
        if inspect.isclass(thing) and thing.__module__.startswith("cmnet"):
            for inner in dir(thing):
                member = inspect.getattr_static(thing, inner)
                if not inner.startswith("_") and (callable(member) or isinstance(member, (property, classmethod))):
                    assert inspect.getdoc(getattr(thing, inner)), f"{name}.{inner}"

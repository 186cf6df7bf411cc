"""`cargo xtask mutants MODULE I/N [TEST ..]`: small changes of the library, each of which a test must notice.

All changes of a share are compiled into one copy of the sources, each behind a switch (`mutants_code.py`). Each test runs
once with none of them on, and notes which it reaches. Then each change is turned on for the tests that reach it: those of
its own module first, the quickest first, until one fails.

A change that no test reaches survives, and so does one with which all of its tests pass.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import mutants_code
from mutants_code import File, Mutant

CARGO = os.environ.get("CARGO", "cargo")
PACKAGE = ["--package", "cmnet", "--all-features"]
# Built once, run a thousand times: optimised a little. Lints have nothing to say about changed code.
BUILD = {
    "CARGO_PROFILE_DEV_OPT_LEVEL": "1",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_INCREMENTAL": "0",
    "RUSTFLAGS": "--cap-lints allow",
}
# Seconds of the processor. A test that takes more than SLOW is left out; a change is given to tests of ENOUGH in all,
# which go together in runs of about BATCH; a run may take MORE times what it takes without a change.
SLOW, ENOUGH, BATCH, MORE, LEAST = 8.0, float(os.environ.get("CMNET_MUTANT_SECONDS", "40")), 2.0, 10, 10
MEMORY = 6 << 20  # KiB that a process may address


@dataclass
class Test:
    """A test of the library: its program, its name, seconds of the processor, and the changes that it reaches."""

    program: str
    name: str
    seconds: float = 0.0
    passed: bool = False
    reached: set[int] = field(default_factory=set)


@dataclass
class Outcome:
    """What became of a change."""

    word: str
    why: str = ""


@dataclass
class Ended:
    """How a process ended."""

    code: int
    seconds: float
    failed: str | None
    late: bool


def copied(root: Path, tree: Path) -> None:
    """Brings the copy of the sources up to date. What is the same stays untouched, and is not compiled again."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=root, check=True, capture_output=True).stdout
    for name in filter(None, names.decode().split("\0")):
        source, goal = root / name, tree / name
        if not source.is_file():
            continue
        goal.parent.mkdir(parents=True, exist_ok=True)
        if not goal.exists() or goal.read_bytes() != source.read_bytes():
            shutil.copyfile(source, goal)


def put(path: Path, text: bytes) -> None:
    if not path.exists() or path.read_bytes() != text:
        path.write_bytes(text)


def cargo(tree: Path, build: Path, words: list[str]) -> tuple[int, list[dict]]:
    """Runs cargo and returns its exit code and messages."""
    environment = {**os.environ, **BUILD, "CARGO_TARGET_DIR": str(build)}
    run = [CARGO, *words, "--quiet", "--message-format", "json"]
    done = subprocess.run(run, cwd=tree, env=environment, capture_output=True, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 and not messages:
        sys.exit(done.stderr)
    return done.returncode, messages


def spans(message: dict) -> Iterable[dict]:
    """The places an error speaks of, and those from which macros were called there."""
    for span in message.get("spans", []):
        inside = span
        while inside:
            yield inside
            inside = (inside.get("expansion") or {}).get("span")
    for child in message.get("children", []):
        yield from spans(child)


def refused(messages: list[dict], written: dict[str, list[Mutant]]) -> set[int]:
    """The changes that the compiler speaks of."""
    numbers = set()
    for message in messages:
        told = message.get("message", {})
        if message.get("reason") != "compiler-message" or told.get("level") != "error":
            continue
        places = [
            (mutant, span)
            for span in spans(told)
            for mutant in written.get(span["file_name"], [])
            if mutant.encloses[0] <= span["byte_start"] and span["byte_end"] <= mutant.encloses[1]
        ]
        own = {m.number for m, span in places if m.written[0] <= span["byte_start"] and span["byte_end"] <= m.written[1]}
        # An error that stands in no changed text alone is laid to the smallest change around it.
        around = sorted(places, key=lambda place: place[0].encloses[1] - place[0].encloses[0])
        numbers |= own or {place[0].number for place in around[:1]}
        if not places and told.get("spans"):
            print(told.get("rendered"), file=sys.stderr)
    return numbers


def compiled(tree: Path, build: Path, files: list[File], chosen: list[Mutant]) -> list[Mutant]:
    """Writes the changes into the copy, and leaves out those that do not compile."""
    library = tree / "crates/cmnet/src"
    everything = chosen
    while True:
        of_path = defaultdict(list)
        for mutant in chosen:
            of_path[mutant.path].append(mutant)
        written = {}
        for file in files:
            path = str(file.path.relative_to(tree / "crates/cmnet/src"))
            put(file.path, mutants_code.written(file, of_path[path]))
            written[f"crates/cmnet/src/{path}"] = of_path[path]
        last = max((mutant.number for mutant in everything), default=0) + 1
        put(library / "mutated.rs", mutants_code.SWITCH.replace("COUNT", str(last)).encode())
        root = (library / "lib.rs").read_text()
        if "mod mutated;" not in root:
            (library / "lib.rs").write_text(root + "\nmod mutated;\npub(crate) use mutated::mutant;\n")
        code, messages = cargo(tree, build, ["check", *PACKAGE, "--lib"])
        if code == 0:
            return chosen
        bad = refused(messages, written)
        if not bad:
            sys.exit("the copy does not compile, and no change is the cause")
        print(f"mutants: {len(bad)} do not compile", flush=True)
        chosen = [mutant for mutant in chosen if mutant.number not in bad]


def programs(tree: Path, build: Path) -> list[str]:
    """The compiled tests: those in the library's own files, and those beside them."""
    words = ["test", *PACKAGE, "--lib", "--test", "it", "--no-run"]
    code, messages = cargo(tree, build, words)
    if code != 0:
        for message in messages:
            print(message.get("message", {}).get("rendered", ""), file=sys.stderr)
        sys.exit("the tests of the copy do not compile")
    return [message["executable"] for message in messages if message.get("executable")]


def run(tree: Path, words: list[str], variables: dict[str, str], limit: float) -> Ended:
    """Runs tests until one fails or a limit is reached. A clock on the wall alone would call a busy machine a failure."""
    limits = f'ulimit -t {int(limit) + 1}; ulimit -v {MEMORY}; ulimit -c 0; exec "$0" "$@"'
    crate = tree / "crates/cmnet"
    environment = {**os.environ, **variables, "CARGO_MANIFEST_DIR": str(crate)}
    with tempfile.TemporaryDirectory() as folder:
        environment["TMPDIR"] = folder
        process = subprocess.Popen(
            ["nice", "sh", "-c", limits, *words], cwd=crate, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
        late = threading.Event()

        def stop() -> None:
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        clock = threading.Timer(limit * 4 + 60, stop)
        clock.start()
        failed = None
        for line in process.stdout or []:
            if line.rstrip().endswith("... FAILED"):
                failed = line.split()[1]
                os.killpg(process.pid, signal.SIGKILL)
                break
        _, status, usage = os.wait4(process.pid, 0)
        clock.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
    seconds = usage.ru_utime + usage.ru_stime
    ended_late = late.is_set() or (failed is None and process.returncode in (-signal.SIGXCPU, -signal.SIGKILL))
    return Ended(process.returncode, seconds, failed, ended_late)


def noted(tree: Path, test: Test) -> Test:
    """Runs a test with no change on, and notes how long it takes and which changes it reaches."""
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "seen"
        ended = run(tree, [test.program, "--exact", test.name], {"CMNET_MUTANTS_SEEN": str(seen)}, 120)
        test.passed, test.seconds = ended.code == 0, ended.seconds
        test.reached = set(map(int, seen.read_text().split())) if seen.exists() else set()
    return test


def listed(tree: Path, program: str) -> list[Test]:
    words = [program, "--list", "--format", "terse"]
    said = subprocess.run(words, cwd=tree / "crates/cmnet", check=True, capture_output=True, text=True).stdout
    return [Test(program, line.removesuffix(": test")) for line in said.splitlines() if line.endswith(": test")]


def batches(mutant: Mutant, tests: list[Test]) -> list[list[Test]]:
    """The tests that reach a change, in runs: those of its own module first, the quickest first."""
    own = f"{mutant.module}::"
    order = sorted(tests, key=lambda test: (not test.name.startswith(own), test.seconds))
    taken: list[list[Test]] = []
    spent = 0.0
    for test in order:
        if spent + test.seconds > ENOUGH and taken:
            continue
        spent += test.seconds
        same = bool(taken) and taken[-1][-1].program == test.program
        if same and sum(other.seconds for other in taken[-1]) + test.seconds < BATCH:
            taken[-1].append(test)
        else:
            taken.append([test])
    return taken


def tried(tree: Path, mutant: Mutant, tests: list[Test]) -> Outcome:
    """Turns a change on, and runs the tests that reach it until one fails."""
    if not tests:
        return Outcome("survived", "no test reaches it")
    taken = batches(mutant, tests)
    for batch in taken:
        words = [batch[0].program, "--test-threads", "1", "--exact", *(test.name for test in batch)]
        limit = LEAST + MORE * sum(test.seconds for test in batch)
        ended = run(tree, words, {"CMNET_MUTANT": str(mutant.number)}, limit)
        if ended.failed:
            return Outcome("noticed", ended.failed)
        if ended.late:
            return Outcome("without end", f"one of {len(batch)} tests, such as {batch[-1].name}")
        if ended.code != 0:
            return Outcome("noticed", f"exit code {ended.code} with {batch[-1].name}")
    return Outcome("survived", f"{sum(map(len, taken))} of {len(tests)} tests that reach it")


def main(root: Path, folder: Path, modules: list[str], share: str, named: list[str]) -> int:
    began = time.monotonic()
    tree, build, report = folder / "tree", folder / "build", folder / "report.txt"
    if share == "again":
        again = {line.split("  ")[1] for line in report.read_text().splitlines() if line.startswith("survived")}
    tree.mkdir(parents=True, exist_ok=True)
    copied(root, tree)
    files = [file for module in modules for file in mutants_code.find(tree, module)]
    found = [mutant for file in files for mutant in file.mutants]
    if share == "again":
        chosen = [mutant for mutant in found if mutant.name in again]
    else:
        one, of = map(int, share.split("/"))
        chosen = [mutant for mutant in found if mutant.share(of) == one - 1]
    for number, mutant in enumerate(chosen, 1):
        mutant.number = number
    print(f"mutants: {len(chosen)} of {len(found)} in {', '.join(modules)}", flush=True)
    outcomes = {mutant.number: Outcome("not compiled") for mutant in chosen}
    kept = compiled(tree, build, files, chosen)
    tests = [test for program in programs(tree, build) for test in listed(tree, program)]
    tests = [test for test in tests if not named or any(name in test.name for name in named)]
    print(f"mutants: built after {time.monotonic() - began:.0f} s; {len(tests)} tests", flush=True)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        tests = list(workers.map(lambda test: noted(tree, test), tests))
        failing = [test.name for test in tests if not test.passed]
        slow = [test.name for test in tests if test.passed and test.seconds > SLOW]
        print(f"mutants: each test was run once after {time.monotonic() - began:.0f} s", flush=True)
        print(f"mutants: left out, since they fail in the copy: {', '.join(failing) or 'none'}")
        print(f"mutants: left out, since they take more than {SLOW:.0f} s: {', '.join(slow) or 'none'}", flush=True)
        usable = [test for test in tests if test.passed and test.seconds <= SLOW]
        reach = {mutant.number: [test for test in usable if mutant.number in test.reached] for mutant in kept}

        def one_tried(mutant: Mutant) -> None:
            outcome = outcomes[mutant.number] = tried(tree, mutant, reach[mutant.number])
            print(f"{outcome.word}  {mutant.name}  {outcome.why}", flush=True)

        list(workers.map(one_tried, kept))
    told = [f"{outcomes[m.number].word}  {m.name}  {outcomes[m.number].why}" for m in chosen]
    report.write_text("".join(f"{line}\n" for line in sorted(told)))
    words = ["noticed", "without end", "not compiled", "survived"]
    print(f"{'module':12}{'mutants':>10}" + "".join(f"{word:>14}" for word in words))
    for module in [*modules, "all"]:
        of = [mutant for mutant in chosen if module in (mutant.module, "all")]
        count = Counter(outcomes[mutant.number].word for mutant in of)
        print(f"{module:12}{len(of):>10}" + "".join(f"{count[word]:>14}" for word in words))
    print(f"mutants: {time.monotonic() - began:.0f} s in all; {report}")
    return int(any(outcome.word == "survived" for outcome in outcomes.values()))


if __name__ == "__main__":
    place, made, chosen_modules, chosen_share, *names = sys.argv[1:]
    sys.exit(main(Path(place).resolve(), Path(made).resolve(), chosen_modules.split(","), chosen_share, names))

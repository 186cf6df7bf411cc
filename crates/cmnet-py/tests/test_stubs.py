"""The stubs say what the extension module has, and the package keeps its own types."""

import ast
import inspect
import subprocess
import sys
import typing
from pathlib import Path

import pandas

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
    script.write_text(
        "import cmnet\n"
        "from cmnet.sklearn import CMNClassifier\n"
        "cmnet.learn({}, search='quick')\n"
        "cmnet.learn({}).selected.query(method='guess')\n"
        "CMNClassifier(handle_unknown='ignore')\n"
    )
    words_of_options = subprocess.run([*words, str(script)], capture_output=True, text=True)
    assert words_of_options.stdout.count("Literal[") >= 3, words_of_options.stdout


def public_functions():
    """Functions and methods that users call, by name."""
    from cmnet import sklearn

    found = {name: getattr(cmnet, name) for name in cmnet.__all__ if inspect.isfunction(getattr(cmnet, name))}
    found.update({name: getattr(cmnet.datasets, name) for name in cmnet.datasets.__all__})
    kinds = [getattr(cmnet, name) for name in cmnet.__all__] + [sklearn.CMNClassifier, sklearn.CMNDensity]
    for kind in filter(inspect.isclass, kinds):
        for name in dir(kind):
            member = inspect.getattr_static(kind, name)
            function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if name == "__init__" or not name.startswith("_"):
                if inspect.isfunction(function) and function.__module__.startswith("cmnet"):
                    found[f"{kind.__name__}.{name}"] = function
    return found


def test_type_hints_can_be_read():
    functions = public_functions()
    assert {"learn", "Model.fit", "Table.__init__", "Rows.to_polars", "CMNClassifier.fit"} <= set(functions)
    for name, function in functions.items():
        hints = typing.get_type_hints(function)
        for option in inspect.signature(function).parameters.values():
            assert option.name in ("self", "cls", "_", "__") or option.name in hints, (name, option.name)
    assert typing.get_type_hints(cmnet.learn)["search"] == typing.Literal["auto", "paper", "blanket", "exact"]
    assert typing.get_type_hints(cmnet.learn)["return"] is cmnet.Learned
    assert typing.get_type_hints(cmnet.Learned.selected.fget)["return"] is cmnet.Model
    assert typing.get_type_hints(cmnet.Rows.to_pandas)["return"] is pandas.DataFrame


def test_type_hints_can_be_read_without_other_packages():
    script = (
        "import sys, typing\n"
        "for name in ('pandas', 'polars', 'pyarrow', 'networkx', 'typing_extensions'):\n"
        "    sys.modules[name] = None\n"
        "import cmnet\n"
        "assert typing.get_type_hints(cmnet.Rows.to_pandas)['return'] is typing.Any\n"
        "typing.get_type_hints(cmnet.learn), typing.get_type_hints(cmnet.Model.to_networkx)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


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

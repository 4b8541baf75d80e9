"""The folders are layers, from launch down to base. No import climbs."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import paranmt

ROOT = Path(paranmt.__file__).parent
# Higher may import lower. Equals, filters and models, may not import each other.
HEIGHT = {
    "": 0,
    "base": 1,
    "tokens": 2,
    "filters": 3,
    "models": 3,
    "transforms": 4,
    "pipeline": 5,
    "papers": 6,
    "launch": 7,
}
MODULES = sorted(
    file
    for folder in HEIGHT
    for file in (ROOT.glob("*.py") if folder == "" else (ROOT / folder).rglob("*.py"))
    if file.name != "setup.py"
)


@dataclass(frozen=True)
class Import:
    """A module that is imported, by its absolute name; `at_load`: outside every function."""

    module: str
    line: int
    at_load: bool


def imports_of(file: Path) -> Iterator[Import]:
    package = ["paranmt", *file.relative_to(ROOT).parts[:-1]]
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    late = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield Import(name.name, node.lineno, id(node) not in late)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            # "from .. import errors" imports a module, "from ..errors import UserError" a name of it.
            for name in node.names if node.module is None else ():
                yield Import(f"{module}.{name.name}", node.lineno, id(node) not in late)
            if node.module is not None:
                yield Import(module, node.lineno, id(node) not in late)


def layer_of(module: str) -> str:
    name = (module.split(".") + [""])[1]
    return name if name in HEIGHT else ""


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_import_climbs(file: Path) -> None:
    here = file.relative_to(ROOT).parts[0] if file.parent != ROOT else ""
    if file in (ROOT / "__main__.py", ROOT / "__init__.py"):
        here = "launch"
    for found in imports_of(file):
        if found.module.split(".")[0] != "paranmt":
            continue
        there = layer_of(found.module)
        assert there == here or HEIGHT[there] < HEIGHT[here], f"{file}:{found.line} imports {found.module}"


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_inside_the_package_are_relative(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").split(".")[0] != "paranmt", f"{file}:{node.lineno}"
        if isinstance(node, ast.Import):
            assert not any(name.name.split(".")[0] == "paranmt" for name in node.names), (
                f"{file}:{node.lineno}"
            )


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_beam_and_fairseq_stay_where_they_belong(file: Path) -> None:
    """Beam above filters and models; fairseq in models alone, and only once a function needs it."""
    here = file.relative_to(ROOT).parts[0] if file.parent != ROOT else ""
    for found in imports_of(file):
        top = found.module.split(".")[0]
        if top == "apache_beam":
            assert HEIGHT[here] > HEIGHT["models"], f"{file}:{found.line}"
        if top in ("fairseq", "fairseq_cli"):
            assert here == "models" and not found.at_load, f"{file}:{found.line}"


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(ROOT)))
def test_only_transforms_holds_dofns(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    bases = [
        ast.unparse(base) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases
    ]
    if any(base.split(".")[-1] in ("DoFn", "CombineFn", "PTransform") for base in bases):
        assert file.relative_to(ROOT).parts[0] == "transforms"


def test_no_folder_has_an_import_circle() -> None:
    """Every import counts, those inside functions too; what is imported for type checkers alone does not."""
    names = {_module_name(file): file for file in MODULES}
    graph = {name: {found for found in _targets(file, names)} for name, file in names.items()}
    circles = list(_circles(graph))
    assert not circles, "\n".join(" → ".join(circle) for circle in circles)


def _module_name(file: Path) -> str:
    parts = ["paranmt", *file.relative_to(ROOT).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _targets(file: Path, names: dict[str, Path]) -> Iterator[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body.clear()
    package = ["paranmt", *file.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
            for name in node.names:
                yield f"{base}.{name.name}" if f"{base}.{name.name}" in names else base


def _circles(graph: dict[str, set[str]]) -> Iterator[list[str]]:
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> Iterator[list[str]]:
        if name in path:
            yield [*path[path.index(name) :], name]
            return
        if name in done:
            return
        for other in sorted(graph.get(name, ())):
            yield from visit(other, [*path, name])
        done.add(name)

    for name in sorted(graph):
        yield from visit(name, [])


def _room(file: Path) -> str:
    """A module's room is its folder in a layer; the modules of a layer itself are one room."""
    return "/".join(file.relative_to(ROOT).parts[:-1][:2])


def _rooms() -> dict[str, set[str]]:
    """Which rooms each room imports, inside functions too; not what only type checkers import."""
    names = {_module_name(file): file for file in MODULES if file.parent != ROOT}
    rooms: dict[str, set[str]] = {}
    for file in names.values():
        others = {_room(names[found]) for found in _targets(file, names) if found in names}
        rooms.setdefault(_room(file), set()).update(others - {_room(file)})
    return rooms


def test_rooms_import_each_other_in_one_direction_only() -> None:
    rooms = _rooms()
    assert "models/training" in rooms["models/evaluation"], "imports inside functions are seen"
    assert "transforms/storage" in rooms["pipeline/running"]
    circles = list(_circles(rooms))
    assert not circles, "\n".join(" → ".join(circle) for circle in circles)


def test_no_stage_is_asked_for_the_class_of_its_work() -> None:
    """A kind of stage names the class of its work: `StageKind[SelectPart]`."""
    asked = re.compile(r"assert isinstance\((?:\w+\.)*work, (?!SingleJob\b)")
    found = [str(file) for file in (ROOT / "pipeline").rglob("*.py") if asked.search(file.read_text("utf-8"))]
    assert found == []


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": set()}
    assert list(_circles(graph)) == [["a", "b", "c", "a"]]


def test_filters_and_models_work_without_beam() -> None:
    """Also where nothing names it in an import statement."""
    code = (
        "import sys; sys.modules['apache_beam'] = None; sys.modules['fairseq'] = None\n"
        "import pkgutil, importlib, paranmt.filters, paranmt.models\n"
        "for package in (paranmt.filters, paranmt.models):\n"
        "    for found in pkgutil.walk_packages(package.__path__, package.__name__ + '.'):\n"
        "        importlib.import_module(found.name)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_climbing_import_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above would see every way to write one."""
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    file = tmp_path / "filters" / "bad.py"
    file.parent.mkdir()
    file.write_text(
        "from .. import transforms\nfrom ..pipeline.recipe import Recipe\nimport paranmt.launch\n"
        "from . import score\ndef late():\n    from ..models import x\n    import fairseq\n"
    )
    assert [(found.module, found.at_load) for found in imports_of(file)] == [
        ("paranmt.transforms", True),
        ("paranmt.pipeline.recipe", True),
        ("paranmt.launch", True),
        ("paranmt.filters.score", True),
        ("paranmt.models", False),
        ("fairseq", False),
    ]
    assert [layer_of(found.module) for found in imports_of(file)][:4] == [
        "transforms",
        "pipeline",
        "launch",
        "filters",
    ]


@pytest.mark.parametrize("room", ["report", "release", "statistics"])
def test_a_stage_whose_results_are_shown_or_published_is_not_known_by_its_name(room: str) -> None:
    """They ask the plan for the stage that adds a column, so that a new kind of stage may add it too."""
    calls = [
        f"{file.name}:{node.lineno}"
        for file in (ROOT / "pipeline" / room).glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "StageName"
        if isinstance(node.args[0], ast.Constant)
    ]
    assert not calls

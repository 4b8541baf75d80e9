"""What README.md and docs/recipes.md say can be typed is typed here."""

import gzip
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from corpus import recipe_text

from paranmt.filters import SCORES
from paranmt.pipeline.recipe.recipe import DEFAULT_SCORES, Recipe

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"

if not README.exists():
    pytest.skip("no README.md beside the tests: they run against a wheel", allow_module_level=True)

TEXT = README.read_text(encoding="utf-8")
RECIPES = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", f"{TEXT}\n{RECIPES}", re.M | re.S)


def commands() -> list[str]:
    """The lines of plain blocks that begin with `paranmt`, without their comments."""
    lines = [line for language, text in BLOCKS if not language for line in text.splitlines()]
    return [line.split(" #")[0].strip() for line in lines if line.startswith("paranmt ")]


def typed(command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """A line as a shell would run it, with the `paranmt` of this environment."""
    line = command.replace("paranmt", f"{sys.executable} -m paranmt", 1).replace("work/captions", "work")
    return subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, check=False)


def test_every_command_works_in_its_order(tmp_path: Path) -> None:
    names = [command.split()[1] for command in commands()]
    assert names == [
        *("init", "run", "results"),
        "init",
        "recipe",
        "nmt-train",
        "plan",
        "run",
        "results",
        "status",
        "select",
        "stats",
        *["verify"] * 2,
        "inspect",
        "select",
    ]
    (tmp_path / "data").mkdir()
    sides = {"cs": "Dva malí psi běží po písečné pláži.", "en": "Two little dogs run along the sandy beach."}
    for language, sentence in sides.items():
        with gzip.open(tmp_path / f"data/train.{language}.gz", "wt") as file:
            file.write(f"{sentence}\n")
    for command in commands():
        if command.startswith("paranmt nmt-train"):
            # Training from the command line has its own tests; here, that it takes these arguments.
            assert typed(command + " --help", tmp_path).returncode == 0
            continue
        if command.startswith("paranmt init"):
            (tmp_path / "recipe.yaml").unlink(missing_ok=True)  # it writes no recipe over another
        result = typed(command, tmp_path)
        assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
        if command.startswith("paranmt init"):
            assert Recipe.load(tmp_path / "recipe.yaml").bitext[0].source_language == "cs"
            (tmp_path / "recipe.yaml").write_text(recipe_text(tmp_path, {"first": 60}))
    assert (tmp_path / "work/release/README.md").exists()
    snippets = [text for language, text in BLOCKS if language == "python"]
    assert snippets
    for snippet in snippets:
        program = ["-c", "import duckdb\n" + snippet]
        done = subprocess.run(
            [sys.executable, *program], cwd=tmp_path / "work", capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()


def test_the_recipe_is_one() -> None:
    (text,) = [text for language, text in BLOCKS if language == "yaml"]
    assert Recipe.from_yaml(text).train["avg"].selection == "paraphrases"


def test_every_score_is_named() -> None:
    page = (ROOT / "docs/scores.md").read_text(encoding="utf-8")
    missing = [name for name in SCORES if f"`{name}`" not in page]
    assert not missing, "each score has a row in the table of docs/scores.md"
    assert set(re.findall(r"`(\w+)` \*", page)) == set(DEFAULT_SCORES), (
        "the scores of a recipe without `scores`"
    )


def test_readme_is_short_and_shows_pictures() -> None:
    prose = re.sub(
        r"<!-- pairs.*?end of pairs -->|<!--.*?-->|^```.*?^```|\]\([^)]*\)", "", TEXT, flags=re.M | re.S
    )
    assert len(re.findall(r"\w[\w'’.-]*", prose)) <= 700
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", TEXT)
    assert len(pictures) >= 3
    for picture in pictures:
        assert (ROOT / picture).stat().st_size > 1000, picture


CLAIM = re.compile(r"\| ([^|\n]+) \| (tested here|validated|never run) \| ([^|\n]*) ?\|")
LINK = re.compile(r"\[`?([^]`]+)`?\]\((tests/\S+\.py) \"(\w+)\"\)")


def test_what_was_tested_is_what_the_suites_run() -> None:
    """A claim names a test and the command that runs it, which is `make test` or one of its own."""
    claims = CLAIM.findall(TEXT)
    assert len(claims) >= 8
    for what, status, by in claims:
        link = LINK.search(by)
        assert (link is None) == (status == "never run"), what
        if link is None:
            continue
        command, file, test = link.groups()
        source = (ROOT / file).read_text(encoding="utf-8")
        found = re.search(rf"((?:^@.*\n)*)^def {test}\(", source, re.M)
        assert found, f"{file} has no {test}"
        elsewhere = {
            "make test-engines": "mark.engines" in found[1],
            "make test-image": "asked for by `make test-image`" in source,
        }
        runs = [name for name, asked in elsewhere.items() if asked] or ["make test"]
        assert command in runs or status == "validated", what
        assert (status == "tested here") == command.startswith("make"), what


def test_make_has_the_two_commands() -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    for target in ("demo", "test"):
        asked = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, check=False)
        assert asked.returncode == 0

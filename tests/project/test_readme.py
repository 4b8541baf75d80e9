"""What README.md says can be typed is typed here, and the guides show recipes that are valid."""

import gzip
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from corpus import recipe_text

from paranmt.filters import SCORES
from paranmt.pipeline.recipe.recipe import DEFAULT_SCORES, Recipe

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"

if not README.exists():
    pytest.skip("no README.md beside the tests: they run against a wheel", allow_module_level=True)

TEXT = README.read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
BLOCKS = BLOCK.findall(TEXT)


def commands() -> list[str]:
    """The lines of plain blocks that begin with `paranmt`, without their comments."""
    lines = [line for language, text in BLOCKS if not language for line in text.splitlines()]
    return [line.split(" #")[0].strip() for line in lines if line.startswith("paranmt ")]


def typed(command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """A line as a shell would run it, with the `paranmt` of this environment."""
    line = command.replace("paranmt", f"{sys.executable} -m paranmt", 1)
    return subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, check=False)


def test_every_command_works_in_its_order(tmp_path: Path) -> None:
    names = [command.split()[1] for command in commands()]
    assert names == ["init", "run", "results"]
    (tmp_path / "data").mkdir()
    sides = {"cs": "Dva malí psi běží po písečné pláži.", "en": "Two little dogs run along the sandy beach."}
    for language, sentence in sides.items():
        with gzip.open(tmp_path / f"data/train.{language}.gz", "wt") as file:
            file.write(f"{sentence}\n")
    for command in commands():
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
        done = subprocess.run([sys.executable, *program], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("page", ["translation.md", "choosing.md"])
def test_the_recipes_of_a_guide_are_valid(page: str) -> None:
    """Each shows some sections; the bitext, the model and candidates are added where it has none."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").replace("@COMMIT", f"@{'0' * 40}")
    shown = [yaml.safe_load(block) for language, block in BLOCK.findall(text) if language == "yaml"]
    assert len(shown) >= 5
    bitext = [{"corpus": "a", "format": "tsv", "path": "a.tsv", "source_language": "cs"}]
    for sections in shown:
        recipe = {"bitext": bitext, "translate": {"model": "m", "keep_candidates": 12}, **sections}
        Recipe.from_yaml(yaml.safe_dump(recipe))


def test_every_score_is_named() -> None:
    page = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")
    missing = [name for name in SCORES if f"`{name}`" not in page]
    assert not missing, "each score is in the table of docs/choosing.md"
    assert set(re.findall(r"`(\w+)` ★", page)) == set(DEFAULT_SCORES), (
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

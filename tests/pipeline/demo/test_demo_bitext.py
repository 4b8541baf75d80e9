"""The demo's bitext: its files, and what is made of them."""

import gzip
import re
from importlib import resources
from pathlib import Path

import pytest

from paranmt.models.sts.sts_data import read_sts
from paranmt.pipeline.demo import PAIRS, write_demo
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.tokens.definition import normalise
from paranmt.transforms.bitexts.inputs import input_files
from paranmt.transforms.bitexts.readers import read_records


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "demo"
    write_demo(folder)
    return folder


def _lines(file: Path) -> list[str]:
    content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return content.decode("utf-8", errors="replace").split("\n")[:-1]


def _sides(demo: Path) -> tuple[list[str], list[str]]:
    """Sources and references of all corpora."""
    sources = _lines(demo / "captions.cs.gz") + _lines(demo / "phrasebook.cs.gz")
    references = _lines(demo / "captions.en.gz") + _lines(demo / "phrasebook.en.gz")
    for file in ("kitchen.tsv", "travel.czeng.gz"):
        rows = [line.split("\t") for line in _lines(demo / file)]
        sources += [row[-2] for row in rows]
        references += [row[-1] for row in rows]
    return sources, references


def test_the_same_lines_are_the_same_bytes(demo: Path) -> None:
    """No time of writing stands in gzip's header."""
    files = list(demo.glob("*.gz"))
    assert len(files) == 6
    assert all(file.read_bytes()[4:8] == bytes(4) for file in files)


def test_no_held_out_sentence_is_in_the_bitext(demo: Path) -> None:
    sources, references = _sides(demo)
    assert len(sources) == len(references) == PAIRS + 6
    normalised = {normalise(text) for text in references}
    test = _lines(demo / "test.en")
    assert len(test) == len(_lines(demo / "test.cs")) == 300
    assert not normalised & {normalise(text) for text in test}
    assert not set(sources) & set(_lines(demo / "test.cs"))
    for domain in ("captions", "kitchen", "travel"):
        for line in _lines(demo / "sts" / f"STS.input.{domain}.txt"):
            assert not normalised & {normalise(text) for text in line.split("\t")}


def test_the_licence_is_the_projects(demo: Path) -> None:
    recipe = Recipe.load(demo / "recipe.yaml")
    assert [entry.licence for entry in recipe.bitext] == ["Apache-2.0"] * 4
    assert "Apache-2.0" in (resources.files("paranmt.pipeline.demo") / "README.md").read_text("utf-8")


def test_sts_is_read_as_semeval(demo: Path) -> None:
    datasets = read_sts(str(demo / "sts"))
    assert [dataset.name for dataset in datasets] == ["captions", "kitchen", "travel"]
    for dataset in datasets:
        assert len(dataset.left) == len(dataset.right) == 150
        assert sorted(dataset.gold) == [float(grade) for grade in range(6) for _ in range(25)]


def test_ingest_takes_the_pairs_and_rejects_the_broken_rows(demo: Path) -> None:
    counts = {"captions": 2_800, "kitchen": 1_540, "travel": 1_680, "phrasebook": 980}
    assert sum(counts.values()) == PAIRS
    recipe = Recipe.load(demo / "recipe.yaml")
    taken = dict.fromkeys(counts, 0)
    rejects = replaced = 0
    for entry in recipe.bitext:
        for file in input_files(entry, str(demo)):
            for batch in read_records(file, recipe.ingest.max_characters, recipe.ingest.part_rows):
                taken[entry.corpus] += len(batch.pairs)
                rejects += len(batch.rejects)
                replaced += sum(count for what, count in batch.cleaned.items() if "character" in what)
    assert (taken, rejects, replaced) == (counts, 6, 3)


def test_the_readme_counts_the_lines() -> None:
    package = resources.files("paranmt.pipeline.demo")
    readme = (package / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (`.*?) \| .* \| ([\d,]+) \|$", readme, re.M)
    lines = {
        name.replace("*", domain): int(count.replace(",", ""))
        for names, count in table
        for name in re.findall(r"`(.*?)`", names)
        for domain in ("captions", "kitchen", "travel")
    }
    assert len(lines) == 16
    assert {name: len((package / name).read_bytes().splitlines()) for name in lines} == lines

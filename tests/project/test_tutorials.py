"""What the tutorials say can be typed is typed here, on small texts."""

import re
import shlex
import shutil
from pathlib import Path
from random import Random

import pytest
import yaml
from commands import paranmt
from corpus import write_bitext, write_sts

from paranmt.pipeline.demo import training

DOCS = Path(__file__).resolve().parents[2] / "docs"
DEMO_MODEL = Path(training.__file__).parent / "model"

if not DOCS.exists():
    pytest.skip("no docs beside the tests: they run against a wheel", allow_module_level=True)

SUBJECTS = {"Ein kleiner Hund": "A small dog", "Die alte Frau": "The old woman", "Ein Mann": "A man"}
VERBS = {"sieht": "sees", "malt": "paints", "hört": "hears", "sucht": "looks for"}
OBJECTS = {"das Boot": "the boat", "einen roten Ball": "a red ball", "die Kinder": "the children"}
PLACES = {"am Strand": "on the beach", "im Garten": "in the garden", "vor dem Haus": "in front of the house"}


def blocks(page: str) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w*)\n(.*?)^```$", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)


def commands(page: str) -> list[str]:
    """The lines of plain blocks, without their comments: each is a command."""
    lines = [line for language, text in blocks(page) if not language for line in text.splitlines()]
    return [line.split(" #")[0].strip() for line in lines]


def shown(page: str) -> object:
    """The recipe on a page."""
    (recipe,) = [yaml.safe_load(text) for language, text in blocks(page) if language == "yaml"]
    return recipe


def written(folder: Path) -> dict[str, object]:
    """The recipe that `init` wrote, without the section that the pages leave out."""
    recipe = yaml.safe_load((folder / "recipe.yaml").read_text())
    return {key: value for key, value in recipe.items() if key != "release"}


def typed(command: str) -> None:
    name, *words = shlex.split(command)
    assert name == "paranmt"
    result = paranmt(*words)
    assert result.exit_code == 0, f"{command}\n{result.output}"


def write_german(folder: Path, rows: int = 240) -> None:
    choose = Random(5)
    phrases = [list(phrases.items()) for phrases in (SUBJECTS, VERBS, OBJECTS, PLACES)]
    pairs = [zip(*map(choose.choice, phrases), strict=True) for _ in range(rows)]
    german, english = zip(*([" ".join(side) + ".\n" for side in pair] for pair in pairs), strict=True)
    folder.mkdir()
    (folder / "train.de").write_text("".join(german))
    (folder / "train.en").write_text("".join(english))


def test_the_path_of_a_bitext(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_german(tmp_path / "data")
    write_sts(tmp_path / "data/sts-semeval")
    names = [command.split()[1] for command in commands("your-bitext.md")]
    assert names == [
        *("init", "nmt-train", "plan", "run", "status", "results", "inspect", "stats", "verify", "verify"),
        *("select", "select", "evaluate", "export"),
    ]
    for command in commands("your-bitext.md"):
        if command.startswith("paranmt nmt-train"):
            # Training has its own tests; here, that it takes these arguments. The demo's model stands in.
            typed(f"{command} --help")
            shutil.copytree(DEMO_MODEL, tmp_path / "model")
        else:
            typed(command)
    assert shown("your-bitext.md") == written(tmp_path)
    assert (tmp_path / "work/report/index.html").exists()
    assert (tmp_path / "avg-for-sentence-transformers/modules.json").exists()


def test_the_path_of_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sides = write_bitext(tmp_path, "text", 240)
    english, machine = (Path(sides[side]).read_text().splitlines() for side in ("en", "mt"))
    choose = Random(6)
    rows = [f"{a}\t{b}\t{choose.uniform(0.3, 1):.4f}\n" for a, b in zip(english, machine, strict=True)]
    (tmp_path / "para-nmt-50m.txt").write_text("".join(rows))
    write_sts(tmp_path / "data/sts-semeval")
    names = [command.split()[1] for command in commands("your-pairs.md")]
    assert names == "init run inspect select stats evaluate export train".split()
    for command in commands("your-pairs.md"):
        typed(command)
    assert shown("your-pairs.md") == written(tmp_path)
    assert (tmp_path / "encoder/model.safetensors").exists()

"""`paranmt inspect`: random pairs of a release, and the words that differ."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases import PRIMARY, write_release
from typer.testing import CliRunner, Result

from paranmt.launch.cli import app
from paranmt.launch.display import console
from paranmt.launch.display.pair_text import _marked, pair_text
from paranmt.pipeline.release.word_differences import word_differences


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["inspect", *map(str, arguments)])


def rows(*arguments: object) -> list[dict]:
    result = command(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("inspect") / "release", 1_000)


def test_pairs_are_random_unless_there_is_a_seed(folder: Path) -> None:
    drawn = [tuple(row["pair_id"] for row in rows(folder, "-n", 5)) for _ in range(4)]
    assert len(set(drawn)) > 1
    result = command(folder, "-n", 5)
    seed = re.search(r"5 of 1,000 pairs; --seed (\d+) shows them again", result.stderr)
    assert seed
    assert command(folder, "-n", 5, "--seed", seed[1]).stdout == result.stdout
    assert "\x1b" not in result.stdout


def test_conditions(folder: Path) -> None:
    found = rows(folder, "--decile", f"{PRIMARY}=10", "--decile", "reference_length=3-6", "--corpus", "news")
    assert found
    for row in found:
        assert row[f"{PRIMARY}_decile"] == 10 and 3 <= row["reference_length_decile"] <= 6
        assert row["corpus"] == "news"
    found = rows(folder, "--where", "short or held_out", "--domain", "press", "-n", 1000)
    assert found and all(row["short"] and row["domain"] == "press" for row in found)
    assert rows(folder, "--corpus", "o'clock") == []


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("perplexity", "expected SCORE=N or SCORE=N-M"),
        ("trigram_overlap=0", "deciles from 1 to 10"),
        ("trigram_overlap=7-5", "deciles from 1 to 10"),
        ("trigam_overlap=7", "did you mean trigram_overlap_decile?"),
    ],
)
def test_wrong_deciles(folder: Path, given: str, expected: str) -> None:
    result = command(folder, "--decile", given)
    assert result.exit_code == 2
    assert expected in result.stderr


def test_the_text_of_a_pair() -> None:
    row = {
        "pair_id": "news/a.tsv:7",
        "domain": "press",
        "source": "Pes\x1b[2J běží.",
        "reference": "A dog runs.",
        "translation": None,
        "trigram_overlap": 0.33333,
        "trigram_overlap_decile": 4,
        "reference_length": 1234,
        "reference_length_decile": None,
    }
    assert pair_text(row, ["trigram_overlap", "reference_length", "perplexity"], False).splitlines() == [
        "news/a.tsv:7 · press",
        "  source       Pes\ufffd[2J běží.",
        "  reference    A dog runs.",
        "  translation  (none)",
        "  trigram_overlap 0.333 (4), reference_length 1,234",
    ]
    lines = pair_text({**row, "translation": "The dog runs ."}, [], True).splitlines()
    assert lines[2] == "  reference    \x1b[31mA\x1b[0m dog runs."
    assert lines[3] == "  translation  \x1b[32mThe\x1b[0m dog runs ."


@pytest.mark.parametrize(
    ("reference", "translation", "expected"),
    [
        ("A dog runs.", "A dog runs.", ("A dog runs.", "A dog runs.")),
        ("a b c d", "a x y d", ("a [b c] d", "a [x y] d")),
        ("", "new words", ("", "[new words]")),
        ("it was", "It was", ("[it] was", "[It] was")),
        ("one two", "two one", ("one [two]", "[two] one")),
        (" a  b", "a b ", (" a  b", "a b ")),
    ],
)
def test_differences(reference: str, translation: str, expected: tuple[str, str]) -> None:
    sides = word_differences(reference, translation)
    marked = tuple("".join(f"[{p.text}]" if p.differs else p.text for p in side) for side in sides)
    if marked != expected:  # two orders are equally long matches
        assert marked in (expected, ("[one] two", "two [one]"))


@given(st.text("ab. \n", max_size=30), st.text("ab. \n", max_size=30))
def test_pieces_are_the_whole_text(reference: str, translation: str) -> None:
    for side, text in zip(word_differences(reference, translation), (reference, translation), strict=True):
        assert "".join(piece.text for piece in side) == text
        assert _marked(side, "") == text
    same = [
        "".join(p.text for p in side if not p.differs).split()
        for side in word_differences(reference, translation)
    ]
    assert "".join(same[0]) == "".join(same[1])


def test_a_terminal_has_colours(folder: Path) -> None:
    """Through a real pseudo-terminal; NO_COLOR turns them off."""
    for environment, coloured in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
        ours, theirs = pty.openpty()
        program = [sys.executable, "-m", "paranmt", "inspect", str(folder), "-n", "2"]
        program += ["--where", "trigram_overlap < 0.8"]
        done = subprocess.run(
            program, stdout=theirs, stderr=subprocess.DEVNULL, env={**os.environ, **environment}
        )
        os.close(theirs)
        assert done.returncode == 0
        text = os.read(ours, 1 << 16).decode()
        os.close(ours)
        assert ("\x1b[32m" in text) == coloured


@pytest.mark.parametrize(("options", "found"), [([], "translation  žluť"), (["--json"], '"a žluť 🙂"')])
def test_output_is_utf_8_whatever_encoding_python_is_given(
    tmp_path: Path, options: list[str], found: str
) -> None:
    file = tmp_path / "žluť.parquet"
    pq.write_table(pa.table({"reference": ["a žluť 🙂"], "translation": ["žluť"]}), file)
    done = subprocess.run(
        [sys.executable, "-m", "paranmt", "inspect", file, *options],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert found in done.stdout.decode("utf-8")


def test_scores_may_be_labels() -> None:
    row = {"pair_id": "a:1", "domain": None, "source": "s", "reference": "r", "translation": "t"}
    row |= {"reference_language": "en", "translation_language": None, "seen\x1b": True, "n": 1234}
    assert pair_text(row, list(row)[5:], False).splitlines()[-1] == (
        "  reference_language en, translation_language none, seen\ufffd True, n 1,234"
    )


def test_lines_break_between_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "screen_width", lambda: 30)
    row = {"pair_id": "a:1", "source": "s", "reference": "r", "translation": "t"}
    row |= {"overlap": 0.25, "overlap_decile": 3, "similarity": 0.5, "similarity_decile": 10}
    assert pair_text(row, ["overlap", "similarity"], False).splitlines()[-2:] == [
        "  overlap 0.25 (3),",
        "  similarity 0.5 (10)",
    ]


def test_files_of_others_without_a_manifest(tmp_path: Path) -> None:
    table = pa.table({"reference": ["a b"], "translation": ["a c"], "x": [0.5], "x_decile": [3]})
    pq.write_table(table, tmp_path / "pairs.parquet")
    assert command(tmp_path).stdout.splitlines()[1:] == [
        "  source       (none)",
        "  reference    a b",
        "  translation  a c",
        "  x 0.5 (3)",
    ]

"""Texts and files made to take long or much memory: each is done at once, or is an error at once."""

import gzip
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from paranmt.base import streams
from paranmt.base.errors import InputError

SECONDS = 60  # at least five times as long as any case takes; before there were limits, each took longer


def run_within(code: str, gigabytes: float = 4) -> str:
    """Run Python code in a process of its own with limits of time and memory, and return what it prints.

    Its standard input never ends.
    """

    def limited() -> None:
        size = int(gigabytes * (1 << 30))
        resource.setrlimit(resource.RLIMIT_AS, (size, size))

    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(
            [sys.executable, "-c", code],
            preexec_fn=limited,
            timeout=SECONDS,
            stdin=zeros,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'1' * 300_000", False),
        ("'1_' * 300_000 + ' a b2 3c'", True),
        ("'\\u00b2 a ' * 2", True),  # a superscript counts as a letter, as before
        ("'a 1 b 2 ' + '3' * 100_000", False),
    ],
)
def test_looking_for_a_sentence(text: str, expected: bool) -> None:
    code = f"from paranmt.models.evaluation.sentences import is_sentence; print(is_sentence({text}))"
    assert run_within(code) == f"{expected}\n"


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("'[' * 400_000", False),
        ("'[' * 400_000 + ',1]'", True),
        ("'[,' * 200_000 + '1'", False),
        ("'the [NP,1] of'", True),
        ("'the [,1] of'", False),
        ("'[NP, 1]'", False),
        ("'NP,1] ['", False),
    ],
)
def test_gaps_of_ppdb(phrase: str, expected: bool) -> None:
    code = f"from paranmt.transforms.pair_files.ppdb import _has_gap; print(_has_gap({phrase}))"
    assert run_within(code) == f"{expected}\n"


MARKS = "'a' + '\\u0301\\u0316' * 150_000"  # above, below, above, below


@pytest.mark.parametrize(
    "call",
    [
        "paranmt.transforms.bitexts.cleaning.clean_texts([text, 'ok'])",
        "paranmt.tokens.definition.tokenize(text)",
        "paranmt.tokens.columns.normalised(pa.array([text]))",
    ],
)
def test_combining_marks_in_disorder(call: str) -> None:
    module = call.partition("(")[0].rpartition(".")[0]
    run_within(f"import pyarrow as pa, {module}; text = {MARKS}; {call}")


def test_entities_inside_one_another() -> None:
    code = """
from paranmt.transforms.bitexts.cleaning import Cleaning, clean_text
print(clean_text("&" + "amp;#38;#x26;" * 100_000 + "lt;", Cleaning(entities=True)))
"""
    assert run_within(code) == "('<', {'entity': 300001})\n"


def test_a_set_that_unfolds_to_more_than_any_set_has(tmp_path: Path) -> None:
    folder = tmp_path / "sts"
    folder.mkdir()
    (folder / "sts-test.csv.gz").write_bytes(gzip.compress(b"g\tf\t2012\t1\t5\ta\tb\n" * 20_000_000, 1))
    code = f"""
from paranmt.base.errors import InputError
from paranmt.models.sts.sts_data import read_sts
try:
    read_sts({str(folder)!r})
except InputError as error:
    print(error)
"""
    assert "at most 2,000,000 lines and 268,435,456 bytes" in run_within(code, 2.5)


def test_a_set_with_an_endless_line(tmp_path: Path) -> None:
    file = tmp_path / "sts-test.csv.gz"
    file.write_bytes(gzip.compress(bytes(50 * streams.LONGEST_LINE), 1))
    with pytest.raises(InputError, match="line 1 has more than 1,048,576 bytes"):
        streams.lines_in_memory(str(file))


def test_a_standard_input_without_the_end_of_a_line() -> None:
    code = """
from paranmt.base.errors import InputError
from paranmt.pipeline.texts.translate_text import read_sentences
try:
    next(read_sentences("-"))
except InputError as error:
    print(error)
"""
    assert run_within(code) == "the standard input: line 1 has more than 1,048,576 bytes\n"


def test_contamination_of_equal_pairs_with_equal_sentences() -> None:
    """Not every pair with every sentence: 20,000 and 10,000 would be 400 million matches."""
    code = """
import numpy as np, pyarrow as pa
from paranmt.filters.contamination import Contamination, EvaluationSet, EvaluationSets, MATCHES, SetSentences
score = Contamination(sets=(EvaluationSet("x", "x"),))
lines = np.arange(1, 20_001, dtype=np.int32)
sets = EvaluationSets([SetSentences("x", "x.txt", ["One two three."] * 20_000, lines)], 8, 0.7)
pairs = pa.table({"reference": ["one two three"] * 10_000, "translation": ["One two three."] * 10_000})
values = score.measure(pairs, sets)
columns, counts = score.details(pairs, values, sets)
print(values.unique().to_pylist(), counts["exact: x"], columns[MATCHES][9_999].as_py())
print(len(sets.matching(pairs["reference"])))
"""
    match = {"set": "x", "kind": "exact", "side": "translation", "place": "x.txt:1"}
    assert run_within(code) == f"[3] 10000 {[match]}\n20000\n"

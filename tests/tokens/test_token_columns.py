"""The compiled columns against the definitions in plain Python, over all of Unicode."""

import gzip
import importlib
import random
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from definitions import (
    bleu,
    character_similarity,
    longest_common_subsequence,
    negation_consistency,
    number_consistency,
    overlap,
    repetition,
    script_share,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paranmt.base import compiled
from paranmt.filters import copies, negation, numbers, scripts
from paranmt.filters import repetition as repetitions
from paranmt.filters.bleu import Brevity, sentence_bleu
from paranmt.filters.lengths import lengths
from paranmt.filters.overlap import Counting, ngram_overlap
from paranmt.filters.phrases import Phrases
from paranmt.models.encoders.row_index import RowIndex
from paranmt.models.encoders.vocabulary import Units, Vocabulary
from paranmt.tokens import characters
from paranmt.tokens.columns import (
    count_characters,
    count_spaced,
    hash_texts,
    hash_tokens,
    lower,
    lower_tokens,
    normalised,
    spaced_tokens,
)
from paranmt.tokens.definition import Tokens, normalise, tokenize

TOKENS: list[Tokens] = ["words", "whitespace"]
# Few different characters, so that tokens repeat: of one to four bytes, spaces, signs, marks that combine,
# and those whose lower case is odd.
_ODD = (
    " \t\x1c\x85\u00a0\u3000\u2028ab.,'_0é\u0301\u0327e\u00adßẞΣσςİıKÅ\u1161\u1100\u11a8각ȺⱥЖ…“日\ufffd"
    "𝐀😀𐐀\u0b57\u0b47\0<>"
)
texts = st.one_of(st.text(_ODD, max_size=40), st.text(st.characters(codec="utf-8"), max_size=20))
columns = st.lists(st.one_of(st.none(), texts), max_size=6)
pairs = st.lists(st.tuples(*(st.one_of(st.none(), st.text("ab c.é", max_size=60)),) * 2), max_size=4)


def _whole(column: list[str | None]) -> list[str]:
    return [text or "" for text in column]


def test_every_code_point_has_its_class() -> None:
    code_points = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for tokens in TOKENS:
        table = characters.classes(tokens)
        for character in code_points:
            found = tokenize(f"a{character}", tokens) if unicodedata.is_normalized("NFC", character) else None
            if found is None:
                continue
            expected = {("a",): characters.SPACE, ("a", character): characters.SIGN}.get(
                tuple(found), characters.WORD
            )
            assert table[ord(character)] == expected or unicodedata.combining(character), hex(ord(character))


def test_every_code_point_has_its_lower_case() -> None:
    table = characters.lower_case()
    for code in range(0x110000):
        character = chr(code)
        assert table[code] == -1 or chr(table[code]) == character.lower()
    assert {chr(code) for code in np.flatnonzero(table == -1)} == {"İ", "Σ"}


@given(texts)
@settings(deadline=None)
def test_a_text_without_doubtful_characters_is_nfc(text: str) -> None:
    table = characters.may_not_be_nfc()
    assert unicodedata.is_normalized("NFC", text) or any(table[ord(character)] for character in text)


@pytest.mark.parametrize("tokens", TOKENS)
@given(columns)
@settings(deadline=None)  # the first call compiles
@example(["\u0301e\u0301", None, ""])
def test_tokens(tokens: Tokens, column: list[str | None]) -> None:
    array = pa.array(column, pa.string())
    expected = [tokenize(text, tokens) for text in _whole(column)]
    spaced = spaced_tokens(array, tokens)
    assert spaced.to_pylist() == [" ".join(words) for words in expected]
    assert count_spaced(spaced).tolist() == [len(words) for words in expected]
    hashed = hash_tokens(array, tokens)
    assert hashed.counts().tolist() == [len(words) for words in expected]
    flat = [token for words in expected for token in words]
    assert hashed.hashes.tolist() == hash_texts(pa.array(flat, pa.string())).tolist()
    assert len(set(hashed.hashes.tolist())) == len(set(flat))
    assert count_characters(array, tokens).tolist() == list(map(len, flat))
    lowered = [" ".join(map(str.lower, words)) for words in expected]
    assert lower_tokens(array, tokens).to_pylist() == lowered


@given(columns)
@settings(deadline=None)
@example(["ὈΔΥΣΣΕΎΣ ΟΔΟΣ'Α İ", "Ⱥ\u212a"])
def test_lower_case_and_copies(column: list[str | None]) -> None:
    array = pa.array(column, pa.string())
    assert lower(array).to_pylist() == [text.lower() for text in _whole(column)]
    assert normalised(array).to_pylist() == [normalise(text) for text in _whole(column)]


@pytest.mark.parametrize("units", ["words", "trigrams"])
@pytest.mark.parametrize("tokens", TOKENS)
@given(columns, st.integers(0, 5))
@settings(max_examples=50, deadline=None)
def test_rows_of_units(units: Units, tokens: Tokens, column: list[str | None], left_out: int) -> None:
    whole = _whole(column)
    known = sorted({unit for text in whole for unit in _units(text, units, tokens)})[left_out:]
    vocabulary = Vocabulary(known, units, tokens)
    ids = RowIndex(vocabulary).token_ids(pa.array(column, pa.string()))
    found = [ids.ids[start:end].tolist() for start, end in zip(ids.starts, ids.starts[1:], strict=False)]
    assert found == [vocabulary.ids(text) for text in whole]


def _units(text: str, units: Units, tokens: Tokens) -> list[str]:
    from paranmt.models.encoders.vocabulary import UNITS

    return UNITS[units](text, tokens)


@pytest.mark.parametrize("tokens", TOKENS)
@given(st.one_of(pairs, st.lists(st.tuples(texts, texts), max_size=3)))
@settings(max_examples=60, deadline=None)
def test_scores(tokens: Tokens, sides: list[tuple[str | None, str | None]]) -> None:
    reference, translation = (pa.array([pair[side] for pair in sides], pa.string()) for side in (0, 1))
    countings: tuple[Counting, ...] = ("clipped", "legacy")
    for counting in countings:
        for n in (1, 2, 3):
            expected = [None if None in pair else overlap(*pair, n, tokens, counting) for pair in sides]
            values = ngram_overlap(reference, translation, n, tokens, counting)
            assert values.equals(pa.array(expected, pa.float32()))
    brevities: tuple[Brevity, ...] = ("paper", "shorter_only")
    for brevity in brevities:
        expected = [None if None in pair else bleu(*pair, tokens, brevity) for pair in sides]
        assert sentence_bleu(reference, translation, tokens, brevity).equals(pa.array(expected, pa.float32()))
    counts = [None if pair[0] is None else len(tokenize(pair[0], tokens)) for pair in sides]
    assert lengths(reference, tokens).equals(pa.array(counts, pa.int32()))


_DENIALS = ["No", "not", "'t", "didn’t", "n't", "CANNOT", "Nobody", "ever", "nor", ",", "é"]
_FIGURES = ["1,000", "1000", "0", "07", "7.50", "٧.5", "12,34", "1,000,5678", "12345,678", "two", "One"]
_FIGURES += [
    "twenty",
    "-",
    "forty",
    "one",
    "nine",
    "x2",
    "seventeen",
    ".",
    ",",
    "é",
    "thirtyé",
    "“two”",
    "½two",
    "000",
]


def _of_words(words: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.tuples(st.sampled_from(words), st.sampled_from([" ", " ", "", "-"])), max_size=12).map(
        lambda found: "".join(map("".join, found))
    )


@pytest.mark.parametrize("tokens", TOKENS)
@given(
    st.one_of(
        pairs,
        st.lists(st.tuples(texts, texts), max_size=3),
        *(st.lists(st.tuples(*(_of_words(words),) * 2), max_size=3) for words in (_DENIALS, _FIGURES)),
    )
)
@settings(max_examples=200, deadline=None)
@example([("1,234,567.890 or 0.50", "1234567.89 or 00.5"), ("twenty-one one", "21"), ("no", "n't not")])
def test_further_scores(tokens: Tokens, sides: list[tuple[str | None, str | None]]) -> None:
    columns = [pa.array([pair[side] for pair in sides], pa.string()) for side in (0, 1)]

    def values(define: Callable[..., float], *options: object) -> pa.Array:
        return pa.array([None if None in p else define(*p, *options) for p in sides], pa.float32())

    for words in (True, False):
        assert numbers.number_consistency(*columns, words).equals(values(number_consistency, words))
    assert negation.negation_consistency(*columns, tokens).equals(values(negation_consistency, tokens))
    assert copies.character_similarity(*columns).equals(values(character_similarity))
    subsequences = values(longest_common_subsequence, tokens)
    assert copies.longest_common_subsequence(*columns, tokens).equals(subsequences)
    for column, n in zip(columns, (1, 3), strict=True):
        found = [None if text is None else repetition(text, n, tokens) for text in column.to_pylist()]
        assert repetitions.repetition(column, n, tokens).equals(pa.array(found, pa.float32()))


@given(st.lists(st.one_of(st.none(), st.text(_ODD, max_size=9)), max_size=3))
@settings(deadline=None)
def test_scripts(column: list[str | None]) -> None:
    array = pa.array(column, pa.string())
    for script in ("Latin", "Cyrillic"):
        expected = [None if text is None else script_share(text, script) for text in column]
        assert scripts.character_set_share(array, script).equals(pa.array(expected, pa.float32()))


@given(st.lists(st.text("abc ", max_size=9), max_size=5), st.text("abc ", max_size=30))
@settings(deadline=None)
def test_phrases(phrases: list[str], text: str) -> None:
    listed = {tuple(phrase.split()) for phrase in phrases} - {()}
    left, count = text.split(), 0
    while left:
        size = max((n for n in range(1, len(left) + 1) if tuple(left[:n]) in listed), default=0)
        count += size > 0
        left = left[max(size, 1) :]
    assert Phrases.of(phrases).count(pa.array([text.upper(), None])).tolist() == [count, 0]


def test_arrays_of_every_layout() -> None:
    column = ["not this", "a b", None, "c é d", ""]
    whole = pa.array(column, pa.string())
    expected = [["a", "b"], [], ["c", "é", "d"], []]
    layouts = (
        whole[1:],
        whole.cast(pa.large_string())[1:],
        whole.cast(pa.string_view())[1:],
        pa.chunked_array([whole[1:2], whole[2:2], whole[2:]]),
        pa.chunked_array([whole.dictionary_encode()])[1:],
    )
    for layout in layouts:
        assert spaced_tokens(layout).to_pylist() == [" ".join(words) for words in expected]
    hidden = pa.array(["x", "y"]).buffers()
    null = pa.Array.from_buffers(pa.string(), 2, [pa.py_buffer(b"\x01"), *hidden[1:]])
    assert null.to_pylist() == ["x", None]
    assert hash_tokens(null).counts().tolist() == [1, 0]
    for empty in (pa.array([], pa.string()), pa.chunked_array([], pa.string()), pa.nulls(2, pa.string())):
        assert hash_tokens(empty).counts().tolist() == [0] * len(empty)


def test_bytes_that_are_not_utf8_are_refused() -> None:
    damaged = pa.array([b"a", b"\xf0\x9f"]).cast(pa.binary()).view(pa.string())
    with pytest.raises(pa.ArrowInvalid, match="UTF8"):
        hash_tokens(damaged)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="as many translations as references"):
        sentence_bleu(pa.array(["a"]), pa.array(["a", "b"]))


def test_long_sentences() -> None:
    words = [f"w{i % 700}" for i in range(5_000)]
    reference, translation = " ".join(words), " ".join(reversed(words))
    sides = pa.array([reference, "a"]), pa.array([translation, "a"])
    for n in (1, 2):
        expected = pa.array(
            [overlap(reference, translation, n, "words", "clipped"), float(n == 1)], pa.float32()
        )
        assert ngram_overlap(*sides, n).equals(expected)
    assert sentence_bleu(*sides)[0].as_py() == pytest.approx(bleu(reference, translation, "words", "paper"))
    shuffled = " ".join(random.Random(1).sample(words[:900], 900))
    expected = longest_common_subsequence(" ".join(words[:800]), shuffled, "words")
    found = copies.longest_common_subsequence(pa.array([" ".join(words[:800])]), pa.array([shuffled]))
    assert found.equals(pa.array([expected], pa.float32()))


def test_without_a_cache_that_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PARANMT_CACHE", str(tmp_path / "file"))

    def triple(value: int) -> int:
        return 3 * value

    assert compiled.compiled(triple)(2) == 6


def test_a_kernel_is_compiled_again_when_a_helper_or_a_constant_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARANMT_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    header = "from paranmt.base.compiled import compiled, helper\n"
    (tmp_path / "kernels_of_test.py").write_text(
        f"{header}from constants_of_test import ADDEND\nfrom helpers_of_test import times\n"
        "\n@compiled\ndef changed(value):\n    return times(value) + ADDEND\n"
    )

    def value(addend: int, factor: int) -> int:
        (tmp_path / "constants_of_test.py").write_text(f"ADDEND = {addend}\n")
        (tmp_path / "helpers_of_test.py").write_text(
            f"{header}\n@helper\ndef times(value):\n    return value * {factor}\n"
        )
        for name in ("constants_of_test", "helpers_of_test", "kernels_of_test"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return int(importlib.import_module("kernels_of_test").changed(10))

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert [value(1, 2), value(2, 2), value(2, 3)] == [21, 22, 32]


def test_real_text(shared: Path) -> None:
    folder = shared / "data/cs-en-mt-outputs"
    for human in sorted(folder.glob("*.en.gz"))[:3]:
        lines = gzip.open(human, "rt", encoding="utf-8").read().split("\n")
        assert spaced_tokens(pa.array(lines)).to_pylist() == [" ".join(tokenize(line)) for line in lines]
        assert normalised(pa.array(lines)).to_pylist() == [normalise(line) for line in lines]


def test_compiling_ahead_leaves_nothing_to_compile(capsys: pytest.CaptureFixture[str]) -> None:
    from paranmt.filters.kernels import ngram_kernels, number_kernels, phrase_kernels, subsequence_kernels
    from paranmt.launch import compile_kernels
    from paranmt.models.encoders import averaging_kernels, recurrence_kernels, row_index
    from paranmt.models.training import loss_kernels, nearest_kernels, row_kernels
    from paranmt.tokens import kernels as token_kernels

    compile_kernels.main()
    assert "compiled all kernels into " in capsys.readouterr().out
    kernels = [
        kernel
        for module in (
            token_kernels,
            ngram_kernels,
            number_kernels,
            phrase_kernels,
            subsequence_kernels,
            row_index,
            recurrence_kernels,
            averaging_kernels,
            loss_kernels,
            nearest_kernels,
            row_kernels,
        )
        for kernel in vars(module).values()
        if getattr(kernel, "__module__", None) == module.__name__
        and type(getattr(kernel, "_cache", None)).__name__ == "FunctionCache"  # helpers have none
    ]
    assert len(kernels) >= 24
    cannot_run = [] if nearest_kernels.IS_AVAILABLE else ["_search"]
    assert [kernel.__name__ for kernel in kernels if len(kernel.signatures) != 1] == cannot_run

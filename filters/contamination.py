"""Contamination: whether a pair has a sentence of an evaluation set."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa

from ..base.bounds import Bounds, NotNone, check_numbers
from ..base.counts import by_name
from ..base.hashing import mixed
from ..base.paths import FilePath
from .score import Score
from .text_columns import Texts, blocks, with_nulls

if TYPE_CHECKING:
    from .kernels.contamination_kernels import HashIndex

KINDS = ("n-gram", "normalised", "exact")
"""The kinds of match, with the values 1, 2 and 3."""

MATCHES = "_matches"
"""The column beside the score: for each set that a pair matches, the closest match. A score cannot have this
name."""

MATCH_TYPE = pa.struct(
    [("set", pa.string()), ("kind", pa.string()), ("side", pa.string()), ("place", pa.string())]
)
_SIDES = ("reference", "translation")
_RANGES = 16
_AT_ONCE = 1 << 16  # matches that are held at once
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class SetSentences:
    """Sentences from one file of a set.

    lines: (n,) int32, the line of each text.
    """

    set: str
    file: str
    texts: list[str]
    lines: np.ndarray


@dataclass(frozen=True)
class Matches:
    """The closest match of each pair with each set that it matches, by pair and then by set.

    Arrays with one element per match. sets: places in `EvaluationSets.sets`. kinds: 1 to 3. sides: 0 for the
    reference, 1 for the translation, which comes second among equals. occurrences: of the sentence, the first
    among equals.
    """

    rows: np.ndarray
    sets: np.ndarray
    kinds: np.ndarray
    sides: np.ndarray
    occurrences: np.ndarray


_MATCHES = tuple(field.name for field in fields(Matches))


class EvaluationSets:
    """The sentences of the sets as hashes, without their texts.

    Some 60 bytes for each sentence, and 16 for each of its n-grams.
    """

    def __init__(self, sentences: Iterable[SetSentences], n: int, share: float) -> None:
        """n: words of an n-gram. share: of a sentence's distinct n-grams, how many make a match."""
        self.n = n
        self.sets: list[str] = []
        self._files: list[str] = []
        self._set_of_file: list[int] = []
        columns = self._read(sentences)
        # Occurrences, by sentence and then in the order of the files.
        hashes = columns.pop("normalised")
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        hashes = hashes[order]
        is_new = np.ones(len(hashes), np.bool_)
        is_new[1:] = hashes[1:] != hashes[:-1]
        self._texts = _with_index(hashes[is_new])
        del hashes
        self._starts = np.append(np.flatnonzero(is_new), len(is_new)).astype(np.int32)
        sentence = np.cumsum(is_new, dtype=np.int32) - np.int32(1)
        del is_new
        self._file = columns.pop("file")[order]
        self._line = columns.pop("line")[order]
        places = self._index_holdings(sentence)
        # The different texts of a holding, and where it has each first.
        exact = columns.pop("exact")[order] ^ mixed(places, 0)
        del places
        self._exact_keys, first = np.unique(exact, return_index=True)
        self._first_exact = first.astype(np.int32)
        del exact, first
        columns["first"] = order[self._starts[:-1]]
        del order, sentence
        self._index_ngrams(columns, share)

    def _read(self, sentences: Iterable[SetSentences]) -> dict[str, np.ndarray]:
        """What is kept of all occurrences of sentences, as columns; the hashes of all their n-grams."""
        # import numba, which planning does not need
        from ..tokens.columns import hash_texts, hash_tokens, ngrams, normalised

        columns = {name: _Growing(np.int32) for name in ("file", "line", "count")}
        columns |= {name: _Growing(np.uint64) for name in ("exact", "normalised", "ngram")}
        for part in sentences:
            if part.set not in self.sets:
                self.sets.append(part.set)
            self._files.append(part.file)
            self._set_of_file.append(self.sets.index(part.set))
            texts = pa.array(part.texts, pa.large_string())
            plain = normalised(texts)
            grams = ngrams(hash_tokens(plain, "whitespace"), self.n)
            columns["file"].add(np.full(len(texts), len(self._files) - 1, np.int32))
            columns["line"].add(part.lines)
            columns["exact"].add(hash_texts(texts))
            columns["normalised"].add(hash_texts(plain))
            columns["count"].add(grams.counts())
            columns["ngram"].add(grams.hashes)
        return {name: column.values() for name, column in columns.items()}

    def _index_holdings(self, sentence: np.ndarray) -> np.ndarray:
        """Index the holdings: a set that has a sentence, however often, and where it has it first.

        sentence: of each occurrence. The holding of each occurrence.
        """
        count = max(len(self.sets), 1)
        keys = sentence.astype(np.int64) * count + np.array(self._set_of_file, np.int64)[self._file]
        is_new = np.ones(len(keys), np.bool_)  # sets are read one after the other, so the keys ascend
        is_new[1:] = keys[1:] != keys[:-1]
        self._first = np.flatnonzero(is_new).astype(np.int32)
        starts = np.searchsorted(keys[self._first], np.arange(len(self._starts)) * count)
        self._holding_starts = starts.astype(np.int32)
        return np.cumsum(is_new, dtype=np.int32) - np.int32(1)

    def _index_ngrams(self, columns: dict[str, np.ndarray], share: float) -> None:
        """The sentences that hold each n-gram, and how many of its n-grams make a match of a sentence.

        columns: emptied of the n-grams of all occurrences, how many each occurrence has, and the first
        occurrence of each sentence.
        """
        ngrams, ends = columns.pop("ngram"), np.cumsum(columns.pop("count"), dtype=np.int64)
        firsts = columns.pop("first")
        sentences = len(firsts)
        of_occurrence = np.full(len(ends), -1, np.int32)  # the sentence that an occurrence is the first of
        of_occurrence[firsts] = np.arange(sentences, dtype=np.int32)
        del firsts
        all_hashes, all_holders = np.empty(len(ngrams), np.uint64), np.empty(len(ngrams), np.int32)
        totals, end = np.zeros(sentences, np.int32), 0
        # One range of hashes after the other, because sorting takes several times as much memory.
        for low in range(0, 2**64, 2**64 // _RANGES):
            in_range = (ngrams >= np.uint64(low)) & (ngrams <= np.uint64(low + 2**64 // _RANGES - 1))
            rows = np.flatnonzero(in_range)
            holders = of_occurrence[np.searchsorted(ends, rows, side="right")]
            hashes, holders = ngrams[rows[holders >= 0]], holders[holders >= 0]
            # Each n-gram of a sentence counts once.
            order = np.lexsort((holders, hashes))
            hashes, holders = hashes[order], holders[order]
            fresh = np.ones(len(hashes), np.bool_)
            fresh[1:] = (hashes[1:] != hashes[:-1]) | (holders[1:] != holders[:-1])
            hashes, holders = hashes[fresh], holders[fresh]
            totals += np.bincount(holders, minlength=sentences).astype(np.int32)
            all_hashes[end : end + len(hashes)], all_holders[end : end + len(hashes)] = hashes, holders
            end += len(hashes)
        del ngrams, ends, of_occurrence
        self._ngrams, self._holders = _with_index(all_hashes[:end]), all_holders[:end]
        needed = share * totals
        needed -= 1e-9
        self._needed = np.maximum(np.ceil(needed, out=needed), 1, out=needed).astype(np.int32)

    def matches(self, reference: Texts, translation: Texts) -> Matches:
        """The closest match of each pair of a block with each set."""
        found = [self._closest_of(side, texts) for side, texts in enumerate((reference, translation))]
        both = Matches(*(np.concatenate([getattr(side, name) for side in found]) for name in _MATCHES))
        return _closest(both)

    def matching(self, texts: Texts) -> np.ndarray:
        """The occurrences, in order, of all sentences that match one of these texts."""
        is_matched = np.zeros(len(self._starts) - 1, np.bool_)
        for _, sentences, _ in self._found(_distinct(texts)[0]):
            is_matched[sentences] = True
        return np.flatnonzero(np.repeat(is_matched, np.diff(self._starts)))

    def place(self, occurrence: int) -> tuple[str, str]:
        """The set of an occurrence, and its file and line."""
        file = self._files[self._file[occurrence]]
        return self.sets[self._set_of_file[self._file[occurrence]]], f"{file}:{self._line[occurrence]}"

    def _closest_of(self, side: int, texts: Texts) -> Matches:
        """The closest match of each text of one side with each set."""
        import pyarrow.compute as pc  # as numba: reading a recipe does not need it

        from ..tokens.columns import hash_texts

        distinct, of_row = _distinct(texts)
        parts = [Matches(*(np.empty(0, np.int64) for _ in _MATCHES))]
        for rows, sentences, whole in self._found(distinct):
            copied = np.unique(rows[whole])
            stripped = np.zeros(len(distinct), np.uint64)
            stripped[copied] = hash_texts(pc.utf8_trim_whitespace(distinct.take(pa.array(copied))))
            # From sentences to the sets that have them.
            holdings, origin = _ranges(self._holding_starts[sentences], self._holding_starts[sentences + 1])
            rows, whole = rows[origin], whole[origin]
            exact = self._exact_places(stripped[rows], holdings)
            is_exact = whole & (exact >= 0)
            kinds = np.where(is_exact, 3, np.where(whole, 2, 1))
            occurrences = np.where(is_exact, exact, self._first[holdings])
            sides = np.full(len(rows), side)
            sets = np.array(self._set_of_file, np.int64)[self._file[occurrences]]
            parts.append(_closest(Matches(rows, sets, kinds, sides, occurrences)))
        found = Matches(*(np.concatenate([getattr(part, name) for part in parts]) for name in _MATCHES))
        # From distinct texts to the rows that have them.
        starts = np.searchsorted(found.rows, np.arange(len(distinct) + 1))
        places, rows = _ranges(starts[of_row], starts[of_row + 1])
        return Matches(rows, *(getattr(found, name)[places] for name in _MATCHES[1:]))

    def _exact_places(self, texts: np.ndarray, holdings: np.ndarray) -> np.ndarray:
        """The first occurrence of a text, given by its hash, in a holding; -1 if it has others only."""
        if not len(self._exact_keys):
            return np.full(len(texts), -1)
        keys = texts ^ mixed(holdings, 0)
        place = np.minimum(np.searchsorted(self._exact_keys, keys), len(self._exact_keys) - 1)
        return np.where(self._exact_keys[place] == keys, self._first_exact[place], -1)

    def _found(self, texts: pa.LargeStringArray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """The texts that match, by row, the sentences, and whether they match as a whole; in blocks."""
        from ..tokens.columns import hash_texts, hash_tokens, ngrams, normalised
        from .kernels.contamination_kernels import FoundMatches, find_matches

        plain = normalised(texts)
        grams = ngrams(hash_tokens(plain, "whitespace"), self.n)
        hashes = hash_texts(plain)
        capacity = max(_AT_ONCE, len(self._needed) + 1)  # at least what one text may match
        first = 0
        while first < len(texts):
            rows, sentences = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
            found = FoundMatches(rows, sentences, np.empty(capacity, np.bool_))
            size, first = find_matches(
                first,
                hashes,
                grams.hashes,
                grams.starts,
                self._texts,
                self._ngrams,
                self._holders,
                self._needed,
                found,
            )
            yield found.rows[:size], found.sentences[:size], found.whole[:size]


def _distinct(texts: Texts) -> tuple[pa.LargeStringArray, np.ndarray]:
    """The different texts of a column, and which of them each row has; null has that of the empty text."""
    from ..tokens.columns import hash_texts

    column = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    _, first, of_row = np.unique(hash_texts(column), return_index=True, return_inverse=True)
    return column.take(pa.array(first)).cast(pa.large_string()), of_row


def _closest(found: Matches) -> Matches:
    """Of all matches of a row with a set, the closest; the first side and the first occurrence if equal."""
    order = np.lexsort((found.occurrences, found.sides, -found.kinds, found.sets, found.rows))
    rows, sets = found.rows[order], found.sets[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = (rows[1:] != rows[:-1]) | (sets[1:] != sets[:-1])
    return Matches(*(getattr(found, name)[order[is_first]] for name in _MATCHES))


def _ranges(starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of each range, one range after the other, and the number of the range that each is from.

    >>> _ranges(np.array([3, 0]), np.array([5, 1]))
    (array([3, 4, 0]), array([0, 0, 1]))
    """
    counts = ends - starts
    before = np.cumsum(counts) - counts
    origin = np.repeat(np.arange(len(counts)), counts)
    return np.arange(len(origin)) - before[origin] + starts[origin], origin


class _Growing:
    """An array that grows in its place: many small ones would leave gaps in memory that nothing else fits."""

    def __init__(self, dtype: type) -> None:
        self._values: np.ndarray = np.empty(0, dtype)
        self._size = 0

    def add(self, values: np.ndarray) -> None:
        """Append values."""
        end = self._size + len(values)
        if end > len(self._values):
            self._values.resize(end + end // 8, refcheck=False)
        self._values[self._size : end] = values
        self._size = end

    def values(self) -> np.ndarray:
        """All values; nothing can be added afterwards."""
        self._values.resize(self._size, refcheck=False)
        return self._values


def _with_index(keys: np.ndarray) -> "HashIndex":
    """The index of hashes in ascending order."""
    from .kernels.contamination_kernels import HashIndex, index_keys

    bits = max(1, math.ceil(math.log2(len(keys) + 1)) - 1)
    starts, shift = np.empty(2**bits + 1, np.int32), np.uint64(64 - bits)
    index_keys(keys, shift, starts)
    return HashIndex(keys, starts, shift)


def contamination(reference: Texts, translation: Texts, sets: EvaluationSets) -> pa.Int32Array:
    """The closest match of either side with a sentence of the sets: 0 none, 1 n-gram, 2 normalised, 3 exact.

    int32; null where a side is null.

    >>> sets = EvaluationSets([SetSentences("a", "a.txt", ["Two dogs run."], np.array([1]))], 8, 0.7)
    >>> sides = pa.array(["Two dogs run.", "Two dogs run!", "Dogs run."])
    >>> contamination(sides, pa.array(["Dogs.", "Dogs.", "TWO DOGS RUN"]), sets).to_pylist()
    [3, 2, 2]
    """
    values = np.zeros(len(reference), np.int32)
    for rows in blocks(len(reference)):
        found = sets.matches(reference[rows], translation[rows])
        np.maximum.at(values, rows.start + found.rows, found.kinds.astype(np.int32))
    return with_nulls(values, pa.int32(), reference, translation)


@dataclass(frozen=True)
class EvaluationSet:
    """An evaluation set to compare the pairs with."""

    name: str
    """Its name in the certificate: at most 64 letters, digits and `._-`."""
    path: FilePath
    """A folder or a file: text with a sentence per line, TSV, CSV or JSON lines, plain or compressed;
    Parquet; or a release."""

    def __post_init__(self) -> None:
        if _NAME.fullmatch(self.name) is None:
            raise ValueError(
                f"{self.name[:80]!r} is not a name: expected at most 64 letters, digits and ._-, beginning "
                "with a letter or a digit"
            )


@dataclass(frozen=True, kw_only=True)
class Contamination(Score):
    """How closely either side of a pair matches a sentence of the given evaluation sets: 3 if the texts are
    the same, 2 if they are the same apart from case, punctuation and spacing, 1 if the side has at least a
    share (0.7) of the sentence's n-grams (of 8 words; shorter sentences only match as a whole), otherwise 0,
    which is also the value of the empty sentence. Select pairs with 0 before training encoders that are
    evaluated on these sets. The share of 8-grams is that of Chowdhery et al. 2022 (PaLM), section 8.
    """

    score: Literal["contamination"] = "contamination"
    sets: tuple[EvaluationSet, ...]
    """The evaluation sets: a list of names and paths."""
    n: Annotated[int, Bounds(3, 1_000, is_whole=True)] = 8
    """The words of an n-gram, at least 3; shorter sentences only match as a whole."""
    share: NotNone = 0.7
    """The share of a sentence's distinct n-grams that a side must have, above 0 and at most 1."""

    version = 1
    reads = _SIDES
    dtype = pa.int32()
    unit = "0 none, 1 n-gram, 2 normalised, 3 exact"
    higher_is_better = False
    has_deciles = False
    model_kind: ClassVar[str | None] = "evaluation_sets"

    def __post_init__(self) -> None:
        names = Counter(given.name for given in self.sets)
        if not names:
            raise ValueError("expected at least one evaluation set in sets")
        if len(names) < len(self.sets):
            raise ValueError(f"two evaluation sets are called {names.most_common(1)[0][0]!r}: rename one")
        check_numbers(self)

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `contamination`; `model` is an `EvaluationSets`."""
        return contamination(pairs["reference"], pairs["translation"], _checked(model))

    def details(
        self, pairs: pa.Table, values: pa.Array, model: object | None = None
    ) -> tuple[dict[str, pa.Array], dict[str, int]]:
        """The column `MATCHES`, and how many pairs have a match of each kind with each set."""
        sets = _checked(model)
        numbers = values.fill_null(0).to_numpy(zero_copy_only=False)
        matched = np.flatnonzero(numbers)
        lengths = np.zeros(len(pairs), np.int64)
        counts = {kind: int((numbers == value).sum()) for value, kind in enumerate(KINDS, start=1)}
        of_sets: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        rows: list[dict[str, str]] = []
        for chunk in blocks(len(matched)):
            chosen = matched[chunk]
            some = pairs.take(pa.array(chosen))
            found = sets.matches(some["reference"], some["translation"])
            for number, side, occurrence in zip(found.kinds, found.sides, found.occurrences, strict=True):
                name, place = sets.place(occurrence)
                kind = KINDS[number - 1]
                rows.append({"set": name, "kind": kind, "side": _SIDES[side], "place": place})
                of_sets[kind][name] += 1
            np.add.at(lengths, chosen[found.rows], 1)
        offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
        column = pa.ListArray.from_arrays(offsets, pa.array(rows, MATCH_TYPE))
        for kind, found_in in of_sets.items():
            counts |= by_name(kind, found_in)
        return {MATCHES: column}, dict(sorted(counts.items()))

    def files(self) -> tuple[str, ...]:
        """The evaluation sets."""
        return tuple(given.path for given in self.sets)


def _checked(model: object | None) -> EvaluationSets:
    if not isinstance(model, EvaluationSets):
        raise TypeError(f"contamination needs evaluation sets, got {model!r}")
    return model

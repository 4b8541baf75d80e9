"""Pairs to train on: a stream that is read once, and the flat files that every epoch reads after."""

import contextlib
import itertools
import json
import logging
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
import xxhash

from ...errors import InputError, WorkspaceError
from ..checksums import CHECKSUMS, is_intact, write_checksums
from ..encoders.token_ids import TokenIds
from ..encoders.vocabulary import UNITS, Vocabulary, most_frequent, words
from .options import TextOptions

logger = logging.getLogger(__name__)

_STATE = "finished.json"
_FILES = ("ids", "starts", "vocabulary", _STATE, CHECKSUMS)
_REMAP_TOKENS = 2**22  # tokens renumbered at once: 16 MiB


class PairStream(Protocol):
    """Batches of pairs, as often as they are asked for, the same each time and in the same order."""

    @property
    def key(self) -> str:
        """Another whenever the pairs are others: finished work is taken up again only under its key."""
        ...

    def __iter__(self) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
        """References and their translations, as long as each other."""
        ...


@dataclass(frozen=True)
class PairList:
    """Pairs in memory as a stream of one batch."""

    references: Sequence[str]
    translations: Sequence[str]

    @property
    def key(self) -> str:
        """A hash of all sentences."""
        digest = xxhash.xxh3_64()
        for sentence in itertools.chain(self.references, self.translations):
            digest.update(sentence.encode("utf-8") + b"\n")
        return digest.hexdigest()

    def __iter__(self) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
        yield self.references, self.translations


@dataclass
class Reading:
    """What became of the pairs of a stream."""

    pairs: int = 0
    too_long: int = 0  # dropped, or cut
    empty: int = 0  # dropped: a side has no token


class TokenCorpus:
    """Tokenised pairs in two flat files of a folder: pair i is sentences 2i and 2i + 1 of `sentences`.

    On disk 4 bytes a token and 16 a pair; in memory nothing that grows with the pairs.
    """

    def __init__(self, vocabulary: Vocabulary, sentences: TokenIds, reading: Reading) -> None:
        self.vocabulary = vocabulary
        self.sentences = sentences
        self.reading = reading

    def __len__(self) -> int:
        return self.reading.pairs

    def take(self, pairs: np.ndarray) -> TokenIds:
        """References, then translations, of the given pairs."""
        return self.sentences.take(np.concatenate([2 * pairs, 2 * pairs + 1]))

    def sample(self, pairs: np.ndarray, options: TextOptions | None) -> "TokenCorpus":
        """The given pairs as a corpus in memory: the same as if they alone had been read with `options`.

        options: None keeps the vocabulary.
        """
        sentences = self.sentences.take(np.column_stack([2 * pairs, 2 * pairs + 1]).ravel())
        vocabulary = self.vocabulary
        if options is not None:
            counts = np.bincount(sentences.ids, minlength=len(vocabulary)).tolist()
            units = {unit: n for unit, n in zip(vocabulary.entries, counts[1:], strict=True) if n}
            entries = most_frequent(units, options.vocabulary_size, options.minimum_count)
            rows = np.zeros(len(vocabulary), np.int32)
            rows[[vocabulary.row(unit) for unit in entries]] = np.arange(1, len(entries) + 1)
            vocabulary = Vocabulary(entries, options.units, options.tokens)
            sentences = TokenIds(rows[sentences.ids], sentences.starts)
        return TokenCorpus(vocabulary, sentences, Reading(len(pairs)))


def tokenise_pairs(
    stream: PairStream,
    options: TextOptions,
    folder: Path,
    aside: Path,
    vocabulary: Vocabulary | None = None,
    key: str = "",
    progress: Callable[[int], None] = lambda pairs: None,
) -> TokenCorpus:
    """Reads a stream once, unless `folder` holds that stream's pairs already, whole and undamaged.

    aside: a folder of this attempt's own, empty and on the same file system. The corpus is built and mapped
    there, so the folder must stay for as long as the corpus is used; `folder` gets the finished files for
    later attempts. Hence several attempts may share `folder`: no file in it ever changes, and an attempt
    does not need it any more once it has its corpus.

    Units are numbered in order of appearance while reading and renumbered once they are counted, so
    that the text is read and tokenised once. Without a `vocabulary` it is of the commonest units, equal
    counts in the order of code points. `progress` hears how many pairs are read. InputError where no pair
    is left, WorkspaceError where `aside` was removed meanwhile.
    """
    identity = json.dumps([key, stream.key, repr(options)])
    own = aside / "tokens"
    own.mkdir()
    kept = _kept(folder, own, identity, options)
    if kept is not None:
        return kept
    try:
        corpus = _build(stream, options, own, vocabulary, identity, progress)
        _share(own, folder, aside)
    except FileNotFoundError:
        if own.is_dir():
            raise
        raise WorkspaceError(
            f"{aside} was removed while pairs were being read into it; another process may have taken "
            "this one for dead: train again"
        ) from None
    return corpus


def _kept(folder: Path, own: Path, identity: str, options: TextOptions) -> TokenCorpus | None:
    """The corpus of `folder`, linked into `own`; None, and `own` stays empty, where it cannot be used."""
    if not folder.is_dir():
        return None
    try:
        _link(folder, own)
        intact = is_intact(own)
    except OSError:
        intact = False
    if intact:
        state = json.loads((own / _STATE).read_text(encoding="utf-8"))
        if state.pop("identity") == identity:
            vocabulary = Vocabulary.load(own / "vocabulary", options.units, options.tokens)
            return TokenCorpus(vocabulary, _mapped(own), Reading(**state))
    else:
        logger.warning("the tokenised pairs in %s are damaged: they are made again", folder)
    shutil.rmtree(own)
    own.mkdir()
    return None


def _build(
    stream: PairStream,
    options: TextOptions,
    own: Path,
    vocabulary: Vocabulary | None,
    identity: str,
    progress: Callable[[int], None],
) -> TokenCorpus:
    with (own / "ids").open("wb") as ids, (own / "starts").open("wb") as starts:
        reading, counts = _read(stream, options, ids, starts, progress)
    if not reading.pairs:
        raise InputError(
            f"no pairs to train on: {reading.too_long} are longer than {options.max_tokens} tokens "
            f"and {reading.empty} have an empty side"
        )
    if vocabulary is None:
        chosen = most_frequent(counts, options.vocabulary_size, options.minimum_count)
        vocabulary = Vocabulary(chosen, options.units, options.tokens)
    _renumber(own / "ids", np.array([vocabulary.row(unit) for unit in counts], dtype=np.int32))
    vocabulary.save(own / "vocabulary")
    (own / _STATE).write_text(json.dumps({"identity": identity, **asdict(reading)}), encoding="utf-8")
    write_checksums(own)
    return TokenCorpus(vocabulary, _mapped(own), reading)


def _share(own: Path, folder: Path, aside: Path) -> None:
    """Put the finished files into `folder`, all at once, in place of what is there."""
    shared, former = aside / "shared", aside / "former"
    shared.mkdir()
    _link(own, shared)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.rename(shared, folder)
    except OSError:  # there are files in it: damaged, of other pairs, or another attempt's
        # Another attempt may do the same at this moment; it does not matter which of the two is kept.
        with contextlib.suppress(OSError):
            os.rename(folder, former)
            os.rename(shared, folder)
        shutil.rmtree(former, ignore_errors=True)


def _link(folder: Path, target: Path) -> None:
    """The files of a finished corpus in another folder, by links where the file system has them."""
    for name in _FILES:
        try:
            os.link(folder / name, target / name)
        except FileNotFoundError:
            raise
        except OSError:
            shutil.copyfile(folder / name, target / name)


def _mapped(folder: Path) -> TokenIds:
    return TokenIds(
        np.memmap(folder / "ids", dtype=np.int32, mode="r"),
        np.memmap(folder / "starts", dtype=np.int64, mode="r"),
    )


def _read(
    stream: PairStream, options: TextOptions, ids: BinaryIO, starts: BinaryIO, progress: Callable[[int], None]
) -> tuple[Reading, dict[str, int]]:
    """Also how often each unit came, in order of appearance."""
    reading = Reading()
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    counts = np.zeros(0, dtype=np.int64)
    end = 0
    np.zeros(1, dtype=np.int64).tofile(starts)
    for references, translations in stream:
        flat: list[int] = []
        ends: list[int] = []
        for units in _sentences(references, translations, options, reading):
            flat += [number[unit] for unit in units]
            ends.append(end + len(flat))
        numbers = np.array(flat, dtype=np.int32)
        numbers.tofile(ids)
        np.array(ends, dtype=np.int64).tofile(starts)
        end += len(flat)
        counts = _added(counts, np.bincount(numbers, minlength=len(number)))
        progress(reading.pairs)
    return reading, dict(zip(number, counts.tolist(), strict=True))


def _sentences(
    references: Sequence[str], translations: Sequence[str], options: TextOptions, reading: Reading
) -> Iterator[list[str]]:
    """The units of each reference and then of its translation, of the pairs to train on."""
    for sides in zip(references, translations, strict=True):
        tokens = [words(side, options.tokens) for side in sides]
        if not (tokens[0] and tokens[1]):
            reading.empty += 1
            continue
        if max(map(len, tokens)) > options.max_tokens:
            reading.too_long += 1
            if options.long_pairs == "drop":
                continue
        reading.pairs += 1
        for side in tokens:
            kept = side[: options.max_tokens]
            yield kept if options.units == "words" else UNITS[options.units](" ".join(kept), "whitespace")


def _added(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    total = right.astype(np.int64)
    total[: len(left)] += left
    return total


def _renumber(path: Path, rows: np.ndarray) -> None:
    numbers = np.memmap(path, dtype=np.int32, mode="r+")
    for start in range(0, len(numbers), _REMAP_TOKENS):
        block = slice(start, start + _REMAP_TOKENS)
        numbers[block] = rows[numbers[block]]
    numbers.flush()

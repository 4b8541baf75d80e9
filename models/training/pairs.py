"""Pairs to train on: a stream that is read once, and the flat files that every epoch reads after."""

import contextlib
import itertools
import json
import logging
import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Protocol

import numpy as np
import xxhash

from ...base.checksums import is_intact, write_checksums
from ...base.errors import InputError, WorkspaceError
from ...base.whole_files import put_folder
from ..encoders.subword_units import SubwordVocabulary, load_vocabulary
from ..encoders.token_ids import Streams, TokenIds
from ..encoders.vocabulary import UNITS, Tags, Units, Vocabulary, most_frequent, tagged, words
from .train_options import TextOptions

logger = logging.getLogger(__name__)

_STATE = "finished.json"
_REMAP_TOKENS = 2**22  # tokens renumbered at once: 16 MiB
_CUT_SENTENCES = 10_000  # sentences cut into subwords at once


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

    @cached_property
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
    """Tokenised pairs in flat files of a folder: pair i is sentences 2i and 2i + 1 of each stream.

    On disk 4 bytes a unit and 16 a pair for each stream; in memory nothing that grows with the pairs.
    """

    def __init__(self, vocabularies: Sequence[Vocabulary], streams: Streams, reading: Reading) -> None:
        self.vocabularies = {vocabulary.units: vocabulary for vocabulary in vocabularies}
        self.streams = streams
        self.reading = reading

    def __len__(self) -> int:
        return self.reading.pairs

    def take(self, pairs: np.ndarray) -> Streams:
        """References, then translations, of the given pairs."""
        return self.streams.take(np.concatenate([2 * pairs, 2 * pairs + 1]))

    def rows(self) -> dict[Units, int]:
        """How many rows a table of each stream's vectors has."""
        return {units: len(vocabulary) for units, vocabulary in self.vocabularies.items()}

    def sample(self, pairs: np.ndarray, options: TextOptions, keep: Sequence[Units] = ()) -> "TokenCorpus":
        """The given pairs as a corpus in memory: the same as if they alone had been read with `options`.

        keep: the streams that keep their vocabulary; subwords always do.
        """
        vocabularies = dict(self.vocabularies)
        streams = self.streams.take(np.column_stack([2 * pairs, 2 * pairs + 1]).ravel())
        for units in streams.keys() - {*keep, "subwords"}:
            ids, known = streams[units], vocabularies[units]
            counts = np.bincount(ids.ids, minlength=len(known)).tolist()
            counted = {unit: n for unit, n in zip(known.entries, counts[1:], strict=True) if n}
            entries = most_frequent(counted, options.vocabulary_size, options.minimum_count)
            rows = np.zeros(len(known), np.int32)
            rows[[known.row(unit) for unit in entries]] = np.arange(1, len(entries) + 1)
            vocabularies[units] = Vocabulary(entries, units, options.tokens, options.tags)
            streams[units] = TokenIds(rows[ids.ids], ids.starts)
        return TokenCorpus(list(vocabularies.values()), streams, Reading(len(pairs)))


def commonest(counts: Mapping[str, int], units: Units, options: TextOptions) -> Vocabulary:
    """A vocabulary of the most frequent units. For subwords, `counts` are of words, and a model is
    trained."""
    if units == "subwords":
        return SubwordVocabulary.train(counts, options.subword_size, options.tokens)
    chosen = most_frequent(counts, options.vocabulary_size, options.minimum_count)
    return Vocabulary(chosen, units, options.tokens, options.tags)


def tokenise_pairs(
    stream: PairStream,
    options: TextOptions,
    folder: Path,
    aside: Path,
    streams: Sequence[Units],
    vocabularies: Sequence[Vocabulary] = (),
    key: str = "",
    progress: Callable[[int], None] = lambda pairs: None,
) -> TokenCorpus:
    """Reads a stream once, unless `folder` holds that stream's pairs already, whole and undamaged.

    aside: a folder of this attempt's own, empty and on the same file system. The corpus is built and mapped
    there, so the folder must stay for as long as the corpus is used; `folder` gets the finished files for
    later attempts. Hence several attempts may share `folder`: no file in it ever changes, and an attempt
    does not need it any more once it has its corpus.

    streams: the kinds of units to store. They are numbered in order of appearance while reading and
    renumbered once they are counted, so that the text is read and tokenised once. A stream without one of
    `vocabularies` has the most frequent units, equal counts in the order of code points. `progress` hears how
    many pairs are read. InputError where no pair is left, WorkspaceError where `aside` was removed meanwhile.
    """
    identity = json.dumps([key, stream.key, repr(options), list(streams)])
    own = aside / "tokens"
    own.mkdir()
    kept = _kept(folder, own, identity, options, streams)
    if kept is not None:
        return kept
    try:
        corpus = _build(stream, options, own, streams, vocabularies, identity, progress)
        _share(own, folder, aside)
    except FileNotFoundError:
        if own.is_dir():
            raise
        raise WorkspaceError(
            f"{aside} was removed while pairs were being read into it; another process may have taken "
            "this one for dead: train again"
        ) from None
    return corpus


def _kept(
    folder: Path, own: Path, identity: str, options: TextOptions, streams: Sequence[Units]
) -> TokenCorpus | None:
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
            vocabularies = [
                load_vocabulary(_path(own, units, "vocabulary"), units, options.tokens, options.tags)
                for units in streams
            ]
            return TokenCorpus(vocabularies, _mapped(own, streams), Reading(**state))
    else:
        logger.warning("the tokenised pairs in %s are damaged: they are made again", folder)
    shutil.rmtree(own)
    own.mkdir()
    return None


def _build(
    stream: PairStream,
    options: TextOptions,
    own: Path,
    streams: Sequence[Units],
    vocabularies: Sequence[Vocabulary],
    identity: str,
    progress: Callable[[int], None],
) -> TokenCorpus:
    with ExitStack() as files:
        writers = {units: _StreamWriter(own, units, options.tags, files) for units in streams}
        reading = _read(stream, options, writers, progress)
    if not reading.pairs:
        raise InputError(
            f"no pairs to train on: {reading.too_long} are longer than {options.max_tokens} tokens "
            f"and {reading.empty} have an empty side"
        )
    given = {vocabulary.units: vocabulary for vocabulary in vocabularies}
    chosen = [given.get(units) or writer.vocabulary(options) for units, writer in writers.items()]
    for vocabulary in chosen:
        writers[vocabulary.units].renumber(vocabulary)
        vocabulary.save(_path(own, vocabulary.units, "vocabulary"))
    (own / _STATE).write_text(json.dumps({"identity": identity, **asdict(reading)}), encoding="utf-8")
    write_checksums(own)
    return TokenCorpus(chosen, _mapped(own, streams), reading)


def _share(own: Path, folder: Path, aside: Path) -> None:
    """Put the finished files into `folder`, all at once, in place of what is there."""
    shared = aside / "shared"
    shared.mkdir()
    _link(own, shared)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Another attempt may do the same at this moment; it does not matter which of the two is kept.
    with contextlib.suppress(OSError):
        put_folder(shared, folder)


def _link(folder: Path, target: Path) -> None:
    """The files of a finished corpus in another folder, by links where the file system has them."""
    for name in [entry.name for entry in os.scandir(folder)]:
        try:
            os.link(folder / name, target / name)
        except FileNotFoundError:
            raise
        except OSError:
            shutil.copyfile(folder / name, target / name)


def _path(folder: Path, units: Units, name: str) -> Path:
    """The file of one stream: its ids, where its sentences start, or its vocabulary."""
    return folder / f"{units}.{name}"


def _mapped(folder: Path, streams: Sequence[Units]) -> Streams:
    return Streams(
        {
            units: TokenIds(
                np.memmap(_path(folder, units, "ids"), dtype=np.int32, mode="r"),
                np.memmap(_path(folder, units, "starts"), dtype=np.int64, mode="r"),
            )
            for units in streams
        }
    )


class _StreamWriter:
    """Writes the units of one stream as numbers in order of appearance, and counts them.

    Subwords are written as words, which are cut once the sentencepiece model is there.
    """

    def __init__(self, folder: Path, units: Units, tags: Tags, files: ExitStack) -> None:
        self._units, self._tags = units, tags
        self._folder, self._path = folder, _path(folder, units, "ids")
        self._ids = files.enter_context(self._path.open("wb"))
        self._starts = files.enter_context(_path(folder, units, "starts").open("wb"))
        self._number: defaultdict[str, int] = defaultdict()
        self._number.default_factory = self._number.__len__
        self._counts = np.zeros(0, dtype=np.int64)
        self._end = 0
        _append(self._starts, np.zeros(1, dtype=np.int64))

    def write(self, sentences: Sequence[list[str]]) -> None:
        """Adds sentences, given as words."""
        flat: list[int] = []
        ends: list[int] = []
        for kept in sentences:
            if self._units == "words":
                units = tagged(kept, self._tags)
            elif self._units == "subwords":
                units = kept
            else:
                units = UNITS[self._units](" ".join(kept), "cased_whitespace")
            flat += [self._number[unit] for unit in units]
            ends.append(self._end + len(flat))
        numbers = np.array(flat, dtype=np.int32)
        _append(self._ids, numbers)
        _append(self._starts, np.array(ends, dtype=np.int64))
        self._end += len(flat)
        counts = np.bincount(numbers, minlength=len(self._number)).astype(np.int64)
        counts[: len(self._counts)] += self._counts
        self._counts = counts

    def vocabulary(self, options: TextOptions) -> Vocabulary:
        """The most frequent units; for subwords the pieces of a new model."""
        counts = dict(zip(self._number, self._counts.tolist(), strict=True))
        return commonest(counts, self._units, options)

    def renumber(self, vocabulary: Vocabulary) -> None:
        """Replaces the numbers in the closed files by the rows of a vocabulary."""
        if isinstance(vocabulary, SubwordVocabulary):
            self._cut(vocabulary)
            return
        rows = np.array([vocabulary.row(unit) for unit in self._number], dtype=np.int32)
        numbers = np.memmap(self._path, dtype=np.int32, mode="r+")
        for start in range(0, len(numbers), _REMAP_TOKENS):
            block = slice(start, start + _REMAP_TOKENS)
            numbers[block] = rows[numbers[block]]
        numbers.flush()

    def _cut(self, vocabulary: SubwordVocabulary) -> None:
        """Replaces words by the rows of their sentences' pieces."""
        words = np.array([*self._number, ""], dtype=object)[:-1]
        whole = _mapped(self._folder, [self._units])[self._units]
        with ExitStack() as stack:
            files = {
                name: stack.enter_context(_path(self._folder, self._units, f"{name}.new").open("wb"))
                for name in ("ids", "starts")
            }
            _append(files["starts"], np.zeros(1, dtype=np.int64))
            end = 0
            for start in range(0, len(whole), _CUT_SENTENCES):
                block = whole.take(np.arange(start, min(start + _CUT_SENTENCES, len(whole))))
                sentences = [" ".join(words[block.ids[a:b]]) for a, b in itertools.pairwise(block.starts)]
                pieces = vocabulary.rows(sentences)
                _append(files["ids"], pieces.ids)
                _append(files["starts"], pieces.starts[1:] + end)
                end += int(pieces.starts[-1])
        for name in files:
            os.replace(
                _path(self._folder, self._units, f"{name}.new"), _path(self._folder, self._units, name)
            )


def _read(
    stream: PairStream,
    options: TextOptions,
    writers: Mapping[Units, _StreamWriter],
    progress: Callable[[int], None],
) -> Reading:
    reading = Reading()
    for references, translations in stream:
        sentences = list(_sentences(references, translations, options, reading))
        for writer in writers.values():
            writer.write(sentences)
        progress(reading.pairs)
    return reading


def _sentences(
    references: Sequence[str], translations: Sequence[str], options: TextOptions, reading: Reading
) -> Iterator[list[str]]:
    """The words of each reference and then of its translation, of the pairs to train on."""
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
        yield from (side[: options.max_tokens] for side in tokens)


def _append(file: IO[bytes], numbers: np.ndarray) -> None:
    """Writes numbers. The error of a full disk says so, which that of `numpy.ndarray.tofile` does not."""
    file.write(np.ascontiguousarray(numbers).data)

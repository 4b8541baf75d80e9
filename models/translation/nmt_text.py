"""The text for training a translation model: cleaned, without the development pairs, cut into subwords."""

import contextlib
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import sentencepiece

from ...base.errors import InputError, RecipeError
from ...base.hashing import mixed, seeded_hash
from ...tokens.definition import normalise

# Longer sentences cost quadratic time and help little; the same limit applies to both sides.
_LONGEST = 250
_SENTENCES_FOR_SUBWORDS = 2_000_000
_LEAST_PAIRS = 20

Pair = tuple[str, str]


@dataclass(frozen=True)
class NmtText:
    """Files of a folder with one sentence a line, `<name>.source` and `<name>.reference`, and their sizes.

    `train` and `dev` are text, `train.pieces` and `dev.pieces` are the same sentences in subwords. skipped:
    pairs with a side that is empty or longer than 250 subwords.
    """

    folder: Path
    train_pairs: int
    dev_pairs: int
    skipped: int

    def dev(self) -> list[Pair]:
        """The development pairs as text."""
        return list(_read(self.folder, "dev"))


def prepare_text(
    pairs: Iterable[Pair],
    folder: Path,
    vocabulary: int,
    dev_pairs: int,
    seed: int,
    symbols: Sequence[str] = (),
) -> NmtText:
    """Write the files of an `NmtText`, and the sentencepiece model `spm.model`, into `folder`.

    No normalised sentence of a development pair stands on either side of a training pair: pairs that share a
    sentence, on whichever side and directly or through other pairs, form a group, and the development pairs
    are whole groups, chosen by a seeded hash. So translations of the same sentence, and a pair in both
    directions, stay together. Symbols are not part of a sentence. There are at most `dev_pairs` development
    pairs, and at most a tenth of all pairs; larger groups are trained on. If every group is larger, the
    smallest one is held out. Memory holds some numbers for each pair, never the text. symbols: see
    `train_subwords`.
    """
    given, hashes = _write_clean(pairs, folder, seed, frozenset(symbols))
    clean = hashes.shape[1]
    if clean < _LEAST_PAIRS:
        raise InputError(
            f"expected at least {_LEAST_PAIRS} pairs with both sides to train on, got {clean}; "
            "check the bitext"
        )
    _split_dev(folder, _held_out(hashes, min(dev_pairs, clean // 10), seed))
    train_subwords(folder, vocabulary, seed, symbols)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spm.model"))
    train, long_train = _write_pieces(folder, "train", processor)
    dev, long_dev = _write_pieces(folder, "dev", processor)
    if not train or not dev:
        raise InputError(
            f"of {given} pairs, {train} are left for training and {dev} for validation; "
            "expected at least one of each: give more pairs"
        )
    return NmtText(folder, train, dev, given - clean + long_train + long_dev)


def train_subwords(folder: Path, vocabulary: int, seed: int, symbols: Sequence[str] = ()) -> None:
    """Train one BPE model for both sides of `train`, at `spm.model`; little text gives fewer types.

    symbols: words that are never cut, in addition to the vocabulary.
    """
    sentences = itertools.chain.from_iterable(_read(folder, "train"))
    model = io.BytesIO()  # a file that sentencepiece writes itself has the file's path in it
    sentencepiece.set_random_generator_seed(seed & 0x7FFFFFFF)
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=sentences,
            model_writer=model,
            vocab_size=vocabulary + len(symbols),
            user_defined_symbols=list(symbols),
            model_type="bpe",
            character_coverage=0.9995,
            hard_vocab_limit=False,
            input_sentence_size=_SENTENCES_FOR_SUBWORDS,
            shuffle_input_sentence=True,
            num_threads=1,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise RecipeError(
            f"no vocabulary of {vocabulary} subwords could be learned: {error}; choose another size"
        ) from error
    (folder / "spm.model").write_bytes(model.getvalue())


def _write_clean(
    pairs: Iterable[Pair], folder: Path, seed: int, symbols: AbstractSet[str]
) -> tuple[int, np.ndarray]:
    """The number of pairs given, and the hashes of both sides of each pair written to `all`, (2, pairs)."""
    given = 0
    written: list[np.ndarray] = []
    block: list[str] = []
    with _writer(folder, "all") as (sources, references):
        for source, reference in pairs:
            given += 1
            # White space of any kind becomes a space, because a line is a sentence from here on.
            source, reference = " ".join(source.split()), " ".join(reference.split())
            if not source or not reference:
                continue
            sources.write(source + "\n")
            references.write(reference + "\n")
            block += [normalise(_without(symbols, side)) for side in (source, reference)]
            if len(block) >= 200_000:
                written.append(seeded_hash(block, seed))
                block = []
    written.append(seeded_hash(block, seed))
    return given, np.concatenate(written).reshape(-1, 2).T


def _without(symbols: AbstractSet[str], sentence: str) -> str:
    """The sentence without symbols that are words of it."""
    return " ".join(word for word in sentence.split(" ") if word not in symbols) if symbols else sentence


def _held_out(hashes: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Which pairs are held out, (pairs,) bool: whole groups with at most `count` pairs together.

    hashes: of both sides of each pair, (2, pairs). InputError if all pairs are one group.
    """
    names, groups, sizes = np.unique(_groups(hashes), return_inverse=True, return_counts=True)
    if len(sizes) == 1:
        raise InputError(
            f"all {len(groups)} pairs are connected by sentences that they share, so none can be held out; "
            "give pairs of other sentences too"
        )
    chosen, smallest = np.zeros(len(sizes), np.bool_), sizes.min()
    left = max(count, smallest)
    for group in np.argsort(mixed(names, seed)):
        if sizes[group] <= left:
            chosen[group] = True
            left -= sizes[group]
        if left < smallest:
            break
    held_out: np.ndarray = chosen[groups]
    return held_out


def _groups(hashes: np.ndarray) -> np.ndarray:
    """For each pair, the lowest hash of the pairs that shared hashes connect it with; (pairs,)."""
    values, places = np.unique(hashes, return_inverse=True)
    left, right = places.reshape(hashes.shape)
    lowest = np.arange(len(values))  # for each hash another one of its group; in the end the lowest
    while (lowest[left] != lowest[right]).any():
        ours, theirs = lowest[left], lowest[right]
        np.minimum.at(lowest, ours, theirs)
        np.minimum.at(lowest, theirs, ours)
        while (lowest != (further := lowest[lowest])).any():
            lowest = further
    groups: np.ndarray = values[lowest[left]]
    return groups


def _split_dev(folder: Path, held_out: np.ndarray) -> None:
    """Write `train` and `dev` from `all`, which is removed."""
    with _writer(folder, "train") as train, _writer(folder, "dev") as dev:
        for pair, is_held_out in zip(_read(folder, "all"), held_out.tolist(), strict=True):
            for file, text in zip(dev if is_held_out else train, pair, strict=True):
                file.write(text + "\n")
    for side in ("source", "reference"):
        (folder / f"all.{side}").unlink()


def _write_pieces(
    folder: Path, name: str, processor: sentencepiece.SentencePieceProcessor
) -> tuple[int, int]:
    """Write `<name>.pieces`; return how many pairs were written and how many were too long."""
    written = long = 0
    pairs = _read(folder, name)
    with _writer(folder, f"{name}.pieces") as files:
        while block := list(itertools.islice(pairs, 10_000)):
            sources, references = zip(*block, strict=True)
            encoded = (processor.encode(list(side), out_type=str) for side in (sources, references))
            for pieces in zip(*encoded, strict=True):
                if max(map(len, pieces)) > _LONGEST:
                    long += 1
                    continue
                written += 1
                for file, tokens in zip(files, pieces, strict=True):
                    file.write(" ".join(tokens) + "\n")
    return written, long


@contextlib.contextmanager
def _writer(folder: Path, name: str) -> Iterator[tuple[TextIO, TextIO]]:
    with open(folder / f"{name}.source", "w", encoding="utf-8", newline="\n") as sources:
        with open(folder / f"{name}.reference", "w", encoding="utf-8", newline="\n") as references:
            yield sources, references


def _read(folder: Path, name: str) -> Iterator[Pair]:
    with open(folder / f"{name}.source", encoding="utf-8", newline="\n") as sources:
        with open(folder / f"{name}.reference", encoding="utf-8", newline="\n") as references:
            for source, reference in zip(sources, references, strict=True):
                yield source.rstrip("\n"), reference.rstrip("\n")

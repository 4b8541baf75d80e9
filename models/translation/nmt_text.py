"""The text for training a translation model: cleaned, without the development pairs, cut into subwords."""

import contextlib
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import sentencepiece

from ...base.errors import InputError, RecipeError
from ...base.hashing import seeded_hash
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

    The development pairs are those whose normalised source has the lowest seeded hash, so no copy of their
    sources is trained on. There are about `dev_pairs` of them, at most a tenth of all pairs. Memory holds a
    hash for each pair, never the text. symbols: see `train_subwords`.
    """
    given, hashes = _write_clean(pairs, folder, seed)
    if len(hashes) < _LEAST_PAIRS:
        raise InputError(
            f"expected at least {_LEAST_PAIRS} pairs with both sides to train on, got {len(hashes)}; "
            "check the bitext"
        )
    _split_dev(folder, hashes, min(dev_pairs, len(hashes) // 10))
    train_subwords(folder, vocabulary, seed, symbols)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spm.model"))
    train, long_train = _write_pieces(folder, "train", processor)
    dev, long_dev = _write_pieces(folder, "dev", processor)
    if not train or not dev:
        raise InputError(
            f"of {given} pairs, {train} are left for training and {dev} for validation; "
            "expected at least one of each: give more pairs"
        )
    return NmtText(folder, train, dev, given - len(hashes) + long_train + long_dev)


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


def _write_clean(pairs: Iterable[Pair], folder: Path, seed: int) -> tuple[int, np.ndarray]:
    """The number of pairs given, and the hash of each pair written to `all`."""
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
            block.append(normalise(source))
            if len(block) == 100_000:
                written.append(seeded_hash(block, seed))
                block = []
    written.append(seeded_hash(block, seed))
    return given, np.concatenate(written)


def _split_dev(folder: Path, hashes: np.ndarray, count: int) -> None:
    """Write `train` and `dev` from `all`: `dev` gets the lowest hashes, `train` none of their copies."""
    last = np.partition(hashes, max(count - 1, 0))[max(count - 1, 0)]
    left = count
    with _writer(folder, "train") as train, _writer(folder, "dev") as dev:
        for pair, held_out in zip(_read(folder, "all"), (hashes <= last).tolist(), strict=True):
            if held_out and left <= 0:
                continue
            left -= held_out
            for file, text in zip(dev if held_out else train, pair, strict=True):
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

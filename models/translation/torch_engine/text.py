"""Sentences to a model's token ids and back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ....base.documents import read_json
from ....base.errors import ModelError
from ..subwords import MarianSubwords, Subwords, pieces_of

_FAIRSEQ_UNKNOWN = 3


class Text(Protocol):
    """Both sides of a model's vocabulary. Ids never include the end symbol."""

    def sources(self, sentences: Sequence[str]) -> list[list[int]]:
        """Source token ids of each sentence; none for an empty or blank one."""
        ...

    def targets(self, sentences: Sequence[str]) -> list[list[int]]:
        """Target token ids of each sentence."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """The text of target token ids."""
        ...

    def symbols(self) -> tuple[list[str], list[str]]:
        """The symbols of the source and of the target side, by their ids."""
        ...

    def same_as(self, other: "Text") -> bool:
        """Whether both give every sentence the same ids."""
        ...


class FairseqText:
    """fairseq's dictionaries, with one subword model for both sides, or with words split at spaces."""

    def __init__(self, subwords: Subwords, source: Sequence[str], target: Sequence[str]) -> None:
        self._subwords = subwords
        self._source = {symbol: number for number, symbol in enumerate(source)}
        self._target = {symbol: number for number, symbol in enumerate(target)}
        self._both = list(source), list(target)

    def sources(self, sentences: Sequence[str]) -> list[list[int]]:
        return _numbered(self._subwords.encode(sentences), self._source, _FAIRSEQ_UNKNOWN)

    def targets(self, sentences: Sequence[str]) -> list[list[int]]:
        return _numbered(self._subwords.encode_targets(sentences), self._target, _FAIRSEQ_UNKNOWN)

    def decode(self, ids: Sequence[int]) -> str:
        return self._subwords.decode(self._both[1][number] for number in ids)

    def symbols(self) -> tuple[list[str], list[str]]:
        return self._both

    def same_as(self, other: Text) -> bool:
        return (
            isinstance(other, FairseqText)
            and self._both == other._both
            and self._subwords.model == other._subwords.model
        )


class MarianText:
    """A Marian model's two sentencepiece models over its `vocab.json` (and `target_vocab.json`).

    The network has a row for each of `source_types` and `target_types` pieces. begin: as for
    `MarianSubwords`.
    """

    def __init__(self, folder: Path, source_types: int, target_types: int, begin: str | None = None) -> None:
        self._types = source_types, target_types
        target_vocabulary = folder / "target_vocab.json"
        self._source = _vocabulary(folder / "vocab.json", source_types)
        self._target = _vocabulary(
            target_vocabulary if target_vocabulary.is_file() else folder / "vocab.json", target_types
        )
        self._symbols = {number: symbol for symbol, number in self._target.items()}
        self._subwords = MarianSubwords(folder, begin)

    def sources(self, sentences: Sequence[str]) -> list[list[int]]:
        return _numbered(self._subwords.encode(sentences), self._source, self._source["<unk>"])

    def targets(self, sentences: Sequence[str]) -> list[list[int]]:
        return _numbered(self._subwords.encode_targets(sentences), self._target, self._target["<unk>"])

    def decode(self, ids: Sequence[int]) -> str:
        return self._subwords.decode(self._symbols.get(number, "<unk>") for number in ids)

    def symbols(self) -> tuple[list[str], list[str]]:
        source, target = self._types
        return filled(_in_order(self._source), source), filled(_in_order(self._target), target)

    def same_as(self, other: Text) -> bool:
        if not isinstance(other, MarianText) or self._source != other._source:
            return False
        return self._target == other._target and self._subwords.same_as(other._subwords)


def m2m_symbols(folder: Path, subwords: Path, types: int, languages: Sequence[str]) -> list[str]:
    """The symbols of M2M-100 (with `vocab.json`) or NLLB-200 in the order of their ids.

    types: the rows of the network. languages: the languages' tokens, which follow the pieces.
    """
    if (folder / "vocab.json").is_file():
        pieces = _in_order(_vocabulary(folder / "vocab.json", types))
    else:
        # sentencepiece has its own first three symbols instead of these four.
        pieces = ["<s>", "<pad>", "</s>", "<unk>", *pieces_of(subwords)[3:]]
    if pieces[: _FAIRSEQ_UNKNOWN + 1] != ["<s>", "<pad>", "</s>", "<unk>"]:
        raise ModelError(f"{folder}: expected the symbols <s>, <pad>, </s> and <unk> first; got {pieces[:4]}")
    symbols = [*pieces, *languages]
    if len(symbols) > types:
        raise ModelError(
            f"{folder}: {len(pieces):,} pieces and {len(languages)} languages are more than the "
            f"{types:,} rows of the network: these are the files of different models"
        )
    return filled(symbols, types)


def _numbered(rows: list[list[str]], ids: dict[str, int], unknown: int) -> list[list[int]]:
    return [[ids.get(token, unknown) for token in row] for row in rows]


def _in_order(ids: dict[str, int]) -> list[str]:
    """Symbols by their numbers; a number without a symbol gets one that occurs in no text."""
    named = {number: symbol for symbol, number in ids.items()}
    return [named.get(number) or _nameless(number) for number in range(max(named) + 1)]


def filled(symbols: list[str], types: int) -> list[str]:
    """As many symbols as the network has rows; rows without a name get one that occurs in no text."""
    return symbols + [_nameless(number) for number in range(len(symbols), types)]


def _nameless(number: int) -> str:
    return f"<no symbol {number}>"


def _vocabulary(path: Path, types: int) -> dict[str, int]:
    try:
        numbers = read_json(path)
    except (OSError, ValueError) as error:
        raise ModelError(f"the vocabulary {path} cannot be read: {error}") from error
    if not isinstance(numbers, dict) or {int} != set(map(type, numbers.values())):
        raise ModelError(f"{path}: expected an object of pieces and their numbers")
    for symbol, number in numbers.items():
        if not 0 <= number < types:
            raise ModelError(
                f"{path}: {symbol!r} has the number {number}, but the network has {types} pieces"
            )
    for symbol in ("</s>", "<unk>"):
        if symbol not in numbers:
            raise ModelError(f"{path} does not have the symbol {symbol}")
    return numbers

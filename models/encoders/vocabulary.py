"""From text to rows of an embedding table: the units of a sentence, and each unit's row."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from ...base.documents import read_document
from ...base.errors import ModelError
from ...base.whole_files import written_whole
from ...tokens.definition import EncoderTokens, cut_and_case, tokenize
from .moses_tokens import moses_tokens

Units = Literal["words", "trigrams", "subwords"]
Tags = Literal["none", "start", "end", "both"]
START_TAG, END_TAG = "<s>", "</s>"
TAG_UNITS: dict[Tags, tuple[str, ...]] = {
    "none": (),
    "start": (START_TAG,),
    "end": (END_TAG,),
    "both": (START_TAG, END_TAG),
}
"""The units that mark the ends of a sentence."""

UNKNOWN_ROW = 0  # shared by all units without a row of their own; it counts in a mean like any other


def words(sentence: str, tokens: EncoderTokens = "words") -> list[str]:
    """The tokens, lower-cased unless they are cased ones, in training and in evaluation alike.

    >>> words("It rained."), words("It rained.", "cased_words")
    (['it', 'rained', '.'], ['It', 'rained', '.'])
    """
    cut, lower_case = cut_and_case(tokens)
    found = moses_tokens(sentence) if cut == "moses" else tokenize(sentence, cut)
    return [token.lower() for token in found] if lower_case else found


def trigrams(sentence: str, tokens: EncoderTokens = "words") -> list[str]:
    """All runs of three characters of the words, joined and padded by single spaces.

    The spaces count as characters, so trigrams cross words. ParaNMT, section 4.1.

    >>> trigrams("It is")
    [' it', 'it ', 't i', ' is', 'is ']
    """
    text = f" {' '.join(words(sentence, tokens))} "
    return [text[start : start + 3] for start in range(len(text) - 2)]


def tagged(units: list[str], tags: Tags) -> list[str]:
    """The units of a sentence with those that mark its start and its end; an empty sentence has no marks.

    >>> tagged(["it", "rained"], "end"), tagged([], "both")
    (['it', 'rained', '</s>'], [])
    """
    if not units:
        return units
    return [START_TAG] * (START_TAG in TAG_UNITS[tags]) + units + [END_TAG] * (END_TAG in TAG_UNITS[tags])


UNITS: dict[str, Callable[[str, EncoderTokens], list[str]]] = {"words": words, "trigrams": trigrams}
"""How sentences are cut into units without a model; subwords need one (`subwords.SubwordVocabulary`)."""


class Vocabulary:
    """The units that have a row; all others share row 0.

    entries: the units of rows 1, 2, … in that order, without repeats. units: what a sentence is cut into.
    tokens: how `words` cuts it first. tags: which ends of a sentence have a unit of their
    own; only words have them.
    """

    def __init__(
        self,
        entries: Sequence[str],
        units: Units = "words",
        tokens: EncoderTokens = "words",
        tags: Tags = "none",
    ) -> None:
        self.entries = list(entries)
        self.units: Units = units
        self.tokens: EncoderTokens = tokens
        self.tags: Tags = tags if units == "words" else "none"
        self._row = {entry: row for row, entry in enumerate(self.entries, start=1)}
        if len(self._row) != len(self.entries):
            raise ModelError(
                f"a vocabulary must not repeat a unit; this one repeats {len(self.entries) - len(self._row)}"
            )

    def __len__(self) -> int:
        """Rows of the embedding table: the entries and the shared row."""
        return len(self.entries) + 1

    def ids(self, sentence: str) -> list[int]:
        """The row of each unit of the sentence; the empty sentence has none."""
        row = self._row
        units = tagged(UNITS[self.units](sentence, self.tokens), self.tags)
        return [row.get(unit, UNKNOWN_ROW) for unit in units]

    def row(self, unit: str) -> int:
        """The row of one unit."""
        return self._row.get(unit, UNKNOWN_ROW)

    @property
    def content(self) -> bytes:
        """Another wherever rows or units are others."""
        return "\n".join(self.entries).encode()

    def save(self, path: Path) -> None:
        """Writes one unit a line, in the order of rows, as UTF-8."""
        with written_whole(path) as file:
            file.write("".join(f"{entry}\n" for entry in self.entries).encode())

    @classmethod
    def load(cls, path: Path, units: Units, tokens: EncoderTokens, tags: Tags = "none") -> "Vocabulary":
        """Reads a file that `save` wrote; ModelError if it cannot be read."""
        try:
            text = read_document(path).decode("utf-8")
        except FileNotFoundError:
            raise ModelError(
                f"{path.parent} has no {path.name}, which the folder of an encoder must have"
            ) from None
        except UnicodeDecodeError as error:
            raise ModelError(
                f"{path} is not UTF-8 ({error.reason} at byte {error.start}): it is damaged"
            ) from None
        except ValueError as error:
            raise ModelError(f"{path}: {error}; it is damaged") from None
        # Not splitlines: a unit may hold another of Unicode's line separators.
        return cls(text.removesuffix("\n").split("\n") if text else [], units, tokens, tags)


def most_frequent(counts: Mapping[str, int], size: int, minimum_count: int = 1) -> list[str]:
    """The `size` most frequent units, most frequent first; equal counts in the order of code points.

    >>> most_frequent({"b": 2, "a": 2, "c": 3, "d": 1}, size=10, minimum_count=2)
    ['c', 'a', 'b']
    """
    frequent = [unit for unit, count in counts.items() if count >= minimum_count]
    return sorted(frequent, key=lambda unit: (-counts[unit], unit))[:size]

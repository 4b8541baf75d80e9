"""Examples that people labelled or scored: the forms of their files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...base.documents import parse_json
from ...base.errors import InputError
from ...base.streams import numbered_lines, utf8_lines
from ..encoders.vocabulary import words
from .train_options import TextOptions

NLI_LABELS = ("entailment", "neutral", "contradiction")
# Of SNLI and MultiNLI, and of their copies with numbers as labels, where people did not agree.
_UNLABELLED = {"nli": ("-", "-1", "")}

_MOST_CHARACTERS = 1 << 30
"""Of the sentences of all files: six times those of SNLI and MultiNLI together."""

# The names that a column, or a key of JSON, may have. All are compared in lower case.
_LEFT = ("sentence1", "sentence_a", "premise")
_RIGHT = ("sentence2", "sentence_b", "hypothesis")
NLI_COLUMNS = (_LEFT, _RIGHT, ("gold_label", "label", "entailment_judgment"))
_COLUMNS: dict[str, tuple[tuple[str, ...], ...]] = {
    "nli": NLI_COLUMNS,
    "relatedness": (_LEFT, _RIGHT, ("score", "relatedness_score", "similarity")),
    "classification": (("sentence", "text"), ("label",)),
}
_BENCHMARK = (5, 6, 4)  # the sentences and the score of a line of the STS Benchmark


@dataclass(frozen=True)
class Examples:
    """Sentences, or pairs of them, each with a label or a score as it is in the file.

    sides: one or two columns of sentences. places: the file and the line of each. unlabelled: how many more
    there are without a label. too_long: how many were dropped, or cut, because of their length.
    """

    sides: tuple[tuple[str, ...], ...]
    answers: tuple[str, ...]
    places: tuple[str, ...]
    unlabelled: int = 0
    too_long: int = 0

    def __len__(self) -> int:
        return len(self.answers)


def read_examples(files: Sequence[str], objective: str) -> Examples:
    """The examples of one or more files, in their order.

    A file has a JSON object a line (SNLI, MultiNLI), or columns with tabs between: those that the first line
    names (SICK, SNLI), or else the sentences and then the answer. For `relatedness`, lines with seven or more
    columns and no names are those of the STS Benchmark. InputError for a line that is none of these, for a
    file without an example, and for more examples than training holds in memory.
    """
    rows: list[tuple[str, ...]] = []
    places: list[str] = []
    unlabelled = size = 0
    for file in files:
        before = len(rows)
        for number, row in _rows(file, objective):
            if row[-1].strip() in _UNLABELLED.get(objective, ()):
                unlabelled += 1
                continue
            size += sum(map(len, row))
            if size > _MOST_CHARACTERS:
                raise InputError(
                    f"{file}, line {number:,}: expected at most {_MOST_CHARACTERS:,} characters of examples, "
                    "but there are more: is it the right file?"
                )
            rows.append(row)
            places.append(f"{file}, line {number}")
        if len(rows) == before:
            raise InputError(f"{file}: expected examples with a label or a score, found none")
    *sides, answers = zip(*rows, strict=True)
    return Examples(tuple(sides), tuple(map(str.strip, answers)), tuple(places), unlabelled)


def shortened(examples: Examples, text: TextOptions) -> Examples:
    """The examples without those with a side of more than `text.max_tokens`, or with these sides cut."""
    lengths = [[len(words(sentence, text.tokens)) for sentence in side] for side in examples.sides]
    is_long = np.max(lengths, axis=0) > text.max_tokens
    if text.long_pairs == "cut":
        sides = tuple(tuple(_cut(sentence, text) for sentence in side) for side in examples.sides)
        return Examples(sides, examples.answers, examples.places, examples.unlabelled, int(is_long.sum()))
    kept = np.flatnonzero(~is_long).tolist()
    if not kept:
        raise InputError(f"all {len(examples)} examples are longer than {text.max_tokens} tokens")
    return Examples(
        tuple(tuple(side[row] for row in kept) for side in examples.sides),
        tuple(examples.answers[row] for row in kept),
        tuple(examples.places[row] for row in kept),
        examples.unlabelled,
        int(is_long.sum()),
    )


def _cut(sentence: str, text: TextOptions) -> str:
    tokens = words(sentence, text.tokens)
    return " ".join(tokens[: text.max_tokens]) if len(tokens) > text.max_tokens else sentence


def values_of(record: Mapping[str, object], columns: Sequence[Sequence[str]]) -> list[object]:
    """The value of each column in a JSON object: that of the first of its names that is a key, or None."""
    values = {key.lower(): value for key, value in record.items()}
    return [next((values[name] for name in names if name in values), None) for names in columns]


def is_entailment(answer: str) -> bool:
    """Whether a label says that the first sentence entails the second; in copies with numbers, 0 does."""
    return _named(answer.strip()) in (NLI_LABELS[0], "0")


def labels_of(examples: Examples) -> tuple[str, ...]:
    """The different labels, in alphabetical order; those of natural language inference in their usual one.

    The numbers 0, 1 and 2 together stand for entailment, neutral and contradiction.
    """
    labels = {_named(answer) for answer in examples.answers}
    if labels == {"0", "1", "2"} or labels == set(NLI_LABELS):
        return NLI_LABELS
    return tuple(sorted(labels))


def label_numbers(examples: Examples, labels: Sequence[str]) -> np.ndarray:
    """The place of each example's label in `labels`, (n,) int64. InputError for another label."""
    number = {label: place for place, label in enumerate(labels)}
    if tuple(labels) == NLI_LABELS:
        number |= {str(place): place for place in range(3)}
    for answer, place in zip(examples.answers, examples.places, strict=True):
        if _named(answer) not in number:
            raise InputError(f"{place}: expected a label {', '.join(labels)}, got {answer[:60]!r}")
    return np.array([number[_named(answer)] for answer in examples.answers], dtype=np.int64)


def scores_of(examples: Examples) -> np.ndarray:
    """The score of each example, (n,) float64. InputError for an answer that is not a finite number."""
    scores = np.empty(len(examples))
    for row, (answer, place) in enumerate(zip(examples.answers, examples.places, strict=True)):
        try:
            scores[row] = float(answer)
        except ValueError:
            scores[row] = np.nan
        if not np.isfinite(scores[row]):
            raise InputError(f"{place}: expected a score, got {answer[:60]!r}")
    return scores


def _named(answer: str) -> str:
    """A label in lower case if it is one of inference, as SICK's ENTAILMENT."""
    return answer.lower() if answer.lower() in NLI_LABELS else answer


def _rows(file: str, objective: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The fields of each example, the answer last, with the number of its line."""
    columns = _COLUMNS[objective]
    expected = f"{', '.join(names[0] for names in columns)}"
    places: Sequence[int] | None = None
    for number, line in utf8_lines(file, numbered_lines(file)):
        if not line.strip():
            continue
        if line.startswith("{"):
            yield number, _of_json(line, columns, f"{file}, line {number}")
            continue
        fields = line.split("\t")  # there is no quoting: a quote is a character of a sentence
        if places is None:
            named = [field.strip().lower() for field in fields]
            found = [next((named.index(name) for name in names if name in named), -1) for names in columns]
            if min(found) >= 0:
                places = found
                continue
            is_benchmark = objective == "relatedness" and len(fields) > max(_BENCHMARK)
            places = _BENCHMARK if is_benchmark else range(len(columns))
        if len(fields) <= max(places):
            raise InputError(
                f"{file}, line {number}: expected {expected} with tabs between, or a JSON object with these "
                f"keys, got {line[:60]!r}"
            )
        yield number, tuple(fields[place] for place in places)


def _of_json(line: str, columns: Sequence[Sequence[str]], place: str) -> tuple[str, ...]:
    try:
        record = parse_json(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: expected a JSON object, but {error}") from None
    row = []
    for names, value in zip(columns, values_of(record, columns), strict=True):
        if not isinstance(value, str | int | float):
            raise InputError(f"{place}: expected a text or a number at the key {' or '.join(names)}")
        row.append(str(value))
    return tuple(row)

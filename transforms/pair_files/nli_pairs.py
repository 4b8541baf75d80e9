"""SNLI and MultiNLI as JSON lines: a premise and the sentence that it entails, as a pair."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.documents import parse_json
from .pair_format import Pair, PairBlock, PairFormat, Unusable, read_lines

if TYPE_CHECKING:
    from .pair_file_options import PairFileOptions


def read_nli(path: str, options: "PairFileOptions") -> Iterator[PairBlock]:
    """The pairs of which the first sentence entails the second; the label `-` means that people disagreed.

    Keys and labels are those of `read_examples`, which reads such files to train a classifier.
    """
    # imports what reading a recipe does not need
    from ...models.training.examples import NLI_COLUMNS, is_entailment, values_of

    labels = NLI_COLUMNS[2]
    names: list[tuple[str, ...]] = [(str(name).lower(),) for name in options.columns or ()]
    names = names or [*NLI_COLUMNS[:2]]

    def pairs_of(line: str) -> list[Pair]:
        try:
            values = parse_json(line)
        except (ValueError, RecursionError):
            raise Unusable("expected a JSON object on each line") from None
        record = values if isinstance(values, dict) else {}
        first, second, label = values_of(record, [*names, labels])
        if label is None:
            raise Unusable(f"expected a JSON object with the key {' or '.join(labels)}")
        if not (isinstance(first, str) and isinstance(second, str)):
            expected = " and ".join(each[0] for each in names)
            raise Unusable(f"expected sentences as {expected} (set `columns` to other keys)")
        if not is_entailment(str(label)):
            raise Unusable("not an entailment", is_malformed=False)
        return [Pair(first, second)]

    return read_lines(path, pairs_of)


NLI = PairFormat(read_nli, frozenset(("columns",)))

"""Inputs whose source and reference look swapped, by the languages of the first rows of each corpus."""

from ...filters.language import LANGUAGES, likeliest_language
from ...transforms.bitexts.readers import read_records
from ..recipe.name import INGEST
from ..stages.planned import Plan

_ROWS = 200


def swapped_sides(plan: Plan) -> list[str]:
    """A warning for each corpus of which more rows have their languages swapped than right.

    The languages are those that py3langid finds in the first rows of the corpus's first file. It must know
    both, and they must differ. Nothing is read once the plan's `ingest` is fresh.
    """
    if plan.condition(INGEST).state == "fresh":
        return []
    first = {task.file.corpus: task.file for task in reversed(plan.ingest_tasks)}
    warnings = []
    for entry in plan.recipe.bitext:
        languages = (_code(entry.source_language), _code(entry.reference_language))
        if not {*languages} <= LANGUAGES or languages[0] == languages[1]:
            continue
        batch = next(read_records(first[entry.corpus], plan.recipe.ingest.max_characters, _ROWS), None)
        if batch is None:
            continue
        sides = (likeliest_language(batch.pairs[side].combine_chunks()) for side in ("source", "reference"))
        found = list(zip(*(side.to_pylist() for side in sides), strict=True))
        swapped = found.count((languages[1], languages[0]))
        if swapped > found.count(languages):
            warnings.append(
                f"warning: corpus {entry.corpus}: source and reference look swapped: of the first "
                f"{len(found):,} pairs, {swapped:,} have a source in {languages[1]} and a reference in "
                f"{languages[0]}; correct the entry, unless this is how it should be"
            )
    return warnings


def _code(language: str | None) -> str:
    """The language of a code such as cs-CZ; empty for none."""
    return (language or "").replace("_", "-").partition("-")[0].lower()

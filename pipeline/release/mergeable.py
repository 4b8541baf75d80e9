"""Whether releases can be merged: they must agree in everything that gives a column its meaning."""

from collections.abc import Iterator, Sequence

from ...base.dataset_columns import DUPLICATE_OF
from ...base.errors import InputError
from ..manifest.release_summary import ReleaseSummary
from .open_release import Release

_STATED = ("licence", "domain", "source_language")


def check_mergeable(releases: Sequence[Release], manifests: Sequence[ReleaseSummary]) -> None:
    """InputError that names the first difference which keeps releases from being merged.

    They must have the same columns, scores with the same options and models, selections, primary score and
    evaluation sets. A corpus that several have must have one licence, domain and source language.
    """
    if len(releases) < 2:
        raise InputError("expected at least two releases to merge")
    names = [release.url for release in releases]
    for name, manifest in zip(names, manifests, strict=True):
        if DUPLICATE_OF.name in [column.name for column in manifest.columns]:
            raise InputError(
                f"{name} has the column {DUPLICATE_OF.name}, which depends on all pairs; make the releases "
                "without `duplicates`, or one release of both bitexts"
            )
    for name, manifest in zip(names[1:], manifests[1:], strict=True):
        for what, ours, theirs in _compared(manifests[0], manifest):
            if ours != theirs:
                raise InputError(
                    f"{name} cannot be merged with {names[0]}: {what} is {_short(theirs)}, expected "
                    f"{_short(ours)}"
                )
    _check_corpora(names, manifests)


def _compared(first: ReleaseSummary, other: ReleaseSummary) -> Iterator[tuple[str, object, object]]:
    """What must be equal: its name, and the values of both."""
    columns, others = ({each.name: each.type for each in release.columns} for release in (first, other))
    for name in dict.fromkeys([*columns, *others]):
        yield f"the column {name}", columns.get(name), others.get(name)
    yield "the order of the columns", list(columns), list(others)
    yield "primary_score", first.primary_score, other.primary_score
    scores = [score.name for score in first.scores]
    for section in ("scores", "select"):
        ours, theirs = _entries(first, section), _entries(other, section)
        for name in dict.fromkeys([*ours, *theirs]):
            yield name, ours.get(name), theirs.get(name)
    for name in scores:
        yield f"the model of {name}", _models(first, name), _models(other, name)
    yield "evaluation sets", _sets(first), _sets(other)


def _check_corpora(names: Sequence[str], manifests: Sequence[ReleaseSummary]) -> None:
    seen: dict[str, list[str | None]] = {}
    for name, manifest in zip(names, manifests, strict=True):
        for corpus in manifest.corpora:
            stated = [getattr(corpus, what) for what in _STATED]
            expected = seen.setdefault(corpus.corpus, stated)
            for what, ours, theirs in zip(
                ("licence", "domain", "source_language"), expected, stated, strict=True
            ):
                if ours != theirs:
                    raise InputError(
                        f"{name} cannot be merged: the {what} of the corpus {corpus.corpus} is "
                        f"{_short(theirs)}, expected {_short(ours)}"
                    )


def _entries(release: ReleaseSummary, section: str) -> dict[str, object]:
    """The values of a section of the recipe, each with the keys that lead to it."""

    def values(place: str, value: object) -> Iterator[tuple[str, object]]:
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                yield from values(f"{place}.{key}", inner)
        else:
            yield place, value

    return dict(values(section, release.recipe.get(section)))


def _models(release: ReleaseSummary, score: str) -> list[str]:
    return sorted({model.hash for model in release.models if model.role == score})


def _sets(release: ReleaseSummary) -> list[tuple[str, str, str]]:
    return [(each.score, one.name, one.hash) for each in release.contamination for one in each.sets]


def _short(value: object) -> str:
    """A value as a message quotes it."""
    text = "none" if value is None else repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

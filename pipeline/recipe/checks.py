"""Checks between the sections of a recipe. They work even if other sections are wrong."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

import pyarrow as pa
from pydantic import TypeAdapter, ValidationError

from ...base.dataset_columns import column_problem, name_problem
from ...base.errors import RecipeError
from ...filters import SCORES
from ...filters.given import GIVEN
from ...filters.reference_probability import ReferenceProbability
from ...filters.score import Score
from ...models.paraphrasing.control import REVERSIBLE
from .document import Data, Place
from .problems import Problem, nearest, value_at
from .section import strict_adapter
from .where_columns import columns_before_translation, given_columns, where_columns

_PRIMARY = "paraphrase_similarity"


def primary_score(with_deciles: Sequence[str]) -> str | None:
    """The score that orders the release unless the recipe names one; None if no score has deciles."""
    return _PRIMARY if _PRIMARY in with_deciles else next(iter(with_deciles), None)


def given_scores(data: Mapping[str, Data]) -> dict[str, Place]:
    """The names of the scores that come with inputs, each with the first place in the recipe that has it."""
    entries = data.get("bitext")
    places: dict[str, Place] = {}
    for i, entry in enumerate(entries if isinstance(entries, list) else []):
        scores = entry.get("scores") if isinstance(entry, dict) else None
        for name in scores if isinstance(scores, dict) else ():
            places.setdefault(str(name), ("bitext", i, "scores", str(name)))
    return places


def cross_check(data: dict[str, Data], reported: Sequence[Place]) -> list[Problem]:
    """Problems between sections, except at the places that are already `reported`."""
    problems = [
        *_names(data),
        *_bitext(data),
        *_given(data),
        *_translate(data),
        *_where_of_translate(data),
        *_choose(data),
        *_hardest(data),
        *_selections(data),
        *_where_of_tune(data),
        *_references(data),
        *_circles(data),
        *_ranked(data),
        *_control(data),
        *_model_licences(data),
    ]
    return [problem for problem in problems if problem.place not in reported]


def _names(data: dict[str, Data]) -> Iterator[Problem]:
    """Entries become folders of the workspace; scores and selections also become columns of the release."""
    columns: set[str] = set()
    given = given_scores(data)
    for section in ("scores", "tune", "select", "train", "paraphraser", "evaluate"):
        for name in _section(data, section):
            in_release = section in ("scores", "select")
            is_score = section == "scores"
            problem = column_problem(name, columns, is_score) if in_release else name_problem(name)
            if in_release:
                columns.add(name)
            if problem is not None:
                place = given.get(name, (section, name)) if is_score else (section, name)
                yield Problem(place, f"{problem}; choose another name")
    if data.get("scores") == {}:
        yield Problem(("scores",), "expected at least one score")


def _bitext(data: dict[str, Data]) -> Iterator[Problem]:
    entries = data.get("bitext")
    if not entries:
        yield Problem(("bitext",), "expected at least one input")
    corpora: Counter[str] = Counter()
    for i, entry in enumerate(entries if isinstance(entries, list) else []):
        corpus = entry.get("corpus") if isinstance(entry, dict) else None
        if isinstance(corpus, str):
            corpora[corpus] += 1
            if corpora[corpus] == 2:
                yield Problem(
                    ("bitext", i, "corpus"),
                    f"a second corpus {corpus!r}; choose another name for one of them",
                )


def _given(data: dict[str, Data]) -> Iterator[Problem]:
    """Scores that come with an input are not computed, and those that are called given come with one."""
    given = given_scores(data)
    for name in _section(data, "scores"):
        is_given = value_at(data, ("scores", name, "score")) == GIVEN
        if name in given and not is_given:
            yield Problem(
                given[name], f"{name!r} is a score that is computed; choose another name for this one"
            )
        elif is_given and name not in given:
            yield Problem(
                ("scores", name),
                f"no input comes with a score {name!r}; name it in `scores` of one",
            )


def _translate(data: dict[str, Data]) -> Iterator[Problem]:
    entries = data.get("bitext")
    without_model = [
        entry
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and entry.get("model") is None
    ]
    if value_at(data, ("translate", "model")) is not None or not without_model:
        return
    scored = value_at(data, ("translate", "score_existing")) is True
    for entry in without_model:
        if entry.get("translation") is None or scored:
            corpus = entry.get("corpus")
            reason = (
                "score_existing computes its costs" if scored else f"corpus {corpus!r} has no translations"
            )
            yield Problem(("translate", "model"), f"expected the folder of a model, because {reason}")
            return


def _where_of_translate(data: dict[str, Data]) -> Iterator[Problem]:
    where = value_at(data, ("translate", "where"))
    if isinstance(where, str) and where != "true":
        read = _scores(data)
        known = columns_before_translation(read)
        yield from _condition(("translate", "where"), where, {**where_columns(data.items()), **known}, known)


def _scores(data: dict[str, Data]) -> dict[str, Score]:
    """The scores, without those that have a mistake."""
    from .score_entries import AnyScoreEntry

    adapter: TypeAdapter[Score | None] = strict_adapter(cast(Any, AnyScoreEntry))
    scores: dict[str, Score] = {}
    for name in _section(data, "scores"):
        with suppress(ValidationError):
            score = adapter.validate_json(json.dumps(value_at(data, ("scores", name))))
            if score is not None:
                scores[name] = score
    return scores


def _choose(data: dict[str, Data]) -> Iterator[Problem]:
    if "choose" not in data:
        return
    order = value_at(data, ("choose", "order"))
    where = value_at(data, ("choose", "where"))
    kept = value_at(data, ("translate", "keep_candidates")) or 0
    if (order not in (None, "best") or where not in (None, "true")) and isinstance(kept, int) and kept < 2:
        yield Problem(
            ("choose",),
            "expected translate.keep_candidates of at least 2, because only stored candidates can be chosen; "
            "set it to the beam to choose among all",
        )
    columns = _candidate_columns(data)
    if isinstance(order, str) and order not in ("best", "random", *columns):
        yield Problem(
            ("choose", "order"),
            f"expected best, random or a score that can be measured on candidates, got {order!r}; "
            f"{nearest(order, columns)}",
        )
    if isinstance(where, str):
        yield from _condition(("choose", "where"), where, columns)
    yield from _keep(data, kept)


def _keep(data: dict[str, Data], kept: Data) -> Iterator[Problem]:
    """What a recipe says of keeping several candidates. kept: how many are stored."""
    from ...transforms.model_kinds import comparing  # imports pyarrow.compute, which is slow

    keep, unlike = value_at(data, ("choose", "keep")), value_at(data, ("choose", "unlike"))
    if isinstance(keep, int) and isinstance(kept, int) and keep > max(kept, 1):
        yield Problem(
            ("choose", "keep"),
            f"expected at most translate.keep_candidates, which is {kept}, because only stored candidates "
            "can be kept",
        )
    if isinstance(unlike, str) and unlike != "true":
        if keep in (None, 1):
            yield Problem(
                ("choose", "unlike"),
                "expected keep of at least 2, because one candidate is compared with none",
            )
        scores = _scores(data)
        yield from _condition(
            ("choose", "unlike"), unlike, {name: scores[name].dtype for name in comparing(scores)}
        )


def _hardest(data: dict[str, Data]) -> Iterator[Problem]:
    """Classifiers that shall choose among candidates, where there is one of each pair."""
    entries, kept = data.get("bitext"), value_at(data, ("translate", "keep_candidates")) or 0
    are_few = isinstance(kept, int) and kept < 2
    is_given = isinstance(entries, list) and all(
        isinstance(entry, dict) and entry.get("translation") is not None for entry in entries
    )
    named = (value_at(data, ("scores", name, "classifier")) for name in _section(data, "scores"))
    if not (are_few or is_given) or not any(named):
        return  # reading the scores takes longer than all other checks
    for name, measure in _scores(data).items():
        if isinstance(measure, ReferenceProbability) and "hardest" in dict(measure.classifier.trials):
            why = "set it to the beam" if not is_given else "existing translations have one each"
            yield Problem(
                ("scores", name, "classifier", "negatives"),
                "expected random, because hardest chooses among the candidates that "
                f"translate.keep_candidates of at least 2 stores; {why}",
            )


def _candidate_columns(data: dict[str, Data]) -> dict[str, pa.DataType]:
    """The columns of a candidate with their types: the scores whose model needs no translations."""
    from ...transforms.model_kinds import measures_candidates  # imports pyarrow.compute, which is slow

    measures = {
        name: SCORES.get(str(value_at(data, ("scores", name, "score")))) for name in _section(data, "scores")
    }
    return {
        name: pa.float32() if measure is None else measure.dtype
        for name, measure in measures.items()
        if measure is None or measures_candidates(measure)
    }


def _selections(data: dict[str, Data]) -> Iterator[Problem]:
    columns = where_columns(data.items())
    for name in _section(data, "select"):
        where = value_at(data, ("select", name, "where"))
        if isinstance(where, str):
            yield from _condition(("select", name, "where"), where, columns)


def _where_of_tune(data: dict[str, Data]) -> Iterator[Problem]:
    columns = {column.name: column.type for _, column in given_columns(data.items())}
    for name in _section(data, "tune"):
        where = value_at(data, ("tune", name, "where"))
        if isinstance(where, str) and where != "true":
            yield from _condition(("tune", name, "where"), where, columns)


def _condition(
    place: Place, where: str, columns: dict[str, pa.DataType], known: Collection[str] | None = None
) -> Iterator[Problem]:
    """known: the columns that there are before the translation; None: all."""
    from ...filters.where.condition import Where  # imports DuckDB and sqlglot, which not every recipe needs

    try:
        later = Where.parse(where, columns).columns - set(columns if known is None else known)
    except RecipeError as error:
        yield Problem(place, str(error))
        return
    if later and known is not None:
        yield Problem(
            place, f"{min(later)} is not known before the translation; there are: {', '.join(known)}"
        )


def _references(data: dict[str, Data]) -> Iterator[Problem]:
    """Names by which a section refers to an entry of another one."""
    yield from _reference(data, ("release", "primary_score"), "scores", "score")
    yield from _reference(data, ("duplicates", "keep"), "scores", "score")
    for name in _section(data, "tune"):
        scores = value_at(data, ("tune", name, "scores"))
        for i in range(len(scores) if isinstance(scores, list) else 0):
            yield from _reference(data, ("tune", name, "scores", i), "scores", "score")
    for name in _section(data, "train"):
        if value_at(data, ("train", name, "pairs")) is None:
            yield from _reference(data, ("train", name, "selection"), "select", "selection")
    for name in _section(data, "paraphraser"):
        yield from _reference(data, ("paraphraser", name, "selection"), "select", "selection")
        control = value_at(data, ("paraphraser", name, "control"))
        for i in range(len(control) if isinstance(control, list) else 0):
            yield from _reference(data, ("paraphraser", name, "control", i), "scores", "score")
    for name in _section(data, "evaluate"):
        yield from _reference(data, ("evaluate", name, "encoder"), "train", "entry of train")


def _circles(data: dict[str, Data]) -> Iterator[Problem]:
    """Entries of train that would start from themselves."""
    values = {name: value_at(data, ("train", name, "start")) for name in _section(data, "train")}
    starts = {name: start if isinstance(start, list) else [start] for name, start in values.items()}
    for name in starts:
        chains, seen = [[name]], set[str]()
        while chains:
            chain = chains.pop()
            if name in starts[chain[-1]]:
                yield Problem(("train", name, "start"), f"a circle: {' starts from '.join([*chain, name])}")
                break
            new = [str(entry) for entry in starts[chain[-1]] if str(entry) in starts.keys() - seen]
            seen.update(new)
            chains += [[*chain, entry] for entry in new]


def _ranked(data: dict[str, Data]) -> Iterator[Problem]:
    """Scores that must have deciles, because they order the release, or a better end."""
    measures = {
        name: SCORES.get(str(value_at(data, ("scores", name, "score")))) for name in _section(data, "scores")
    }
    with_deciles = [name for name, measure in measures.items() if measure is None or measure.has_deciles]
    directed = [
        name
        for name, measure in measures.items()
        if measure is None
        or measure.higher_is_better is not None
        or (measure.is_given and value_at(data, ("scores", name, "higher_is_better")) is not None)
    ]
    if measures and not with_deciles:
        yield Problem(("scores",), "expected a score with deciles, because they order the release")
    primary = value_at(data, ("release", "primary_score")) or primary_score(with_deciles)
    keep = data.get("duplicates") is not None and (value_at(data, ("duplicates", "keep")) or primary)
    order = value_at(data, ("choose", "order"))
    for place, score, names, lack in (
        (("release", "primary_score"), primary, with_deciles, "has no deciles to order the release by"),
        (("duplicates", "keep"), keep, directed, "does not say which of two pairs is better"),
        (("choose", "order"), order, directed, "does not say which of two candidates is better"),
    ):
        if isinstance(score, str) and score in measures and score not in names:
            yield Problem(place, f"{score} {lack}; choose another score: {', '.join(names) or 'none'}")


def _control(data: dict[str, Data]) -> Iterator[Problem]:
    """Scores that cannot control a paraphraser."""
    for name in _section(data, "paraphraser"):
        control = value_at(data, ("paraphraser", name, "control"))
        for i, score in enumerate(control if isinstance(control, list) else ()):
            measure = value_at(data, ("scores", score, "score")) if isinstance(score, str) else None
            if isinstance(measure, str) and measure in SCORES and measure not in REVERSIBLE:
                place = ("paraphraser", name, "control", i)
                yield Problem(place, f"{score} cannot control; these scores can: {', '.join(REVERSIBLE)}")


def _model_licences(data: dict[str, Data]) -> Iterator[Problem]:
    """Licences of models of which there are none."""
    licences = value_at(data, ("release", "model_licences"))
    sections = ("scores", "train", "paraphraser")
    users = ["translate", *(name for section in sections for name in _section(data, section))]
    for name in licences if isinstance(licences, dict) else ():
        if name not in users:
            problem = f"expected translate or an entry that uses a model; {nearest(str(name), users)}"
            yield Problem(("release", "model_licences", name), problem)


def _reference(data: dict[str, Data], place: Place, section: str, noun: str) -> Iterator[Problem]:
    name = value_at(data, place)
    names = _section(data, section)
    if isinstance(name, str) and name not in names:
        yield Problem(place, f"no {noun} {name!r}; {nearest(name, names)}")


def _section(data: dict[str, Data], name: str) -> Iterable[str]:
    section = data.get(name)
    return section if isinstance(section, dict) else ()

"""Choosing a translation among the candidates: the order, the condition, and what a changed choice costs."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nmt_models import write_model
from runs import Silent, go
from translate_runs import rows_of, write_recipe

from paranmt.base.dataset_columns import CANDIDATES
from paranmt.base.errors import RecipeError
from paranmt.filters import TranslationCost, TranslationLength, TrigramOverlap, UnigramOverlap
from paranmt.filters.choice import first_allowed, kept_candidates, random_keys
from paranmt.filters.where.condition import Where
from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.storage.dataset import part_file, write_part
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.candidate_choice import ChoosePart, candidate_rows
from paranmt.transforms.works.scoring import ScorePart

REFERENCE = "the old man saw a dog"
LISTS = [
    [("the old man saw a dog", -1.0, 7), ("an old man saw a dog", -2.0, 7), ("he saw it", -4.0, 4)],
    [("a dog", -3.0, 3)],
    [],
    [("the old man saw a dog", -1.0, 7)],
]


def choose(
    folder: Path,
    where: str = "true",
    order: str = "best",
    seed: int = 0,
    lists: Sequence = LISTS,
    keep: int = 1,
    unlike: str = "true",
) -> list[dict[str, object]]:
    """The rows that the stage makes of n-best lists of (text, log-probability, tokens)."""
    workspace = Workspace(str(folder))
    ids = [f"a/a.xx:{row}" for row in range(1, len(lists) + 1)]
    best = [ranked[0] if ranked else (None, None, None) for ranked in lists]
    keys = ("text", "log_prob", "n_tokens")
    candidates = [[dict(zip(keys, one, strict=True)) for one in ranked] for ranked in lists]
    translations = {
        "pair_id": ids,
        "translation": pa.array([text for text, _, _ in best], pa.string()),
        "translation_log_prob": pa.array([log_prob for _, log_prob, _ in best], pa.float32()),
        "translation_tokens": pa.array([tokens for _, _, tokens in best], pa.int32()),
        "translation_status": ["translated" if ranked else "failed" for ranked in lists],
        "candidates": pa.array(candidates, CANDIDATES.type),
    }
    sides = {"pair_id": ids, "source": ids, "reference": [REFERENCE] * len(ids)}
    for stage, table in (("ingest", sides), ("translate", translations)):
        write_part(workspace, stage, "a/a-0", "k", pa.table(table))
    scores = {
        "translation_cost": TranslationCost(),
        "translation_length": TranslationLength(),
        "trigram_overlap": TrigramOverlap(),
        "unigram_overlap": UnigramOverlap(),
    }
    parsed = Where.parse(where, {name: score.dtype for name, score in scores.items()})
    used = {*parsed.columns, *({order} & scores.keys())}
    apart = Where.parse(unlike, {name: score.dtype for name, score in scores.items()})
    parts, compared = (
        tuple(ScorePart(f"score/{name}", name, scores[name]) for name in sorted(names))
        for names in (used, apart.columns)
    )
    work = ChoosePart(order, seed, parsed, parts, frozenset({"b"}), keep, apart, compared)
    files = tuple((stage, part_file(stage, "a/a-0", "k")) for stage in ("ingest", "translate"))
    table, counts = work.make(workspace, Task("a/a-0", "k", files))
    rows: list[dict[str, object]] = table.to_pylist()
    statuses = [row["translation_status"] for row in rows]
    assert counts == {status: statuses.count(status) for status in statuses}
    return rows


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("true", [1, 1, None, 1]),
        ("unigram_overlap < 1", [2, None, None, None]),
        ("trigram_overlap < 0.7", [3, 1, None, None]),
        ("translation_cost between 0.25 and 0.9", [2, None, None, None]),
        ("translation_length <= 3 and trigram_overlap = 0", [3, 1, None, None]),
        ("false", [None, None, None, None]),
    ],
)
def test_the_first_candidate_within_bounds(tmp_path: Path, where: str, expected: list[int | None]) -> None:
    rows = choose(tmp_path, where)
    assert [row["translation_rank"] for row in rows] == expected
    for row, ranked, rank in zip(rows, LISTS, expected, strict=True):
        chosen = ranked[rank - 1] if rank is not None else (None, None, None)
        names = ("translation", "translation_log_prob", "translation_tokens")
        assert tuple(row[name] for name in names) == chosen
        status = "translated" if rank is not None else "out_of_bounds" if ranked else "failed"
        assert row["translation_status"] == status


@pytest.mark.parametrize(
    ("order", "where", "expected"),
    [
        ("translation_length", "true", [3, 1, None, 1]),  # the shortest
        ("translation_cost", "true", [1, 1, None, 1]),  # 1/7, 2/7 and 1 nats per token
        ("translation_cost", "unigram_overlap < 1", [2, None, None, None]),
        ("unigram_overlap", "true", [3, 1, None, 1]),  # 1, 5/6 and 1/3
        ("unigram_overlap", "translation_length > 3", [2, None, None, 1]),
    ],
)
def test_the_best_candidate_by_a_score(
    tmp_path: Path, order: str, where: str, expected: list[int | None]
) -> None:
    assert [row["translation_rank"] for row in choose(tmp_path, where, order)] == expected


SEVERAL = [
    # Overlaps of unigrams: the second with the first 4/5, the third with the first 2/5, the fourth with the
    # first 4/5 and with the third 3/5.
    [("a b c d e", -1.0, 6), ("a b c d x", -2.0, 6), ("a b y y y", -3.0, 6), ("a b c d y", -4.0, 6)],
    [("a b", -1.0, 3), ("a b", -1.5, 4), ("a c", -2.0, 3), ("d e", -3.0, 3)],
    [],
]


@pytest.mark.parametrize(
    ("keep", "unlike", "where", "expected"),
    [
        (1, "true", "true", [[1], [1], [None]]),
        (2, "true", "true", [[1, 2], [1, 3], [None]]),  # never the same text twice
        (4, "true", "true", [[1, 2, 3, 4], [1, 3, 4], [None]]),
        (4, "unigram_overlap <= 0.5", "true", [[1, 3], [1, 3, 4], [None]]),
        (4, "unigram_overlap < 0.5", "true", [[1, 3], [1, 4], [None]]),
        (4, "unigram_overlap < 0.7", "translation_cost > 0.2", [[2, 3], [1, 3, 4], [None]]),
        (2, "unigram_overlap < 0.7", "translation_cost > 0.6", [[4], [3, 4], [None]]),
        (2, "unigram_overlap < 0.7", "translation_cost > 2", [[None], [None], [None]]),
    ],
)
def test_several_candidates(
    tmp_path: Path, keep: int, unlike: str, where: str, expected: list[list[int | None]]
) -> None:
    rows = choose(tmp_path, where, lists=SEVERAL, keep=keep, unlike=unlike)
    ids = [
        f"a/a.xx:{record}" + (f"#{place}" if place > 1 else "")
        for record, ranks in enumerate(expected, start=1)
        for place in range(1, len(ranks) + 1)
    ]
    assert [row["pair_id"] for row in rows] == ids
    assert [row["translation_rank"] for row in rows] == [rank for ranks in expected for rank in ranks]
    records = [ranked for ranked, ranks in zip(SEVERAL, expected, strict=True) for _ in ranks]
    for row, ranked in zip(rows, records, strict=True):
        rank = row["translation_rank"]
        names = ("translation", "translation_log_prob", "translation_tokens")
        found = tuple(row[name] for name in names)
        assert found == (ranked[rank - 1] if isinstance(rank, int) else (None, None, None))
        status = "translated" if rank else "out_of_bounds" if ranked else "failed"
        assert row["translation_status"] == status


def test_a_random_candidate(tmp_path: Path) -> None:
    """Every place is equally likely, and a pair's candidate depends on nothing but its id and the seed."""
    lists = [[(f"{rank}", -1.0, 2) for rank in range(4)]] * 2_000
    rows = choose(tmp_path, order="random", lists=lists)
    counts = np.bincount([int(str(row["translation_rank"])) for row in rows], minlength=5)
    assert counts[0] == 0
    assert counts[1:].min() > 430  # 500 each; the standard deviation is 19
    fewer = choose(tmp_path / "fewer", order="random", lists=lists[:50])
    assert fewer == rows[:50]
    other = choose(tmp_path / "other", order="random", seed=1, lists=lists[:50])
    assert other != fewer


def test_a_random_candidate_within_bounds_is_random_among_those(tmp_path: Path) -> None:
    lists = [[("x x x", -1.0, 2), ("a", -1.0, 2), ("a b", -1.0, 2)]] * 400
    rows = choose(tmp_path, "translation_length < 3", "random", lists=lists)
    ranks = [row["translation_rank"] for row in rows]
    assert set(ranks) == {2, 3}
    assert 150 < ranks.count(2) < 250


@given(st.lists(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=5), max_size=8))
def test_the_first_allowed(lists: list[list[tuple[int, bool]]]) -> None:
    rows = np.array([row for row, ranked in enumerate(lists) for _ in ranked], np.int64)
    keys = np.array([key for ranked in lists for key, _ in ranked], np.uint64)
    allowed = np.array([good for ranked in lists for _, good in ranked], np.bool_)
    chosen = first_allowed(rows, keys, allowed, len(lists)).tolist()
    start = 0
    for ranked, index in zip(lists, chosen, strict=True):
        good = [key for key, may in ranked if may]
        wanted = [key for key, _ in ranked].index(min(good)) if good else None
        while wanted is not None and not ranked[wanted][1]:  # an equal key that may not be chosen
            wanted = [key for key, _ in ranked].index(min(good), wanted + 1)
        assert index == (-1 if wanted is None else start + wanted)
        start += len(ranked)


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 9)), max_size=6), max_size=5
    ),
    st.integers(1, 4),
    st.integers(0, 4),
)
def test_candidates_are_kept_if_they_are_unlike_all_that_are_kept(
    lists: list[list[tuple[int, bool, int]]], keep: int, apart: int
) -> None:
    """By a plain loop: two candidates are unlike if their numbers are further apart than `apart`."""
    rows = np.array([row for row, ranked in enumerate(lists) for _ in ranked], np.int64)
    keys, allowed, numbers = (
        np.array([one[column] for ranked in lists for one in ranked], dtype)
        for column, dtype in enumerate((np.int64, np.bool_, np.int64))
    )
    found = kept_candidates(
        rows,
        keys,
        allowed,
        len(lists),
        keep,
        lambda some, kept: np.abs(numbers[some] - numbers[kept]) > apart,
    )
    start = 0
    for ranked, indices in zip(lists, found.tolist(), strict=True):
        kept: list[int] = []
        for place in sorted(range(len(ranked)), key=lambda place: ranked[place][0]):
            if ranked[place][1] and all(abs(ranked[place][2] - ranked[other][2]) > apart for other in kept):
                kept.append(place)
        expected = [start + place for place in kept[:keep]]
        assert indices == expected + [-1] * (keep - len(expected))
        start += len(ranked)


def test_a_random_order_depends_on_the_pair_alone() -> None:
    rows, ranks = np.array([0, 0, 1]), np.array([1, 2, 1])
    keys = random_keys(["a", "b"], rows, ranks, 7)
    assert len(set(keys.tolist())) == 3
    assert random_keys(["b"], np.array([0]), np.array([1]), 7)[0] == keys[2]


def test_rows_of_candidates() -> None:
    lists = pa.chunked_array(
        [pa.array([[{"text": "x", "log_prob": -1.0, "n_tokens": 2}] * 2, None], CANDIDATES.type)]
    )
    table = candidate_rows(pa.table({"source": ["x", "y"], "reference": ["r", "s"], "candidates": lists}))
    assert table["row"].to_pylist() == [0, 0]
    assert table["reference"].to_pylist() == ["r", "r"]
    assert table["translation_rank"].to_pylist() == [1, 2]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("choosing-model"))


def test_a_changed_choice_does_not_translate_again(model: Path, tmp_path: Path) -> None:
    write_recipe(tmp_path, str(model), ", keep_candidates: 3")

    def load(*overrides: str) -> Recipe:
        return Recipe.load(tmp_path / "recipe.yaml", ["scores.trigram_overlap={}", *overrides])

    def state(recipe: Recipe, stage: str) -> str:
        return make_plan(recipe).condition(stage).state

    go(load(), last="translate")
    assert "choose" not in [stage.name for stage in make_plan(load()).stages]
    random = load("choose.order=random")
    assert state(random, "translate") == "fresh"
    assert state(random, "choose") == "missing"
    computed = run(random, LocalRunner(), Silent(), last="release").computed
    assert "translate" not in computed
    (file,) = (tmp_path / "work/release/data").iterdir()
    table = pq.read_table(file)
    chosen = rows_of(tmp_path, "choose")
    for row in table.to_pylist():
        rank = row["translation_rank"]
        assert (rank is None) == (row["translation_status"] == "failed")
        if rank is not None:
            assert row["translation"] == row["candidates"][rank - 1]["text"]
            cost = -row["translation_log_prob"] / row["translation_tokens"]
            assert row["translation_cost"] == pytest.approx(cost, rel=1e-5)
    assert {row["translation_rank"] for row in chosen} == {1, 2, 3, None}
    bounded = load("choose.order=random", "choose.where=translation_cost < 3")
    assert state(bounded, "translate") == "fresh"
    assert state(bounded, "choose") == "stale"
    assert state(load("choose.order=random", "scores.trigram_overlap.counting=legacy"), "choose") == "fresh"
    assert state(load("choose.order=random", "choose.seed=4"), "choose") == "stale"


def test_a_model_that_chooses_is_trained_before(model: Path, tmp_path: Path) -> None:
    write_recipe(tmp_path, str(model), ", keep_candidates: 3")
    recipe = Recipe.load(
        tmp_path / "recipe.yaml",
        ["scores.chance={score: reference_probability, classifier: {dimension: 4, epochs: 1}}"]
        + ["scores.similarity={score: paraphrase_similarity}", "choose.order=chance"],
    )
    names = [stage.name for stage in make_plan(recipe).stages]
    assert names.index("model/chance") < names.index("choose") < names.index("model/similarity")
    go(recipe, last="choose")
    plan = make_plan(recipe)
    assert plan.stage("model/chance").needs == ("ingest", "translate")
    assert plan.stage("model/similarity").needs == ("ingest", "choose")
    go(recipe, only="score/chance")
    chosen, translated = rows_of(tmp_path, "choose"), rows_of(tmp_path)
    scores = [row["chance"] for row in rows_of(tmp_path, "score/chance")]
    assert {row["translation_rank"] for row in chosen} > {1, None}
    # The pairs that the classifier was trained on have no probability, and keep their best candidate.
    held_out = [i for i, row in enumerate(chosen) if row["translation"] is not None and scores[i] is None]
    assert held_out
    for i in held_out:
        assert chosen[i]["translation"] == translated[i]["translation"]


def test_existing_translations_have_no_choice(model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.mt").write_text("a translation\n" * 46)
    write_recipe(tmp_path, str(model), ", keep_candidates: 3", ", translation: a.mt")
    recipe = Recipe.load(tmp_path / "recipe.yaml", ["choose.order=random"])
    go(recipe, last="choose")
    rows = rows_of(tmp_path, "choose")
    assert [row["translation"] for row in rows] == ["a translation"] * 46
    assert {row["translation_rank"] for row in rows} == {None}
    # So another choice changes none of its parts.
    keys = [
        make_plan(one).stage("choose").tasks[0].key
        for one in (recipe, Recipe.load(tmp_path / "recipe.yaml", ["choose.order=random", "choose.seed=9"]))
    ]
    assert keys[0] == keys[1]


@pytest.mark.parametrize(
    ("choice", "kept", "expected"),
    [
        ("{order: random}", 0, "expected translate.keep_candidates of at least 2"),
        ("{where: trigram_overlap < 0.5}", 1, "expected translate.keep_candidates of at least 2"),
        ("{where: trigram_overlap < 0.5}", 2, None),
        ("{order: best}", 0, None),
        ("{order: worst}", 3, "expected best, random or a score that can be measured on candidates"),
        ("{order: paraphrase_similarity}", 3, "got 'paraphrase_similarity'"),
        ("{order: perplexity}", 3, None),
        ("{where: perplexity < 3}", 3, None),
        ("{where: paraphrase_similarity > 0}", 3, "paraphrase_similarity"),
        ("{where: trigram_overlap_decile < 3}", 3, "trigram_overlap_decile"),
        ("{where: trigram_overlap}", 3, "not true or false"),
        ("{keep: 3, unlike: trigram_overlap < 0.5 and sentence_bleu < 0.5}", 3, None),
        ("{keep: 1}", 0, None),
        ("{keep: 2}", 0, "expected at most translate.keep_candidates, which is 0"),
        ("{keep: 4}", 3, "expected at most translate.keep_candidates, which is 3"),
        ("{keep: 0}", 3, "choose.keep"),
        ("{unlike: trigram_overlap < 0.5}", 3, "expected keep of at least 2"),
        ("{keep: 2, unlike: translation_length < 5}", 3, "translation_length"),
        ("{keep: 2, unlike: paraphrase_similarity < 0.5}", 3, "paraphrase_similarity"),
    ],
)
def test_recipes(choice: str, kept: int, expected: str | None) -> None:
    text = f"""
bitext: [{{corpus: a, format: moses, source: a, reference: b, source_language: cs}}]
translate: {{model: m, keep_candidates: {kept}}}
choose: {choice}
"""
    if expected is None:
        Recipe.from_yaml(text)
    else:
        with pytest.raises(RecipeError, match=expected):
            Recipe.from_yaml(text)

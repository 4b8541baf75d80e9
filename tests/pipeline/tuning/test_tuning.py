"""Tuning by outcome: ranges, draws, trials, what is chosen, and what is never read."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from commands import ok, paranmt
from corpus import SUBJECTS, recipe_text, write_sts
from nmt_models import write_model
from runs import Silent, load
from translate_runs import rows_of, write_recipe

from paranmt.base.errors import InputError, RecipeError
from paranmt.base.hashing import derive_seed
from paranmt.filters import SCORES, TranslationLength
from paranmt.filters.choice import random_keys
from paranmt.filters.ranks.draws import Smallest, drawn, sample_keys
from paranmt.filters.ranks.radix import find_cuts
from paranmt.filters.where.condition import Where
from paranmt.filters.where.ranges import ALL_PAIRS, ScoreRange, decile_ranges, paper_ranges
from paranmt.launch.runners.local import LocalRunner
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.vectors import read_vectors
from paranmt.models.encoders.vocabulary import Vocabulary
from paranmt.models.sts.correlation import pair_cosines, pearson
from paranmt.models.sts.development_sets import development_files, read_development
from paranmt.models.sts.sts_data import read_sts
from paranmt.models.training.checkpoint import TrainState, save_checkpoint
from paranmt.models.training.determinism import single_thread
from paranmt.models.training.pairs import PairList, tokenise_pairs
from paranmt.models.training.train_options import TextOptions, TrainOptions
from paranmt.models.training.trainer import train_encoder, train_on
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.recipe.where_columns import where_columns
from paranmt.pipeline.running.clean import clean
from paranmt.pipeline.running.execution import pairs_computed
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.pipeline.stages.planned import Plan
from paranmt.pipeline.stages.results import TUNING_RESULTS, TuningResults, tuning_results
from paranmt.pipeline.tuning.trials import tuned_ranges
from paranmt.transforms.storage.dataset import read_manifest
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.range_trials import Trial, best_range, read_trial

TUNE = """\
tune:
  found:
    data: {data}
    scores: [trigram_overlap]
    ranges: papers
    pairs: 25
    seeds: 2
    fresh_seeds: 2
    epochs: 1
    batch: 10
    encoder: {{dimension: 8}}
"""


def recipe_file(folder: Path, tune: str = TUNE) -> Path:
    write_sts(folder / "dev" / "STS2012-train")
    extra = tune.format(data=folder / "dev")
    text = recipe_text(folder, {"first": 230, "second": 120}, part_rows=200, extra=extra)
    (folder / "recipe.yaml").write_text(text)
    return folder / "recipe.yaml"


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a recipe whose entry of `tune` was computed."""
    folder = tmp_path_factory.mktemp("tuned")
    recipe = Recipe.load(recipe_file(folder))
    run(recipe, LocalRunner(), Silent(), targets=["tune/found"])
    return folder


def results_of(folder: Path) -> TuningResults:
    return TUNING_RESULTS.validate_json((folder / "work" / "tune" / "found" / "results.json").read_bytes())


# --- ranges

OVERLAPS = ("unigram_overlap", "bigram_overlap", "trigram_overlap", "sentence_bleu")


def test_every_range_is_a_condition_that_a_selection_may_have() -> None:
    recipe = Recipe.from_yaml(
        "bitext: [{corpus: a, format: tsv, source_language: cs, path: x, translation: 3}]"
    )
    types = where_columns(recipe)
    for column, measure in recipe.scores.items():
        for part in (*decile_ranges(column), *paper_ranges(column, measure)):
            named = Where.parse(part.where, types).columns
            assert named == {f"{column}_decile" if part.by_decile else column}


SHARES = [(low, high) for low in (0, 0.1, 0.2, 0.3) for high in (0.6, 0.7, 0.8, 0.9, 1)]
LENGTHS = [
    *[(0, 10), (0, 15), (0, 20), (0, 30), (0, 100)],
    *[(10, 20), (10, 30), (10, 100), (15, 25), (15, 30), (15, 100), (20, 30), (20, 100), (30, 100)],
]


@pytest.mark.parametrize(
    ("score", "conditions"),
    [
        *((name, [f"s between {low} and {high}" for low, high in SHARES]) for name in OVERLAPS),
        ("reference_probability", ["s >= 0", *(f"s >= 0.{tenth}" for tenth in range(1, 10))]),
        ("translation_cost", [f"s <= {high}" for high in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)]),
        ("perplexity", [*(f"s <= {high}" for high in (25, 50, 75, 100, 150, 200)), "s is not null"]),
        ("translation_length", [f"s between {low} and {high}" for low, high in LENGTHS]),
    ],
)
def test_the_ranges_of_the_papers(score: str, conditions: list[str]) -> None:
    """Wieting et al. 2017, sections 5.5 (lengths), 5.6 (cost, perplexity, classifier) and 5.7 (overlaps)."""
    ranges = paper_ranges("s", SCORES[score]())  # type: ignore[call-arg]
    assert [part.where for part in ranges] == conditions
    assert len({part.key for part in ranges}) == len(ranges)


def test_scores_unlike_those_of_the_papers_have_deciles_alone() -> None:
    recipe = Recipe.from_yaml(
        "bitext: [{corpus: a, format: tsv, source_language: cs, path: x, translation: 3}]\n"
        "scores: {length_ratio: {}, trigram_overlap: {}}\n"
        "tune: {a: {data: d, ranges: both}, b: {data: d, ranges: papers, scores: [length_ratio]}}"
    )
    keys = [part.key for part in tuned_ranges(recipe.tune["a"], recipe.scores)]
    assert keys[0] == ALL_PAIRS.key and len(keys) == 1 + 10 + 30
    with pytest.raises(RecipeError, match="no ranges of a score like length_ratio"):
        tuned_ranges(recipe.tune["b"], recipe.scores)


def test_ranges_of_lengths_have_no_pairs_that_training_drops() -> None:
    """Otherwise 30 to 100 would be 30 to 50 (Wieting et al. 2017, section 5.5)."""
    head = (
        "bitext: [{corpus: a, format: tsv, source_language: cs, path: x, translation: 3}]\n"
        "scores: {translation_length: {}}\n"
    )

    def ranges(options: str) -> int:
        recipe = Recipe.from_yaml(head + f"tune: {{a: {{data: d, {options}}}}}")
        return len(tuned_ranges(recipe.tune["a"], recipe.scores))

    for given in ("ranges: papers", "ranges: both", "ranges: papers, text: {max_tokens: 99}"):
        with pytest.raises(RecipeError, match=r"set text to \{max_tokens: 100, long_pairs: cut\}"):
            ranges(given)
    assert ranges("ranges: papers, text: {max_tokens: 100}") == 15
    assert ranges("ranges: papers, text: {long_pairs: cut}") == 15
    assert ranges("ranges: deciles") == 11


def test_a_recipe_names_scores_that_exist_and_sizes_that_fit() -> None:
    head = "bitext: [{corpus: a, format: tsv, source_language: cs, path: x, translation: 3}]\n"
    for entry, message in (
        ("scores: [trigram_overlapp]", "did you mean trigram_overlap?"),
        ("pairs: 100, pool: 50", "pool must be at least pairs"),
        ("fresh_seeds: 1", "fresh_seeds: expected at least 2"),
    ):
        with pytest.raises(RecipeError, match=message.replace("?", r"\?")):
            Recipe.from_yaml(head + f"tune: {{a: {{data: d, {entry}}}}}")


# --- training on a sample of tokenised pairs


@pytest.mark.parametrize(
    "text", [TextOptions(), TextOptions(units="trigrams", minimum_count=2, vocabulary_size=20)]
)
def test_a_trial_trains_the_encoder_that_its_pairs_alone_would_give(
    tmp_path: Path, text: TextOptions
) -> None:
    random = np.random.default_rng(4)
    words = [f"w{n}" for n in range(30)]
    references, translations = (
        [" ".join(random.choice(words, random.integers(1, 9))) for _ in range(60)] for _ in range(2)
    )
    options = TrainOptions(
        seed=3, text=text, epochs=2, batch=7, mega_batch=2, encoder=AveragingOptions(dimension=6)
    )
    whole = replace(text, vocabulary_size=2**31, minimum_count=1)
    (tmp_path / "aside").mkdir()
    stream = PairList(references, translations)
    corpus = tokenise_pairs(stream, whole, tmp_path / "shared", tmp_path / "aside", options.streams)
    chosen = np.array([3, 5, 8, 20, 21, 22, 23, 40, 59])
    train_on(corpus.sample(chosen, text), options).save(tmp_path / "trial")
    few = PairList([references[n] for n in chosen], [translations[n] for n in chosen])
    with single_thread():
        train_encoder(few, options, tmp_path / "alone", tmp_path / "scratch")
    for name in ("vocabulary.txt", "model.safetensors", "config.json"):
        assert (tmp_path / "trial" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()


def test_a_trial_that_was_killed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = TrainOptions(
        seed=3, epochs=3, batch=4, mega_batch=2, encoder=AveragingOptions(dimension=6, word_dropout=0.3)
    )
    stream = PairList(*([f"{side} w{n % 7} w{n % 3}" for n in range(40)] for side in "ab"))
    (tmp_path / "aside").mkdir()
    corpus = tokenise_pairs(stream, options.text, tmp_path / "shared", tmp_path / "aside", options.streams)
    train_on(corpus, options).save(tmp_path / "undisturbed")
    stood: list[int] = []

    def save(path: Path, tensors: object, state: TrainState, aside: Path) -> None:
        stood.append(state.steps)
        if len(stood) == 8:
            raise KeyboardInterrupt
        save_checkpoint(path, tensors, state, aside)  # type: ignore[arg-type]

    for module in ("trainer", "pair_training"):
        monkeypatch.setattr(f"paranmt.models.training.{module}.SAVE_SECONDS", 0.0)
    monkeypatch.setattr("paranmt.models.training.trainer.save_checkpoint", save)
    with pytest.raises(KeyboardInterrupt):
        train_on(corpus, options, scratch=tmp_path / "scratch", key="k")
    train_on(corpus, options, scratch=tmp_path / "scratch", key="k").save(tmp_path / "trial")
    assert stood[8] > stood[6] > 10, "the second attempt went on after the first one's last checkpoint"
    for name in ("vocabulary.txt", "model.safetensors"):
        assert (tmp_path / "trial" / name).read_bytes() == (tmp_path / "undisturbed" / name).read_bytes()


def test_a_trial_starts_from_word_vectors(tmp_path: Path) -> None:
    file = tmp_path / "vectors.txt"
    file.write_text("dog 1 0 2\ncat 0 1 -1\nruns 1 1 1\n")
    options = TrainOptions(
        seed=3, vectors=str(file), epochs=1, batch=2, mega_batch=2, encoder=AveragingOptions(dimension=3)
    )
    vectors = read_vectors(str(file))
    stream = PairList(["dog runs", "cat", "dog", "a cat runs"], ["cat runs", "dog", "dog cat", "the dog"])
    (tmp_path / "aside").mkdir()
    given = [Vocabulary(vectors.words)]
    places = tmp_path / "shared", tmp_path / "aside"
    corpus = tokenise_pairs(stream, options.text, *places, options.streams, given)
    train_on(corpus.sample(np.array([0, 2, 3]), options.text, ["words"]), options, vectors).save(
        tmp_path / "trial"
    )
    few = PairList(*([side[n] for n in (0, 2, 3)] for side in (stream.references, stream.translations)))
    with single_thread():
        train_encoder(few, options, tmp_path / "alone", tmp_path / "scratch")
    for name in ("vocabulary.txt", "model.safetensors"):
        assert (tmp_path / "trial" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()


# --- what trials read and draw


def check_draws(folder: Path, ranges: int) -> None:
    """That trials drew what they should: counted in the columns of scores and deciles, not in the pool."""
    recipe = Recipe.load(folder / "recipe.yaml")
    plan = make_plan(recipe)
    trials = read_manifest(plan.workspace, "trials/found", plan.stage("trials/found").key)
    assert trials is not None and len(trials.parts) == 2 * ranges
    sizes = {entry.part.rpartition("/")[0]: entry.counts["in range"] for entry in trials.parts}
    for part in tuned_ranges(recipe.tune["found"], recipe.scores):
        files = f"{folder}/work/{'deciles' if part.by_decile else 'score'}/trigram_overlap/*/*.parquet"
        (expected,) = duckdb.sql(f"select count(*) from '{files}' where {part.where}").fetchall()
        assert (sizes[part.key],) == expected
    assert sizes[ALL_PAIRS.key] == 350
    for entry in trials.parts:
        assert entry.counts["trained on"] == (25 if entry.counts["in range"] >= 25 else 0)


def test_trials_have_equal_sizes_and_pairs_of_their_range(tuned: Path) -> None:
    check_draws(tuned, 21)


def test_a_range_of_all_pairs_is_the_baseline(tuned: Path) -> None:
    """All overlaps are between 0 and 1, so each seed draws the same pairs and trains the same encoder."""
    results = {result.range.key: result for result in results_of(tuned).results}
    everything, baseline = results["trigram_overlap/0-to-1"].first, results[ALL_PAIRS.key].first
    assert everything is not None and baseline is not None and everything.mean == baseline.mean
    assert (everything.difference, everything.low, everything.high, everything.margin) == (0, 0, 0, 0)


def test_a_draw_is_the_same_whatever_the_parts(tmp_path: Path, tuned: Path) -> None:
    recipe = Recipe.load(tuned / "recipe.yaml", [f"workspace={tmp_path / 'work'}", "ingest.part_rows=70"])
    run(recipe, LocalRunner(), Silent(), targets=["tune/found"])
    assert results_of(tmp_path) == results_of(tuned)


_opened: list[str] = []
_auditing = False


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _auditing and event == "open":
        _opened.append(str(arguments[0]))


def test_files_of_test_sets_are_never_opened(tmp_path: Path) -> None:
    global _auditing
    path = recipe_file(tmp_path, TUNE.replace("papers", "deciles"))
    dev = tmp_path / "dev"
    write_sts(dev / "STS2012-gold", seed=8)
    write_sts(dev / "STS2016", seed=9)
    for name in ("sts-test.csv", "sts-dev.csv", "SICK_test_annotated.txt", "SICK_train.txt", "test.data"):
        (dev / name).write_bytes(b"\xff\xfe not even text")
    (dev / "SICK_trial.txt").write_text(
        "id\tA\tB\tscore\tjudgment\n"
        + "".join(f"{n}\t{' '.join(SUBJECTS[: 1 + n])}\ttwo men\t{1 + n % 5}\tX\n" for n in range(8))
    )
    sys.addaudithook(_audit)
    _auditing = True
    try:
        run(Recipe.load(path), LocalRunner(), Silent(), targets=["tune/found"])
        make_plan(Recipe.load(path))
    finally:
        _auditing = False
    of_sets = {Path(name).relative_to(dev) for name in _opened if name.startswith(str(dev))}
    assert of_sets == {
        Path("STS2012-train/STS.input.phrases.txt"),
        Path("STS2012-train/STS.gs.phrases.txt"),
        Path("SICK_trial.txt"),
    }
    assert results_of(tmp_path).development == {"SICK-trial": 8, "phrases": 40}
    check_draws(tmp_path, 11)


def test_other_development_sets_can_be_named(tuned: Path, tmp_path: Path) -> None:
    path = recipe_file(tmp_path)
    write_sts(tmp_path / "dev/STS2016", seed=9)
    (tmp_path / "dev/STS2016/STS.gs.phrases.txt").rename(tmp_path / "dev/STS2016/STS.gs.answers.txt")
    (tmp_path / "dev/STS2016/STS.input.phrases.txt").rename(tmp_path / "dev/STS2016/STS.input.answers.txt")
    recipe = Recipe.load(path, ["tune.found.dev_sets=sts2016"])
    run(recipe, LocalRunner(), Silent(), targets=["tune/found"])
    assert results_of(tmp_path).development == {"answers": 40}
    assert make_plan(Recipe.load(path)).condition("trials/found").state == "stale"


@pytest.mark.parametrize(("order", "keep"), [("best", 1), ("random", 1), ("best", 3)])
def test_each_range_takes_the_first_candidate_within_its_bounds(
    tmp_path: Path, order: str, keep: int
) -> None:
    """Wieting et al. 2017, section 5.7, by a plain loop over the stored lists."""
    write_recipe(tmp_path, str(write_model(tmp_path / "model")), ", keep_candidates: 3")
    write_sts(tmp_path / "dev/STS2012-train")
    file = tmp_path / "recipe.yaml"
    scores = "\n  translation_cost: {}\n  translation_length: {}\n"
    text = file.read_text().replace("{translation_cost: {}}", scores) + (
        f"choose: {{order: {order}, where: translation_length < 14, keep: {keep}}}\n"
        "tune: {found: {data: dev, scores: [translation_length], ranges: papers, pairs: 2, "
        "text: {max_tokens: 100}}}\n"
    )
    file.write_text(text)
    run(Recipe.load(file), LocalRunner(), Silent(), targets=["pool/found"])
    pool, lists = rows_of(tmp_path, "pool/found"), rows_of(tmp_path)
    seed = make_plan(Recipe.load(file)).stage("choose").work.seed
    taken = 0
    for part in paper_ranges("translation_length", TranslationLength()):
        low, high = (int(bound) for bound in part.name.split("-to-"))
        expected = {}
        for row in lists:
            ranked = [each["text"] for each in row["candidates"]]
            if order == "random":
                ranks = np.arange(1, len(ranked) + 1)
                keys = random_keys([row["pair_id"]], np.zeros(len(ranked), int), ranks, seed)
                ranked = [ranked[place] for place in np.argsort(keys)]
            for candidate in ranked:
                if low <= len(candidate.split()) <= min(high, 13):
                    expected[row["pair_id"]] = candidate
                    break
        inside = [row for row in pool if row[part.key]]
        found = {row["pair_id"]: row["translation"] for row in inside}
        assert len(found) == len(inside)
        assert found == {pair: text for pair, text in expected.items() if text}
        taken += len(found)
    assert taken > 50
    chosen = {row["pair_id"]: row["translation"] for row in rows_of(tmp_path, "choose") if row["translation"]}
    assert {row["pair_id"]: row["translation"] for row in pool if row[ALL_PAIRS.key]} == chosen


GRID = TUNE.replace("    scores: [trigram_overlap]\n    ranges: papers\n", "").replace(
    "    pairs: 25\n",
    """    pairs: 25
    where: trigram_overlap < 0.9
    grid: {{margin: [0.3, 0.6], encoder.dropout: [0, 0.2], text.tags: [none, end]}}
    test: {data}/tests
""",
)


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a recipe whose grid was computed, with two test sets of the same name."""
    folder = tmp_path_factory.mktemp("searched")
    path = recipe_file(folder, GRID)
    write_sts(folder / "dev/tests/STS2014", seed=5)
    write_sts(folder / "dev/tests/STS2015", seed=6)
    run(Recipe.load(path), LocalRunner(), Silent(), targets=["tune/found"])
    return folder


def test_every_combination_is_trained_and_measured(searched: Path) -> None:
    """The trials of a setting are those of an encoder trained with its options, recomputed one by one."""
    results = results_of(searched)
    expected = [
        {"margin": margin, "encoder.dropout": dropout, "text.tags": tags}
        for margin in (0.3, 0.6)
        for dropout in (0, 0.2)
        for tags in ("none", "end")
    ]
    assert results.is_grid and [result.values for result in results.results] == [{}, *expected]
    plan = make_plan(Recipe.load(searched / "recipe.yaml"))
    stage, workspace = plan.stage("trials/found"), Workspace(str(searched / "work"))
    entry = plan.recipe.tune["found"]
    pool = pq.read_table([searched / "work" / file for file in plan.stage("pool/found").files]).to_pylist()
    inside = [row for row in pool if row["all-pairs"]]
    overlaps = {row["pair_id"]: row["trigram_overlap"] for row in scores_of(plan, "trigram_overlap")}
    assert {row["pair_id"] for row in inside} == {pair for pair, value in overlaps.items() if value < 0.9}
    seed = stage.work.seed
    place = 6  # margin 0.6, no dropout, an end tag; its second seed
    number = derive_seed(seed, "2")
    ids = [row["pair_id"] for row in inside]
    keys = sample_keys(ids, number)
    rows = np.flatnonzero(drawn(keys, find_cuts(keys, Smallest(25))))
    options = replace(
        entry.options,
        margin=0.6,
        seed=number,
        device="cpu",
        text=replace(entry.options.text, tags="end"),
    )
    pairs = PairList(*([inside[row][side] for row in rows] for side in ("reference", "translation")))
    with single_thread():
        trained = train_encoder(pairs, options, searched / "own", searched / "own-scratch")
        trained.write(searched / "own")
    encoder = SentenceEncoder.load(searched / "own")
    part = f"{results.results[place].range.key}/2"
    (file,) = [file for task, file in zip(stage.tasks, stage.files, strict=True) if task.part == part]
    trial = read_trial(workspace, file)
    tests = {dataset.label: dataset for dataset in read_sts(str(searched / "dev/tests"))}
    assert set(trial.tested) == {"phrases of 2014", "phrases of 2015"} == set(tests)
    for label, dataset in tests.items():
        own = pearson(pair_cosines(encoder, dataset), np.array(dataset.gold))
        assert trial.tested[label] == pytest.approx(own, abs=1e-6)
    assert results.results[place].tests[1] == pytest.approx(100 * np.mean(list(trial.tested.values())))


def scores_of(plan: Plan, name: str) -> list[dict[str, object]]:
    stage = plan.stage(f"score/{name}")
    return [row for file in stage.files for row in pq.read_table(plan.workspace.path(file)).to_pylist()]


def test_a_grid_says_what_the_tests_would_have_chosen(searched: Path) -> None:
    results = results_of(searched)
    best = max(results.results, key=lambda result: np.mean(result.tests))
    assert results.oracle == best
    winner = results.winner
    assert winner is not None and len(winner.fresh_tests) == 2
    assert f"fresh seeds is {np.median(winner.fresh_tests):.2f}" in results.verdict
    uneven = replace(winner, fresh_tests=(1.0, 2.0, 9.0))  # of two, the median is the mean
    others = tuple(uneven if result == winner else result for result in results.results)
    assert "over 3 fresh seeds is 2.00." in replace(results, results=others).verdict
    # Another one than the winner may be the best on the test sets.
    loser = next(result for result in results.results[1:] if result != winner)
    best = replace(loser, tests=tuple(100.0 for _ in loser.tests))
    changed = replace(results, results=tuple(best if one == loser else one for one in results.results))
    assert changed.oracle == best != changed.winner
    assert f"{best.range.label} would have been the best, with a mean of 100.00" in changed.verdict
    assert yaml.safe_load(results.fragment) == {
        "train": {
            "found": {
                "margin": winner.values["margin"],
                "encoder": {"dropout": winner.values["encoder.dropout"]},
                "text": {"tags": winner.values["text.tags"]},
            }
        }
    }
    shown = paranmt("tune", searched / "recipe.yaml").stdout
    assert (
        "as given" in shown
        and "margin 0.6, encoder.dropout 0.2, text.tags end" in shown
        and "median" in shown
    )
    assert (searched / "work/tune/found/index.html").read_text().count("the options as given") >= 2


def test_one_more_value_keeps_the_finished_trials_of_the_others(searched: Path) -> None:
    grid = "{margin: [0.3, 0.45, 0.6], encoder.dropout: [0, 0.2], text.tags: [none, end]}"
    recipe = Recipe.load(searched / "recipe.yaml", [f"tune.found.grid={grid}"])
    condition = make_plan(recipe).condition("trials/found")
    assert (condition.parts, condition.parts_done) == (2 * 13, 2 * 9)


def test_a_forecast_counts_the_epochs_of_each_setting(tmp_path: Path) -> None:
    path = recipe_file(tmp_path, TUNE.replace("    scores: [trigram_overlap]\n    ranges: papers\n", ""))
    recipe = Recipe.load(path, ["tune.found.grid={epochs: [2, 5]}"])
    run(recipe, LocalRunner(), Silent(), only="ingest")
    stage = make_plan(recipe).stage("trials/found")
    # Each of two seeds trains on 25 pairs: as the options say (1 epoch), for 2 epochs, and for 5.
    assert stage.kind.trials(stage) == (6, 2 * 25 * (1 + 2 + 5) // 6)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("{margn: [0.3]}", "grid.*margn: unknown key; did you mean margin"),
        ("{encoder.droput: [0.3]}", "droput: unknown key; did you mean dropout"),
        ("{nothing.here: [0.3]}", "grid.nothing.here: no such option"),
        ("{margin: [wide]}", "margin: expected a number, got 'wide'"),
        ("{encoder.dropout: [2]}", "dropout"),
        ("{margin: []}", "grid has 0 combinations"),
        ("{text.units: [words, subwords]}", "have no subwords"),
        ("{vectors: [a.txt]}", "vectors: it is the same for all trials: set vectors beside grid"),
        (f"{{margin: {[0.1] * 40}, delta: {[1] * 40}}}", "grid has 1,600 combinations"),
    ],
)
def test_grids_that_are_none(tmp_path: Path, grid: str, message: str) -> None:
    path = recipe_file(tmp_path, TUNE.replace("    scores: [trigram_overlap]\n    ranges: papers\n", ""))
    with pytest.raises(RecipeError, match=message):
        Recipe.load(path, [f"tune.found.grid={grid}"])


def test_a_condition_on_columns_that_are_not_there(tmp_path: Path) -> None:
    path = recipe_file(tmp_path)
    for where, message in (
        ("trigam_overlap < 1", "did you mean trigram_overlap"),
        ("corpus = 'a'", "corpus"),
    ):
        with pytest.raises(RecipeError, match=f"tune.found.where: .*{message}"):
            Recipe.load(path, [f"tune.found.where={where}"])


def test_a_folder_without_development_sets_is_refused(tmp_path: Path) -> None:
    write_sts(tmp_path / "STS2012-test")
    with pytest.raises(InputError, match="holds no development set"):
        development_files([str(tmp_path)])
    write_sts(tmp_path / "STS2012-train")
    with pytest.raises(InputError, match="occurs twice"):
        read_development([str(tmp_path), str(tmp_path)])


@pytest.mark.parametrize("data", ["sts-semeval/STS2012-train", "sts-semeval"])
def test_the_real_train_part_has_the_papers_pairs(shared: Path, data: str) -> None:
    found = read_development([str(shared / "data" / data), str(shared / "data" / "sick2014")])
    assert {dataset.name: len(dataset.gold) for dataset in found} == {
        "MSRpar": 750,
        "MSRvid": 750,
        "SICK-trial": 500,
        "SMTeuroparl": 734,
    }


# --- what is chosen, and the intervals


def trial(key: str, r: float, n: int = 40) -> Trial:
    """A trial whose cosines have exactly the correlation r with the scores of its one set."""
    gold = np.tile([0.0, 1.0, 0.0, 1.0], n // 4) - 0.5
    other = np.tile([0.0, 0.0, 1.0, 1.0], n // 4) - 0.5
    return Trial(key, {"set": (r * gold + np.sqrt(1 - r * r) * other, gold)})


RANGES = (
    ALL_PAIRS,
    ScoreRange("s", "low", "low", "l", "s < 1"),
    ScoreRange("s", "high", "high", "h", "s >= 1"),
)


def test_the_mean_of_a_trial_is_over_sets() -> None:
    both = Trial("s/low", {"a": trial("", 0.5).sets["set"], "b": trial("", 0.9).sets["set"]})
    assert both.mean == pytest.approx(70)
    assert replace(both, sets={**both.sets, "b": (np.ones(40), both.sets["b"][1])}).mean is None


def test_the_best_range_has_the_highest_mean_and_ties_go_to_the_first() -> None:
    low, high, empty = trial("s/low", 0.5), trial("s/high", 0.5), Trial("", {})
    assert best_range([("s/low", low), ("s/high", high)]) == "s/low"
    assert best_range([("s/low", low), ("s/high", trial("s/high", 0.6))]) == "s/high"
    assert (
        best_range([("s/low", trial("", 0.9)), ("s/low", empty), ("s/high", high), ("s/high", high)])
        == "s/high"
    )
    assert best_range([("s/low", empty)]) is None


def test_figures_worked_by_hand() -> None:
    by_seed = {ALL_PAIRS.key: (0.5, 0.6), "s/low": (0.55, 0.7), "s/high": (0.4, 0.4)}
    first = {key: {str(n): trial(key, r) for n, r in enumerate(rs)} for key, rs in by_seed.items()}
    again = {"s": (0.6, 0.7), ALL_PAIRS.key: (0.6, 0.5)}
    fresh = {key: {str(n): trial("s/low", r) for n, r in enumerate(rs)} for key, rs in again.items()}
    sizes = {part.key: 100 for part in RANGES}
    found = tuning_results("x", RANGES, sizes, first, fresh, 10, 1)
    baseline, low, high = found.results
    assert low.first is not None and high.first is not None and low.fresh is not None
    assert low.first.mean == pytest.approx(62.5) and low.first.sd == pytest.approx(15 / 2**0.5)
    # The differences are 5 and 10: 7.5 on average with an s.d. of 3.54; t of one degree of freedom is 12.706.
    assert low.first.difference == pytest.approx(7.5)
    assert low.first.margin == pytest.approx(12.706 * 3.5355 / 2**0.5, rel=1e-3)
    assert high.first.difference == pytest.approx(-15) and high.fresh is None
    assert low.fresh.difference == pytest.approx((0 + 20) / 2)
    assert found.winner == low and "where: s < 1" in found.fragment
    assert not found.is_certain
    assert not low.fresh.is_better and "s, low. It is not certainly better" in found.verdict
    assert [row.values["range"] for row in found.best_table().rows] == ["low", "random sample"]


def test_a_range_with_too_few_pairs_has_no_figures() -> None:
    first = {
        key: {str(n): trial(key, 0.5) if key != "s/low" else Trial("", {}) for n in range(2)}
        for key in (part.key for part in RANGES)
    }
    fresh = {key: {str(n): trial("s/high", 0.5) for n in range(2)} for key in ("s", ALL_PAIRS.key)}
    found = tuning_results("x", RANGES, {part.key: 5 for part in RANGES}, first, fresh, 10, 1)
    assert found.results[1].first is None and found.table().rows[1].note == "too few pairs"
    assert found.winner == found.results[2]


# --- as a stage


def test_a_lost_trial_alone_is_run_again_and_more_scores_leave_trials_fresh(
    tuned: Path, tmp_path: Path
) -> None:
    work = tuned / "work"
    before = (work / "tune" / "found" / "results.json").read_bytes()
    lost = sorted((work / "trials" / "found" / "trigram_overlap" / "0-to-0.7").glob("1-*.parquet"))
    lost[0].unlink()
    recipe = Recipe.load(tuned / "recipe.yaml")
    assert make_plan(recipe).condition("trials/found").state == "partial"
    observer = Silent()
    run(recipe, LocalRunner(), observer, targets=["tune/found"])
    assert observer.parts == ["trials/found"]
    assert (work / "tune" / "found" / "results.json").read_bytes() == before
    # Further scores and seeds are new work, and repeat nothing.
    for overrides, kept, repeated in (
        (["tune.found.scores=[trigram_overlap, perplexity]"], 2 * 21, False),
        (["tune.found.seeds=3"], 2 * 21, False),
        (["tune.found.pairs=24"], 0, True),
    ):
        condition = make_plan(Recipe.load(tuned / "recipe.yaml", overrides)).condition("trials/found")
        assert (condition.parts_done, condition.again > 0) == (kept, repeated)


def test_only_what_tuning_needs_is_computed_and_clean_keeps_it(tuned: Path) -> None:
    work = tuned / "work"
    assert not (work / "release").exists() and not (work / "score" / "perplexity").exists()
    removed = clean(Recipe.load(tuned / "recipe.yaml"), dry_run=True).removed
    assert not [name for name in removed if name.startswith(("pool", "trials", "fresh", "tune", "_built"))]


def test_clean_keeps_the_checkpoints_of_trials_that_go_on(tuned: Path) -> None:
    recipe = Recipe.load(tuned / "recipe.yaml")
    wanted = make_plan(recipe).stage("trials/found").tasks[0].key
    files = [f"_temporary/trials-found-{key}/checkpoint.safetensors" for key in (wanted, "0123456789abcdef")]
    for name in files:
        (tuned / "work" / name).parent.mkdir(parents=True)
        (tuned / "work" / name).write_text("a checkpoint")
    assert [name for name in clean(recipe).removed if name in files] == files[1:]
    assert (tuned / "work" / files[0]).exists()


def test_too_few_pairs_for_any_trial_is_an_error(tmp_path: Path) -> None:
    path = recipe_file(tmp_path, TUNE.replace("pairs: 25", "pairs: 400"))
    with pytest.raises(InputError, match="only 350 pairs can be trained on, fewer than the 400"):
        run(Recipe.load(path), LocalRunner(), Silent(), targets=["tune/found"])


def test_a_pool_is_a_sample_of_all_pairs(tmp_path: Path, tuned: Path) -> None:
    recipe = Recipe.load(tuned / "recipe.yaml", [f"workspace={tmp_path / 'work'}", "tune.found.pool=60"])
    run(recipe, LocalRunner(), Silent(), targets=["pool/found"])
    ids = duckdb.sql(f"select pair_id from read_parquet('{tmp_path}/work/ingest/*/*.parquet')").fetchall()
    keys = sample_keys([pair_id for (pair_id,) in ids], derive_seed(recipe.seed_of("tune/found"), "pool"))
    expected = {ids[row][0] for row in np.flatnonzero(drawn(keys, find_cuts(keys, Smallest(60))))}
    pool = duckdb.sql(
        f"select pair_id from read_parquet('{tmp_path}/work/pool/found/*/*.parquet')"
    ).fetchall()
    assert {pair_id for (pair_id,) in pool} == expected and len(expected) == 60


def test_the_command_prints_tables_and_a_fragment_that_works(tuned: Path) -> None:
    done = paranmt("tune", tuned / "recipe.yaml", "--only", "found")
    results = results_of(tuned)
    assert done.exit_code == 0 and "trigram_overlap" in done.stdout
    assert (results.fragment in done.stdout) == results.is_certain
    assert results.verdict[:30] in done.stderr
    recipe = (tuned / "recipe.yaml").read_text().replace("select:\n", results.fragment)
    where = Recipe.from_yaml(recipe).select["found"].where
    assert results.winner is not None and where == results.winner.range.where
    printed = json.loads(ok("tune", tuned / "recipe.yaml", "--json"))
    assert TUNING_RESULTS.validate_python(printed["found"], strict=False) == results
    refused = paranmt("tune", tuned / "recipe.yaml", "--only", "lost")
    assert refused.exit_code == 2 and "no entry 'lost' in `tune`; there are: found" in refused.stderr


def test_a_recipe_without_tune_says_what_to_add(tmp_path: Path) -> None:
    recipe = load(tmp_path, recipe_text(tmp_path, {"first": 30}))
    assert not recipe.tune
    refused = paranmt("tune", tmp_path / "recipe.yaml")
    assert refused.exit_code == 2 and "add one" in refused.stderr


def test_the_report_and_the_page_show_the_results(tuned: Path) -> None:
    page = (tuned / "work" / "tune" / "found" / "index.html").read_text()
    results = results_of(tuned)
    assert results.verdict.split(":")[0] in page
    assert page.count('<svg class="chart"') == 1
    assert re.search(r'<div class="scroll"[^>]*>\s*<svg class="chart"', page)  # wider than a phone
    assert "<h1>Tuning: found</h1>" in page
    trained = [result for result in results.results[1:] if result.first is not None]
    assert page.count('<circle class="point"') == len(trained)


def test_trials_count_the_pairs_that_they_train_on(tuned: Path) -> None:
    """Their tables have the pairs of the development sets, and another number of rows."""
    plan = make_plan(Recipe.load(tuned / "recipe.yaml"))
    for name in ("trials/found", "fresh/found"):
        stage = plan.stage(name)
        manifest = read_manifest(plan.workspace, stage.folder, stage.key)
        assert manifest is not None
        computed = pairs_computed(stage, manifest.parts, stage.rows)
        epochs = stage.work.options_of(stage.tasks[0]).epochs
        trained_on = sum(entry.counts["trained on"] for entry in manifest.parts)
        assert 0 < computed == trained_on * epochs <= stage.rows


def test_a_trial_is_read_as_it_was_written(tuned: Path) -> None:
    plan = make_plan(Recipe.load(tuned / "recipe.yaml"))
    stage = plan.stage("trials/found")
    first = read_trial(plan.workspace, stage.file(0))
    assert first.range == ALL_PAIRS.key and list(first.sets) == ["phrases"]
    assert [len(side) for side in first.sets["phrases"]] == [40, 40]
    assert first.mean == pytest.approx(100 * np.corrcoef(*first.sets["phrases"])[0, 1])

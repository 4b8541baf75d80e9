"""The stage that translates: what it does with a part, what enters its keys, what a run says of it."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from nmt_models import write_model
from runs import Silent
from translate_runs import SOURCES, go, rows_of, write_recipe

from paranmt.base.errors import ModelError, RecipeError
from paranmt.launch.runners.local import LocalRunner
from paranmt.models.translation import engines as translators
from paranmt.models.translation.precision_comparison import PrecisionComparison, compare, objection
from paranmt.models.translation.torch_engine.search import Searcher
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.transforms.storage.dataset import read_manifest
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.translating import existing_translations, score_column, translate_column


class Counting:
    """A translator that says how long a sentence is, and keeps what it is asked."""

    halvings = 0

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.scored: list[tuple[str, str]] = []

    def translate(
        self, sentences: Sequence[str], n_best: int = 1, *, token_log_probs: bool = False
    ) -> list[list[Candidate]]:
        self.asked += sentences
        return [[Candidate(str(len(one)), -1.0, 2, ())] if one else [] for one in sentences]

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        self.scored += zip(sentences, translations, strict=True)
        return [
            None if len(one) > 20 else Candidate(given, -float(len(given)), len(one), ())
            for one, given in zip(sentences, translations, strict=True)
        ]


def test_fifty_thousand_identical_sentences_are_one() -> None:
    translator = Counting()
    source = pa.chunked_array([["abc", ""] * 12_500, ["abc", "de"] * 12_500])
    found = translate_column(translator, source, 1)
    assert sorted(translator.asked) == ["", "abc", "de"]
    assert len(found) == 50_000
    texts = [ranked[0].text if ranked else None for ranked in found]
    assert texts == ["3", None] * 12_500 + ["3", "2"] * 12_500


def test_equal_pairs_are_scored_once_and_impossible_ones_stay_null() -> None:
    translator = Counting()
    source = ["a", "a", "a", "bb", "c", "d" * 30]
    given = ["x", "x", "xy", None, "  ", "z"]
    pairs = pa.table(
        {"pair_id": list("123456"), "source": source, "translation": pa.array(given, pa.string())}
    )
    found = score_column(translator, pairs["source"], pairs["translation"])
    assert translator.scored == [("a", "x"), ("a", "xy"), ("d" * 30, "z")]
    table = existing_translations(pairs, found)
    assert table["translation_log_prob"].to_pylist() == [-1.0, -1.0, -2.0, None, None, None]
    assert table["translation_tokens"].to_pylist() == [1, 1, 1, None, None, None]
    assert table["translation_status"].to_pylist() == ["existing"] * 3 + ["failed"] + ["existing"] * 2
    assert existing_translations(pairs)["translation_log_prob"].null_count == 6


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("stage-model"))


@pytest.mark.parametrize("engine", ["ctranslate2", "torch"])
def test_existing_translations_cost_the_same_as_when_the_model_made_them(
    engine: str, model: Path, tmp_path: Path
) -> None:
    go(write_recipe(tmp_path / "one", str(model), f", engine: {engine}"), last="score")
    made = rows_of(tmp_path / "one")
    assert [row["translation_status"] for row in made] == ["translated"] * 45 + ["failed"]
    (tmp_path / "two").mkdir()
    given = [str(row["translation"] or "t1") for row in made]
    (tmp_path / "two/a.mt").write_text("".join(text + "\n" for text in given))
    there = ", translation: a.mt"
    plain = write_recipe(tmp_path / "two", str(model), f", engine: {engine}", there)
    go(plain, last="score")
    assert all(row["translation_log_prob"] is None for row in rows_of(tmp_path / "two"))
    scored = write_recipe(tmp_path / "two", str(model), f", engine: {engine}, score_existing: true", there)
    assert make_plan(scored).condition("translate").state == "stale"
    go(scored, last="score")
    found = rows_of(tmp_path / "two")
    assert {row["translation_status"] for row in found} == {"existing"}
    for before, after in zip(made[:45], found[:45], strict=True):
        assert after["translation"] == before["translation"]
        assert after["translation_log_prob"] == pytest.approx(before["translation_log_prob"], abs=1e-4)
        assert after["translation_tokens"] == before["translation_tokens"]
    assert found[45]["translation_log_prob"] is found[45]["translation_tokens"] is None  # too long a source
    costs = [rows_of(folder, "score/translation_cost") for folder in (tmp_path / "one", tmp_path / "two")]
    for one, two in zip(*costs, strict=True):
        assert one["translation_cost"] == pytest.approx(two["translation_cost"], abs=1e-4)
    # How translations are searched for is nothing to those that are there; the model is.
    other = Recipe.load(tmp_path / "two/recipe.yaml", ["translate.beam=5", "translate.max_length=9"])
    assert make_plan(other).condition("translate").state == "fresh"
    other = Recipe.load(tmp_path / "two/recipe.yaml", ["translate.batch_tokens=64"])
    assert make_plan(other).condition("translate").state == "stale"


def test_pairs_that_are_not_wanted_are_not_translated(model: Path, tmp_path: Path) -> None:
    scores = "\n  source_length: {}\n  reference_length: {}\n  source_copy_grade: {}\n"
    words = sorted({word for text in SOURCES for word in text.split()})
    (tmp_path / "vectors.txt").write_text("".join(f"{word} 1 {row}\n" for row, word in enumerate(words)))
    cross_lingual = "score: paraphrase_similarity, sides: [source, reference], vectors: ../vectors.txt"
    scores += f"  cross_lingual: {{{cross_lingual}}}\n"
    everything = write_recipe(tmp_path / "one", str(model), ", keep_candidates: 2")
    go(everything)
    condition = (
        "source_length between 3 and 5 and reference_length > 2 and corpus = 'a' and cross_lingual > -2"
    )
    write_recipe(tmp_path / "two", str(model), ", keep_candidates: 2")
    file = tmp_path / "two/recipe.yaml"
    file.write_text(file.read_text().replace("{translation_cost: {}}", f"\n  translation_cost: {{}}{scores}"))
    recipe = Recipe.load(file, [f"translate.where={condition}"])
    go(recipe, last="release")
    lengths = rows_of(tmp_path / "two", "score/source_length")
    wanted = [3 <= int(str(row["source_length"])) <= 5 for row in lengths]
    assert 0 < sum(wanted) < len(SOURCES)
    for row, alone, is_wanted in zip(
        rows_of(tmp_path / "two"), rows_of(tmp_path / "one"), wanted, strict=True
    ):
        if is_wanted:
            assert (row["translation"], row["translation_status"]) == (alone["translation"], "translated")
            assert row["translation_log_prob"] == pytest.approx(alone["translation_log_prob"], abs=1e-4)
        else:
            assert (row["translation"], row["translation_status"]) == (None, "not_wanted")
            assert row["candidates"] == []
    manifest = json.loads((tmp_path / "two/work/release/manifest.json").read_text())
    assert manifest["translation"]["not_wanted"] == len(SOURCES) - sum(wanted)
    # The condition is in the keys of the parts; other text for the same condition is not.
    for where, state in ((condition.upper().replace("'A'", "'a'"), "fresh"), ("source_length > 3", "stale")):
        changed = Recipe.load(file, [f"translate.where={where}"])
        assert make_plan(changed).condition("translate").state == state
    # So are the sides that are compared.
    for sides, state in (("[source, reference]", "fresh"), ("[source, translation]", "stale")):
        changed = Recipe.load(file, [f"scores.cross_lingual.sides={sides}"])
        assert make_plan(changed).condition("score/cross_lingual").state == state


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("source_lenth > 3", "did you mean source_length"),
        ("translation_cost < 1", "translation_cost is not known before the translation; there are: corpus, "),
        ("source_length_decile > 3", "source_length_decile is not known before"),
        ("perplexity > 3", "perplexity is not known before"),
        ("pair_id = 'a'", "pair_id is not known before"),
        ("source_length", "not true or false"),
    ],
)
def test_a_condition_on_what_is_not_known_before_translation(where: str, message: str) -> None:
    text = f"""\
bitext: [{{corpus: a, format: moses, source: a, reference: b, source_language: xx}}]
translate: {{model: m, where: "{where}"}}
scores:
  translation_cost: {{}}
  source_length: {{}}
  perplexity: {{side: reference}}
"""
    with pytest.raises(RecipeError, match=f"translate.where: .*{message}"):
        Recipe.from_yaml(text)


def test_the_target_language_enters_the_keys_of_parts(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    for name in ("config.json", "pytorch_model.bin", "source.spm", "target.spm", "vocab.json"):
        (model / name).write_text('{">>deu<<": 0, ">>fra<<": 1}')
    (tmp_path / "a.mt").write_text("t1\n" * len(SOURCES))
    for existing in ("", ", translation: a.mt"):
        go(write_recipe(tmp_path, str(model), ", target_language: fra", existing), last="ingest")
        keys = set()
        for language in ("deu", "fra"):
            translate = f", score_existing: true, target_language: {language}"
            stage = make_plan(write_recipe(tmp_path, str(model), translate, existing)).stage("translate")
            keys |= {task.key for task in stage.part_tasks}
        assert len(keys) == 2 * len(stage.part_tasks) == 4
    with pytest.raises(
        RecipeError, match="reference_language of the entry a .* is 'en', .*; there are deu, fra"
    ):
        make_plan(write_recipe(tmp_path, str(model)))


def test_costs_of_existing_translations_need_a_model(tmp_path: Path) -> None:
    text = """\
bitext: [{corpus: a, format: moses, source: a, reference: b, translation: c, source_language: xx}]
translate: {score_existing: true}
"""
    with pytest.raises(RecipeError, match=r"translate.model: .*because score_existing computes its costs"):
        Recipe.from_yaml(text)


def test_a_full_gpu_is_reported(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = write_recipe(tmp_path, str(model), ", engine: torch")
    assert not [text for text in go(recipe) if "warning" in text]
    whole = rows_of(tmp_path)
    begin = Searcher._begin

    def full(self: Searcher, numbers: np.ndarray, *rest: object) -> object:
        if len(numbers) > 20:
            raise torch.cuda.OutOfMemoryError("full")
        return begin(self, numbers, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Searcher, "_begin", full)
    observer = Silent()
    run(recipe, LocalRunner(), observer, redo="translate")
    manifest = read_manifest(Workspace(str(tmp_path / "work")), "translate")
    assert manifest is not None
    # 30 rows of at most 9 tokens are one batch of 1,024; 16 rows of the second part always fit.
    halvings = manifest.parts[0].counts["halvings"]
    assert halvings >= 2
    assert "halvings" not in manifest.parts[1].counts
    rows = rows_of(tmp_path)
    tokens = sum(int(str(row["translation_tokens"] or 0)) for row in rows)
    assert manifest.counts == {"failed": 1, "halvings": halvings, "tokens": tokens, "translated": 45}
    assert observer.messages == [
        f"warning: translate: the GPU ran out of memory {halvings} times, and 1 of 2 parts had to start "
        "again with smaller batches (`halvings` in the manifest); a lower translate.batch_tokens avoids this"
    ]
    assert [row["translation"] for row in rows] == [row["translation"] for row in whole]


def test_an_ensemble_from_a_recipe(model: Path, tmp_path: Path) -> None:
    other = write_model(tmp_path / "other", seed=2)
    (other / "model.pt").rename(other / "checkpoint2.pt")
    (other / "model.pt").write_bytes((model / "model.pt").read_bytes())
    both = f"[{model}, {other / 'checkpoint2.pt'}]"
    recipe = write_recipe(tmp_path / "run", both)
    assert recipe.translate.models == (str(model), str(other / "checkpoint2.pt"))
    go(recipe)
    manifest = read_manifest(Workspace(str(tmp_path / "run/work")), "translate")
    assert manifest is not None and manifest.ingredients["engine"] == "torch"
    texts = [row["translation"] for row in rows_of(tmp_path / "run")]
    options = replace(recipe.located().translate, engine="fairseq")
    theirs = translators.load(translators.resolve(options), tmp_path, threads=1).translate(SOURCES)
    assert texts == [ranked[0].text if ranked else None for ranked in theirs]
    alone = translators.load(
        translators.resolve(replace(options, model=str(model))), tmp_path, threads=1
    ).translate(SOURCES)
    assert texts != [ranked[0].text if ranked else None for ranked in alone]
    # Another member is another model.
    keys = {make_plan(recipe).stage("translate").key}
    for wanted in (str(model), f"[{model}, {model}]"):
        keys.add(make_plan(write_recipe(tmp_path / "run", wanted, ", engine: torch")).stage("translate").key)
    assert len(keys) == 3
    with pytest.raises(RecipeError, match="names 2 models, but the engine ctranslate2 takes one"):
        write_recipe(tmp_path / "run", both, ", engine: ctranslate2")


def test_search_options_in_a_recipe(model: Path, tmp_path: Path) -> None:
    plain = write_recipe(tmp_path / "run", str(model), ", engine: torch")
    made_of = make_plan(plain).stage("translate").ingredients
    assert made_of["search"] is None and made_of["cuda_graphs"] is False
    graphs = write_recipe(tmp_path / "run", str(model), ", engine: torch, cuda_graphs: true")
    assert make_plan(graphs).stage("translate").ingredients["cuda_graphs"] is True
    keys = {make_plan(plain).stage("translate").key}
    for seed in (1, 2):
        drawn = f", keep_candidates: 2, search: {{sampling: true, top_k: 20, seed: {seed}}}"
        recipe = write_recipe(tmp_path / "run", str(model), drawn)
        go(recipe)
        manifest = read_manifest(Workspace(str(tmp_path / "run/work")), "translate")
        assert manifest is not None and manifest.ingredients["engine"] == "torch"
        keys.add(manifest.key)
        texts = [row["translation"] for row in rows_of(tmp_path / "run")]
        theirs = translators.load(translators.resolve(recipe.located().translate), tmp_path, threads=1)
        assert texts == [ranked[0].text if ranked else None for ranked in theirs.translate(SOURCES)]
    assert len(keys) == 3
    with pytest.raises(RecipeError, match="search is for the engine torch, .* ctranslate2"):
        write_recipe(tmp_path / "run", str(model), ", engine: ctranslate2, search: {sampling: true}")
    with pytest.raises(RecipeError, match="translate.search.temperature: expected above 0, got 0.0"):
        write_recipe(tmp_path / "run", str(model), ", search: {temperature: 0.0}")
    with pytest.raises(RecipeError, match="cannot be cut into 7"):
        write_recipe(tmp_path / "run", str(model), ", search: {groups: 7}")


@pytest.mark.parametrize("engine", ["torch", "fairseq"])
def test_the_models_of_an_ensemble_share_their_words(engine: str, model: Path, tmp_path: Path) -> None:
    other = write_model(tmp_path / "other", seed=2)
    words = (other / "dict.en.txt").read_text().splitlines()
    (other / "dict.en.txt").write_text("\n".join([words[1], words[0], *words[2:]]) + "\n")
    options = TranslateOptions(model=(str(model), str(other)), engine=engine, device="cpu")
    with pytest.raises(ModelError, match="the same dictionaries and subwords"):
        translators.load(translators.resolve(options), tmp_path)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (PrecisionComparison("int8", 1000, 500, 38.3, 38.0), None),
        (PrecisionComparison("int8", 1000, 999, 38.3, 37.95), "BLEU is 0.35 lower, more than 0.3"),
        (PrecisionComparison("int8", 1000, 0, 38.3, 45.0), None),
        (PrecisionComparison("float16", 1000, 990, 38.3, 38.25), None),
        (
            PrecisionComparison("float16", 1000, 989, 38.3, 38.3),
            "98.9 % of the translations are the same, fewer than 99 %",
        ),
        (PrecisionComparison("float16", 1000, 1000, 38.3, 38.45), "BLEU differs by 0.15, more than 0.1"),
        (
            PrecisionComparison("bfloat16", 1000, 951, 38.3, 38.3),
            "95.1 % of the translations are the same, fewer than 99 %",
        ),
        (PrecisionComparison("bfloat16", 1000, 995, 38.3, 38.1), "BLEU differs by 0.20, more than 0.1"),
        (PrecisionComparison("bfloat16", 1000, 995, 38.3, 38.21), None),
    ],
)
def test_objections_to_a_precision(found: PrecisionComparison, expected: str | None) -> None:
    assert objection(found) == expected


def test_comparing_translations() -> None:
    texts = ["the cat sat on the mat", "a dog runs in the park", ""]
    found = compare("int8", texts, [texts[0], "some other words come here", ""], texts)
    assert (found.sentences, found.same, found.exact_bleu) == (3, 2, pytest.approx(100.0))
    assert 0 < found.bleu < 100


def test_a_precision_is_compared_once_and_refused_unless_forced(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paranmt.models.translation.precision_comparison.MOST_BLEU", {"int8": -101.0})
    recipe = write_recipe(tmp_path, str(model), ", engine: ctranslate2, precision: int8")
    refused = r"int8 is refused: BLEU is -?[\d.]+ lower, more than -101.0 \(BLEU .* on|force_precision: true"
    with pytest.raises(RecipeError, match=refused):
        go(recipe)
    file = next((tmp_path / "work/_built/translate/precision").glob("*/precision.json"))
    written = file.stat().st_mtime_ns, hashlib.sha256(file.read_bytes()).hexdigest()
    assert read_manifest(Workspace(str(tmp_path / "work")), "translate") is None
    with pytest.raises(RecipeError, match="46 translations the same"):
        go(recipe)
    forced = Recipe.load(tmp_path / "recipe.yaml", ["translate.force_precision=true"])
    assert go(forced) == []
    assert len(rows_of(tmp_path)) == 46
    monkeypatch.setattr("paranmt.models.translation.precision_comparison.MOST_BLEU", {"int8": 101.0})
    # Forcing changes nothing of the translations, and the figures are kept.
    assert make_plan(recipe).condition("translate").state == "fresh"
    observer = Silent()
    run(recipe, LocalRunner(), observer, redo="translate")
    (message,) = observer.messages
    assert message.startswith("translate: int8 is as good as float32: BLEU ")
    assert (file.stat().st_mtime_ns, hashlib.sha256(file.read_bytes()).hexdigest()) == written
    other = Recipe.load(tmp_path / "recipe.yaml", ["translate.beam=2"])
    assert go(other)[0] == "translate: comparing int8 with float32 on up to 1,000 sentences"


def test_float32_is_compared_with_nothing(model: Path, tmp_path: Path) -> None:
    assert go(write_recipe(tmp_path, str(model))) == []
    assert not (tmp_path / "work/_built/translate").exists()

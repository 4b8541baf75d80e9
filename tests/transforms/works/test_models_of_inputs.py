"""Inputs that are translated by models of their own."""

import json
import re
from pathlib import Path

import pytest
from commands import paranmt
from nmt_models import write_model
from runs import Silent
from translate_runs import SOURCES, go, rows_of, write_recipe

from paranmt.base.errors import RecipeError
from paranmt.launch.runners.local import LocalRunner
from paranmt.models.translation import engines
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.verify import verify
from paranmt.pipeline.release.verify_sample import verify_sample
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.transforms.beam.stage_pipeline import Dataset, run_parts
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.storage.dataset import Entry, read_manifest
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.translating import TranslatePart


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {
        name: write_model(folder / name, seed, updates)
        for name, seed, updates in (("one", 1, 60), ("two", 2, 5))
    }


def recipe_of(folder: Path, models: dict[str, Path], entries: dict[str, str | None]) -> Recipe:
    """A recipe whose corpora (name → model) all have the same text."""
    write_recipe(folder, str(models["one"]))
    text = (folder / "recipe.yaml").read_text()
    (first,) = [line for line in text.splitlines() if "corpus: a" in line]
    lines = [
        first.replace("corpus: a", f"corpus: {name}").replace(
            "}", f", model: {models[model]}}}" if model else "}"
        )
        for name, model in entries.items()
    ]
    (folder / "recipe.yaml").write_text(text.replace(first, "\n".join(lines)))
    return Recipe.load(folder / "recipe.yaml")


def translated(model: Path, sources: list[str]) -> list[str | None]:
    options = TranslateOptions(model=str(model), beam=3, max_length=20, device="cpu")
    lists = engines.load(engines.resolve(options), model.parent / "cache").translate(sources)
    return [candidates[0].text if candidates else None for candidates in lists]


def keys(folder: Path) -> dict[str, str]:
    manifest = read_manifest(Workspace(str(folder / "work")), "translate")
    assert manifest is not None
    return {entry.part: entry.key for entry in manifest.parts}


def test_each_corpus_is_translated_by_its_model(tmp_path: Path, models: dict[str, Path]) -> None:
    go(recipe_of(tmp_path, models, {"a": None, "b": "two", "c": "one"}), last="release")
    rows, texts = rows_of(tmp_path), rows_of(tmp_path, "ingest")
    found = {row["pair_id"]: row["translation"] for row in rows}
    for corpus, model in {"a": "one", "b": "two", "c": "one"}.items():
        own = [row for row in texts if str(row["pair_id"]).startswith(f"{corpus}/")]
        expected = translated(models[model], [str(row["source"]) for row in own])
        assert [found[row["pair_id"]] for row in own] == expected
    manifest = read_manifest(Workspace(str(tmp_path / "work")), "translate")
    assert manifest is not None
    assert [entry.part[0] for entry in manifest.parts] == list("aabbcc"), "in the order of the recipe"
    release = open_release(tmp_path / "work")
    assert release.manifest is not None
    listed = {model.name: model.hash for model in release.manifest.models if model.role == "translate"}
    assert set(listed) == {"one (a, c)", "two (b)"}
    pairs = release.pairs().to_table().to_pylist()
    hashes = {(row["corpus"], row["translation_model_hash"]) for row in pairs}
    assert hashes == {("a", listed["one (a, c)"]), ("b", listed["two (b)"]), ("c", listed["one (a, c)"])}
    assert verify(release) == []
    for name, count in (("one", 90), ("two", 45)):
        check = verify_sample(release, 200, 1, {"translate": str(models[name])})
        assert (check.failures, check.translated) == ([], count)


def test_only_what_a_change_concerns_is_translated_again(tmp_path: Path, models: dict[str, Path]) -> None:
    go(recipe_of(tmp_path, models, {"a": None}))
    before = keys(tmp_path)
    more = recipe_of(tmp_path, models, {"a": None, "b": "two"})
    condition = make_plan(more).condition("translate")
    assert condition.parts_done == 2
    go(more)
    after = keys(tmp_path)
    assert {part: key for part, key in after.items() if part in before} == before
    go(recipe_of(tmp_path, models, {"a": None, "b": "one"}))
    last = keys(tmp_path)
    for part, key in last.items():
        assert (key == after[part]) == part.startswith("a/")


def test_a_model_is_loaded_once_for_all_its_parts(
    tmp_path: Path, models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    load = engines.load

    def counted(options: TranslateOptions, *rest: object) -> object:
        loaded.append(Path(str(options.model)).name)
        return load(options, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("paranmt.transforms.works.translating.load", counted)
    monkeypatch.setattr("paranmt.transforms.beam.model_cache._CAPACITY", 1)
    monkeypatch.setattr("paranmt.transforms.beam.model_cache._models", {})
    recipe = recipe_of(tmp_path, models, {"a": None, "b": "two", "c": "one", "d": "two"})
    run(recipe, LocalRunner(), Silent(), last="translate")
    assert loaded == ["one", "two"]
    entries = read_manifest(Workspace(str(tmp_path / "work")), "translate")
    assert entries is not None and all(entry.seconds for entry in entries.parts)


class Noting:
    """Makes a part that is a file of its name, and notes the order."""

    stage = "noted"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, workspace: Workspace, task: Task) -> list[Entry]:
        self.seen.append(task.part)
        return [Entry(task.part, task.key, f"noted/{task.part}", 1, 1, "", {"n": 1}, seconds={"work": 0.5})]


def test_turns_change_the_order_of_the_work_alone(tmp_path: Path) -> None:
    tasks = [Task(name, name, ()) for name in "abcd"]
    made = {}
    for turns in ([range(4)], [[0, 2], [1, 3]]):
        workspace, work = Workspace(str(tmp_path / str(len(turns)))), Noting()
        dataset = Dataset(tasks, work, "key", {})
        run_parts(LocalRunner(), workspace, dataset, seconds=0.0, turns=turns)
        manifest = read_manifest(workspace, "noted")
        assert manifest is not None
        made[len(turns)] = (work.seen, manifest)
    assert [seen for seen, _ in made.values()] == [list("abcd"), list("acbd")]
    assert made[1][1] == made[2][1]
    assert [entry.seconds for entry in made[2][1].parts] == [{"work": 0.5}] * 4


def test_the_published_recipe_names_the_model_without_its_folder(
    tmp_path: Path, models: dict[str, Path]
) -> None:
    recipe = recipe_of(tmp_path, models, {"a": None, "b": "two"})
    published = json.dumps(recipe.published())
    assert '"model": "two"' in published and str(models["two"].parent) not in published


def test_one_model_for_all_languages(tmp_path: Path) -> None:
    """NLLB-200 translates each entry from its own language; another language makes only its parts again."""
    pytest.importorskip("transformers", reason="needs transformers to make a model")
    from m2m_models import write_m2m

    model = tmp_path / "nllb"
    write_m2m(model, is_nllb=True)

    def recipe(languages: dict[str, str], translate: str = "") -> Recipe:
        write_recipe(tmp_path, str(model), translate)
        text = (tmp_path / "recipe.yaml").read_text()
        (first,) = [line for line in text.splitlines() if "corpus: a" in line]
        lines = [
            first.replace("corpus: a", f"corpus: {corpus}").replace(
                "source_language: xx", f"source_language: {language}"
            )
            for corpus, language in languages.items()
        ]
        (tmp_path / "recipe.yaml").write_text(text.replace(first, "\n".join(lines)))
        return Recipe.load(tmp_path / "recipe.yaml")

    go(recipe({"a": "cs", "b": "de"}), last="release")
    rows, texts = rows_of(tmp_path), rows_of(tmp_path, "ingest")
    found = {row["pair_id"]: row["translation"] for row in rows}
    options = TranslateOptions(
        model=str(model), beam=3, max_length=20, device="cpu", source_language="cs", target_language="en"
    )
    own = [row for row in texts if str(row["pair_id"]).startswith("a/")]
    lists = engines.load(options, tmp_path / "cache").translate([str(row["source"]) for row in own])
    assert [found[row["pair_id"]] for row in own] == [each[0].text if each else None for each in lists]
    assert found[own[0]["pair_id"]] != found[str(own[0]["pair_id"]).replace("a/", "b/")]
    check = verify_sample(open_release(tmp_path / "work"), 60, 1, {"translate": str(model)})
    assert (check.failures, check.translated) == ([], 60)
    before = keys(tmp_path)
    assert make_plan(recipe({"a": "ces", "b": "deu_Latn"})).condition("translate").parts_done == 4
    go(recipe({"a": "cs", "b": "fr"}))
    for part, key in keys(tmp_path).items():
        assert (key == before[part]) == part.startswith("a/")
    told = "source_language of the entry b of bitext is 'xx', for which .*nllb has no token; there are"
    with pytest.raises(RecipeError, match=told):
        make_plan(recipe({"a": "cs", "b": "xx"}))
    given = recipe({"a": "zh"}, ", source_language: zh-Hant, target_language: fr")
    assert languages(given) == {"a": ("zho_Hant", "fra_Latn")}
    told = "source_language is 'zh', but the entry b of bitext has the source_language 'cs', which decides"
    with pytest.raises(RecipeError, match=told):
        make_plan(recipe({"a": "zh", "b": "cs"}, ", source_language: zh"))


@pytest.fixture(scope="module")
def of_languages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """OPUS-MT models into several languages and into one, and M2M-100."""
    pytest.importorskip("transformers", reason="needs transformers to make a model")
    from m2m_models import write_m2m
    from marian_models import write_marian

    folder = tmp_path_factory.mktemp("languages")
    write_marian(folder / "several", languages=["ces", "deu", "srp_Cyrl", "srp_Latn"])
    write_marian(folder / "one", seed=2)
    write_m2m(folder / "m2m", is_nllb=False)
    return {name: folder / name for name in ("several", "one", "m2m")}


def recipe_of_languages(
    folder: Path, models: dict[str, Path], entries: dict[str, str], translate: str = "", more: str = ""
) -> Recipe:
    """A recipe with a corpus for each model; entries: model → what its entry says beside."""
    write_recipe(folder, str(models["one"]), translate)
    (folder / "a.mt").write_text("t1\n" * len(SOURCES))
    text = (folder / "recipe.yaml").read_text()
    (first,) = [line for line in text.splitlines() if "corpus: a" in line]
    whole = first.replace("source_language: xx}", "source_language: fr")
    lines = [
        f"{whole.replace('corpus: a', f'corpus: {name}')}, model: {models[name]}{own}{more}}}"
        for name, own in entries.items()
    ]
    (folder / "recipe.yaml").write_text(text.replace(first, "\n".join(lines)))
    return Recipe.load(folder / "recipe.yaml")


def languages(recipe: Recipe) -> dict[str, tuple[str | None, str | None]]:
    """The languages of each corpus, as its model calls them."""
    work = make_plan(recipe).stage("translate").work
    assert isinstance(work, TranslatePart)
    options = {corpus: model.options for corpus, model in work.models.items()}
    return {corpus: (each.source_language, each.target_language) for corpus, each in options.items()}


INTO = {"several": ", reference_language: cs", "m2m": ", reference_language: en", "one": ""}


def test_each_entry_is_translated_into_its_own_language(
    tmp_path: Path, of_languages: dict[str, Path]
) -> None:
    recipe = recipe_of_languages(tmp_path, of_languages, INTO)
    go(recipe, last="release")
    assert languages(recipe) == {"several": (None, "ces"), "m2m": ("fr", "en"), "one": (None, None)}
    found = {row["pair_id"]: row["translation"] for row in rows_of(tmp_path)}
    texts = rows_of(tmp_path, "ingest")
    for corpus, (source, target) in languages(recipe).items():
        own = [row for row in texts if str(row["pair_id"]).startswith(f"{corpus}/")]
        options = TranslateOptions(
            model=str(of_languages[corpus]),
            beam=3,
            max_length=20,
            device="cpu",
            source_language=source,
            target_language=target,
        )
        lists = engines.load(options, tmp_path / "cache").translate([str(row["source"]) for row in own])
        assert [found[row["pair_id"]] for row in own] == [each[0].text if each else None for each in lists]
    release = open_release(tmp_path / "work")
    for model in of_languages.values():
        check = verify_sample(release, 200, 1, {"translate": str(model)})
        assert (check.failures, check.translated) == ([], 45), model
    before = keys(tmp_path)
    again = recipe_of_languages(tmp_path, of_languages, {**INTO, "several": ", reference_language: ces_Latn"})
    assert make_plan(again).condition("translate").parts_done == 6
    go(recipe_of_languages(tmp_path, of_languages, {**INTO, "several": ", reference_language: de"}))
    for part, key in keys(tmp_path).items():
        assert (key == before[part]) == (not part.startswith("several/")), part


def test_a_language_for_all_is_that_of_entries_without_one(
    tmp_path: Path, of_languages: dict[str, Path]
) -> None:
    entries = {"several": "", "m2m": ""}
    recipe = recipe_of_languages(tmp_path, of_languages, entries, ", target_language: ces")
    assert languages(recipe) == {"several": (None, "ces"), "m2m": ("fr", "cs")}
    assert [entry.reference_language for entry in recipe.bitext] == ["ces", "ces"]
    entries = {"several": ", reference_language: sr"}
    recipe = recipe_of_languages(tmp_path, of_languages, entries, ", target_language: srp_Latn")
    assert languages(recipe) == {"several": (None, "srp_Latn")}


@pytest.mark.parametrize(
    ("entries", "translate", "told"),
    [
        (
            INTO,
            ", target_language: ces",
            "target_language is 'ces', but the entry m2m of bitext has the reference_language 'en', which",
        ),
        (
            {"several": ", reference_language: srp_Cyrl"},
            ", target_language: srp_Latn",
            "'srp_Latn', but the entry several of bitext has the reference_language 'srp_Cyrl', which dec",
        ),
        (
            {"several": ", reference_language: cs", "one": ", reference_language: en"},
            ", target_language: cs",
            "target_language is 'cs', but the entry one of bitext has the reference_language 'en', which dec",
        ),
        ({"one": ""}, ", target_language: ces", "'ces', but .*one has no tokens such as .*; leave it out"),
        (
            {"several": ""},
            "",
            "reference_language of the entry several of bitext is 'en', .* no token; there",
        ),
        (
            {"several": "", "m2m": ""},
            ", target_language: fr",
            "target_language is 'fr', .*several has no tok",
        ),
    ],
)
def test_languages_that_contradict_each_other(
    entries: dict[str, str], translate: str, told: str, tmp_path: Path, of_languages: dict[str, Path]
) -> None:
    for score in ("", ", translation: a.mt"):
        costs = ", score_existing: true" if score else ""
        with pytest.raises(RecipeError, match=told):
            make_plan(recipe_of_languages(tmp_path, of_languages, entries, translate + costs, score))


def test_pairs_without_a_source_are_scored_in_no_language(
    tmp_path: Path, of_languages: dict[str, Path]
) -> None:
    """M2M-100 scores the translations of one corpus; those of the other have no source."""
    recipe_of_languages(tmp_path, of_languages, {"m2m": ""}, ", score_existing: true", ", translation: a.mt")
    path = tmp_path / "recipe.yaml"
    entry = "{corpus: bare, format: moses, reference: a.en, translation: a.mt, model: MODEL}"
    entry = entry.replace("MODEL", str(of_languages["m2m"]))
    path.write_text(path.read_text().replace("bitext:\n", f"bitext:\n  - {entry}\n"))
    recipe = Recipe.load(path)
    go(recipe)
    assert languages(recipe) == {"m2m": ("fr", "en")}
    scored = {"bare": 0, "m2m": 0}
    for row in rows_of(tmp_path):
        scored[str(row["pair_id"]).split("/")[0]] += row["translation_log_prob"] is not None
    assert scored == {"bare": 0, "m2m": 45}


def test_nmt_train_refuses_a_recipe_that_its_model_could_not_serve(tmp_path: Path) -> None:
    for own, told in (
        (", reference_language: en", "entry a of bitext has the"),
        ("", "m has no tokens such"),
    ):
        (tmp_path / "recipe.yaml").write_text(
            "bitext: [{corpus: a, format: moses, source: a.cs, reference: a.en, source_language: cs"
            f"{own}}}]\ntranslate: {{model: m, target_language: fr}}\n"
        )
        result = paranmt("nmt-train", tmp_path / "recipe.yaml")
        assert result.exit_code == 2 and re.search(told, " ".join(result.output.split()))


def test_no_other_model_is_needed_where_each_input_has_its_own(tmp_path: Path) -> None:
    entry = "{{corpus: {0}, format: moses, source: {0}, reference: b{0}, source_language: {0}{1}}}"
    own = [entry.format(corpus, f", model: {corpus}-en") for corpus in ("cs", "de")]
    recipe = Recipe.from_yaml(f"bitext: [{', '.join(own)}]\ntranslate: {{beam: 3}}\n")
    assert [recipe.translate_options(each).model for each in recipe.bitext] == ["cs-en", "de-en"]
    for more in ("", "\ntranslate: {score_existing: true}"):
        with pytest.raises(RecipeError, match="translate.model: expected the folder of a model, because"):
            Recipe.from_yaml(f"bitext: [{own[0]}, {entry.format('fr', '')}]{more}\n")

"""Whole runs of small recipes: what is computed again, what is kept, what is refused."""

import hashlib
import itertools
import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from corpus import recipe_text, write_bitext
from runs import Silent, go, load

from paranmt.base.errors import InputError, RecipeError, RunnerError, WorkspaceError
from paranmt.filters.lengths import TranslationLength
from paranmt.launch.commands.running import budget_seconds, outcome
from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.looking.preview import preview
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release.cut import cut_release
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.running.clean import clean
from paranmt.pipeline.running.lock import workspace_lock
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.pipeline.running.status import workspace_status
from paranmt.tokens.definition import normalise
from paranmt.transforms.storage.content_hash import seal
from paranmt.transforms.storage.run_note import RunNote
from paranmt.transforms.storage.versions import _version
from paranmt.transforms.storage.workspace import Workspace, checksum

ROWS = {"first": 230, "second": 120}


def release_hashes(folder: Path) -> dict[str, str]:
    data = folder / "work" / "release" / "data"
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(data.iterdir())}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a recipe that was run once."""
    folder = tmp_path_factory.mktemp("finished")
    go(load(folder, recipe_text(folder, ROWS)))
    return folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    subprocess.run(["cp", "-a", f"{finished}/.", tmp_path], check=True)
    text = (tmp_path / "recipe.yaml").read_text().replace(str(finished), str(tmp_path))
    (tmp_path / "recipe.yaml").write_text(text)
    return tmp_path


def one(query: str) -> tuple[object, ...]:
    """The only row of a query."""
    (row,) = duckdb.sql(query).fetchall()
    return tuple(row)


def states(folder: Path, *overrides: str) -> dict[str, str]:
    recipe = Recipe.load(folder / "recipe.yaml", overrides)
    return {condition.name: condition.state for condition in make_plan(recipe).conditions}


def test_the_release_holds_every_pair_once_in_order_of_deciles(finished: Path) -> None:
    files = sorted((finished / "work/release/data").iterdir())
    assert [file.name for file in files] == [f"train-{i:05d}-of-00003.parquet" for i in range(3)]
    ids: list[str] = []
    for file in files:
        table = pq.read_table(file)
        ids += table["pair_id"].to_pylist()
        deciles = table["paraphrase_similarity_decile"].to_pylist()
        assert deciles == sorted(deciles, reverse=True)
    wanted = {f"{corpus}/{corpus}.xx:{row}" for corpus, rows in ROWS.items() for row in range(1, rows + 1)}
    assert len(ids) == len(wanted)
    assert set(ids) == wanted
    assert max(pq.read_table(file).num_rows for file in files) <= 150


def test_the_release_says_what_the_inputs_say(finished: Path) -> None:
    query = f"""select corpus, domain, licence, source_language, reference, translation, source
                from '{finished}/work/release/data/*.parquet' where pair_id = 'second/second.xx:7'"""
    row = one(query)
    lines = [
        (finished / "data" / f"second.{side}").read_text().splitlines()[6] for side in ("en", "mt", "xx")
    ]
    assert row == ("second", "d1", "cc0-1.0", "xx", *lines)


def test_deciles_are_tenths_and_held_out_pairs_have_no_perplexity(finished: Path) -> None:
    data = f"'{finished}/work/release/data/*.parquet'"
    sizes = duckdb.sql(f"select count(*) from {data} group by trigram_overlap_decile").fetchall()
    assert sorted(size for (size,) in sizes) == [35] * 10
    held = one(f"select count(*) from {data} where held_out")
    assert 0 < int(str(held[0])) <= 30
    assert one(f"select count(*) from {data} where held_out != (perplexity is null)") == (0,)


def test_a_selection_holds_exactly_its_sample(finished: Path) -> None:
    data = f"'{finished}/work/release/data/*.parquet'"
    assert one(f"select count(*) from {data} where middling") == (120,)
    wrong = "middling and not paraphrase_similarity_decile between 3 and 9"
    assert one(f"select count(*) from {data} where {wrong}") == (0,)
    differ = "short != (translation_length <= 10 and corpus = 'first')"
    assert one(f"select count(*) from {data} where {differ}") == (0,)


def test_results_and_report_are_published(finished: Path) -> None:
    results = json.loads((finished / "work/evaluate/sts/results.json").read_text())["rows"]
    assert results[0]["dataset"] == "phrases"
    assert results[0]["pairs"] == 40
    assert results[0]["pearson"] > 20
    assert "<svg" in (finished / "work/report/index.html").read_text()
    assert {file.name for file in (finished / "work/train/avg").iterdir()} >= {
        "config.json",
        "model.safetensors",
    }
    assert (finished / "work/release/README.md").read_text().startswith("---\n")


def test_a_second_run_computes_nothing(copied: Path) -> None:
    assert set(states(copied).values()) == {"fresh"}
    assert go(Recipe.load(copied / "recipe.yaml")).computed == ()


def test_another_threshold_recomputes_what_uses_it_alone(copied: Path) -> None:
    changed = Recipe.load(
        copied / "recipe.yaml", ["select.short.where=translation_length <= 9 and domain = 'd0'"]
    )
    assert go(changed).computed == ("select/short", "release", "report")


def test_another_score_parameter_recomputes_that_score_and_its_users(copied: Path) -> None:
    changed = Recipe.load(copied / "recipe.yaml", ["scores.translation_length.tokens=whitespace"])
    computed = go(changed).computed
    assert computed[:3] == ("score/translation_length", "deciles/translation_length", "select/short")
    assert set(computed) == {*computed[:3], "release", "report"}


def test_licence_and_paths_make_no_text_stale(copied: Path) -> None:
    (copied / "data").rename(copied / "moved")
    text = (copied / "recipe.yaml").read_text().replace(f"{copied}/data", f"{copied}/moved")
    (copied / "recipe.yaml").write_text(text.replace("licence: cc0-1.0", "licence: mit"))
    stale = {name for name, state in states(copied).items() if state != "fresh"}
    assert stale == {"release", "report"}


def test_a_new_corpus_keeps_the_parts_of_the_others(copied: Path) -> None:
    paths = write_bitext(copied / "data", "third", 60, seed=9)
    text = (copied / "recipe.yaml").read_text()
    entry = (
        f"bitext:\n  - {{corpus: third, format: moses, source: {paths['xx']}, reference: {paths['en']},"
        f" translation: {paths['mt']}, source_language: xx}}"
    )
    (copied / "recipe.yaml").write_text(text.replace("bitext:", entry, 1))
    plan = make_plan(Recipe.load(copied / "recipe.yaml"))
    assert (plan.condition("ingest").state, plan.condition("ingest").parts_done) == ("partial", 2)
    go(Recipe.load(copied / "recipe.yaml"), last="translate")
    made = list((copied / "work/translate/first").iterdir())
    assert len(made) == 5  # no file for the new recipe beside the old ones
    observer = Silent()
    run(Recipe.load(copied / "recipe.yaml"), LocalRunner(), observer)
    assert observer.parts.count("score/trigram_overlap") == 2  # of 10 parts
    assert {state for state in states(copied).values()} == {"fresh"}


def test_an_older_recipe_finds_its_parts_again(copied: Path) -> None:
    before = release_hashes(copied)
    other = ["scores.translation_length.tokens=whitespace", "seed=7"]
    go(Recipe.load(copied / "recipe.yaml", other))
    assert release_hashes(copied) != before
    assert set(states(copied).values()) == {"fresh"}
    assert go(Recipe.load(copied / "recipe.yaml")).computed == ()
    assert release_hashes(copied) == before


def test_plan_names_the_changed_ingredient(copied: Path) -> None:
    recipe = Recipe.load(copied / "recipe.yaml", ["scores.translation_length.tokens=whitespace"])
    condition = make_plan(recipe).condition("score/translation_length")
    assert condition.state == "stale"
    assert condition.reason == "tokens words → whitespace"


def test_only_what_a_run_computes_has_a_speed(copied: Path) -> None:
    recipe = Recipe.load(copied / "recipe.yaml")
    parts = sorted((copied / "work/score/trigram_overlap/first").iterdir())
    rows = pq.read_metadata(parts[1]).num_rows
    parts[1].unlink()
    observer = Silent()
    run(recipe, LocalRunner(), observer)
    assert observer.computed == {"score/trigram_overlap": rows}
    run(recipe, LocalRunner(), observer, redo="translate")
    assert observer.computed["translate"] == 0


def test_pairs_are_counted_where_a_stage_has_other_rows(copied: Path) -> None:
    """Near duplicates are found by several hashes of each text, and trials have a row for each training."""
    recipe = Recipe.load(copied / "recipe.yaml", ["duplicates.similarity=0.8"])
    observer = Silent()
    run(recipe, LocalRunner(), observer, last="links")
    assert observer.computed == {"fingerprints": 350, "links": 350}


def test_a_missing_part_is_made_again(copied: Path) -> None:
    before = release_hashes(copied)
    lost = sorted((copied / "work/score/trigram_overlap/first").iterdir())[1]
    content = lost.read_bytes()
    lost.unlink()
    condition = make_plan(Recipe.load(copied / "recipe.yaml")).condition("score/trigram_overlap")
    assert (condition.state, condition.parts_done, condition.parts) == ("partial", 7, 8)
    assert go(Recipe.load(copied / "recipe.yaml")).computed == ("score/trigram_overlap",)
    assert lost.read_bytes() == content
    assert release_hashes(copied) == before


def test_duplicates_are_the_same_after_parts_were_lost_or_damaged(copied: Path) -> None:
    release = f"'{copied}/work/release/data/*.parquet'"
    columns = 'pair_id, translation, paraphrase_similarity, duplicate_of, duplicates, "unique"'
    rows = duckdb.sql(f"SELECT {columns} FROM {release}").fetchall()
    texts: dict[str, list[tuple]] = {}
    for row in rows:
        texts.setdefault(normalise(row[1]), []).append(row)
    assert max(map(len, texts.values())) > 1
    for group in texts.values():
        best = min(group, key=lambda row: (-row[2], row[0].split(":")[0], int(row[0].split(":")[1])))
        for row in group:
            expected = (None, True) if row[0] == best[0] else (best[0], False)
            assert (row[3], row[5]) == expected and row[4] == len(group)
    before = release_hashes(copied)
    work = copied / "work"
    for stage, number in (("fingerprints", 1), ("groups", 0), ("duplicates", 2)):
        parts = sorted((work / stage).rglob("*.parquet"))
        parts[number].unlink()
        for manifest in (work / stage / "_manifests").iterdir():
            manifest.unlink()
    flip(sorted((work / "fingerprints").rglob("*.parquet"))[0], 0.5, keep_time=True)
    assert go(Recipe.load(copied / "recipe.yaml")).computed == ("fingerprints", "groups", "duplicates")
    assert release_hashes(copied) == before


def test_near_duplicates_include_the_exact_ones(copied: Path) -> None:
    marked = f"SELECT sum(duplicates), count(duplicate_of) FROM '{copied}/work/duplicates/*/*.parquet'"
    exact = one(marked)
    recipe = Recipe.load(copied / "recipe.yaml", ["duplicates.similarity=0.7"])
    computed = go(recipe, last="duplicates").computed
    assert computed == ("fingerprints", "links", "groups", "duplicates")
    parts = make_plan(recipe).manifest("duplicates").parts
    files = [str(copied / "work" / entry.file) for entry in parts]
    near = one(f"SELECT sum(duplicates), count(duplicate_of) FROM read_parquet({files})")
    assert near > exact and near[1] > exact[1]  # type: ignore[operator]


def test_pairs_are_duplicates_of_the_texts_of_a_release(copied: Path) -> None:
    second = copied / "second"
    cut_release(open_release(copied / "work"), "corpus = 'second'", second)
    recipe = Recipe.load(copied / "recipe.yaml", [f"duplicates.against=[{second}]"])
    assert go(recipe, last="duplicates").computed == ("against", "groups", "duplicates")
    files = [str(copied / "work" / entry.file) for entry in make_plan(recipe).manifest("duplicates").parts]
    marked = dict(duckdb.sql(f"SELECT pair_id, duplicate_of FROM read_parquet({files})").fetchall())
    texts = dict(
        duckdb.sql(f"SELECT pair_id, translation FROM '{copied}/work/release/data/*.parquet'").fetchall()
    )
    existing = pq.read_table(second / "data")["translation"].to_pylist()
    for pair_id, of in marked.items():
        if normalise(texts[pair_id]) in set(map(normalise, existing)):
            assert normalise(existing[int(of.removeprefix("second:")) - 1]) == normalise(texts[pair_id])
        else:
            assert of is None or of.startswith("first/")


def test_only_refuses_stale_inputs_and_redo_recomputes(copied: Path) -> None:
    changed = Recipe.load(copied / "recipe.yaml", ["scores.translation_length.tokens=whitespace"])
    with pytest.raises(WorkspaceError, match="select/short reads score/translation_length, which is stale"):
        go(changed, only="select/short")
    unchanged = Recipe.load(copied / "recipe.yaml")
    assert go(unchanged, only="score").computed == ()
    assert go(unchanged, redo="score/trigram_overlap").computed == ("score/trigram_overlap",)
    with pytest.raises(RecipeError, match=r"no stage 'scor'; did you mean score\? there are: ingest"):
        go(unchanged, only="scor")
    with pytest.raises(RecipeError, match=r"did you mean translate\?"):
        go(unchanged, redo="tranlate")


def test_two_runs_at_once(copied: Path) -> None:
    with workspace_lock(Workspace(str(copied / "work"))), pytest.raises(WorkspaceError, match="another run"):
        # The lock belongs to an open file: this process can hold it only once.
        go(Recipe.load(copied / "recipe.yaml"))


def test_a_lease_that_nobody_renews_ends() -> None:
    workspace = Workspace("memory://leases")
    with (
        workspace_lock(workspace),
        pytest.raises(WorkspaceError, match="another run"),
        workspace_lock(workspace),
    ):
        pass
    with workspace_lock(workspace):
        pass
    workspace.write_json("_lock.json", {"host": "gone", "pid": 1, "renewed": 0, "token": "t"})
    with workspace_lock(workspace):
        pass


def test_hours_of_work_are_not_redone_unasked(copied: Path) -> None:
    note = copied / "work/score/translation_length/run.json"
    run_facts = json.loads(note.read_text())
    note.write_text(json.dumps(seal({**run_facts, "seconds": 7200})))
    changed = Recipe.load(copied / "recipe.yaml", ["scores.translation_length.tokens=whitespace"])
    questions = []

    def refuse(question: str) -> bool:
        questions.append(question)
        return False

    with pytest.raises(WorkspaceError, match="2.0 hours of finished work"):
        run(changed, LocalRunner(), Silent(), confirm=refuse)
    assert "score/translation_length (tokens words → whitespace; 2.0 h)" in questions[0]


def flip(file: Path, at: float = 0.1, keep_time: bool = False) -> None:
    """Change one bit of a file; at: where, as a share of its bytes."""
    content = bytearray(file.read_bytes())
    content[int(at * len(content))] ^= 4
    times = file.stat()
    file.write_bytes(content)
    if keep_time:
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize("keep_time", [False, True], ids=["noticed by its time", "noticed when read"])
@pytest.mark.parametrize("stage", ["ingest", "translate", "score/trigram_overlap", "deciles/trigram_overlap"])
def test_a_damaged_part_is_named_and_made_again(copied: Path, stage: str, keep_time: bool) -> None:
    part = sorted((copied / "work" / stage / "first").glob("*.parquet"))[0]
    before = part.read_bytes()
    flip(part, keep_time=keep_time)
    if not keep_time:
        plan = make_plan(Recipe.load(copied / "recipe.yaml"))
        assert plan.condition(stage).state == "partial"
        assert f"{part.name} is damaged" in plan.condition(stage).reason
    observer = Silent()
    changed = "select.short.where=trigram_overlap_decile < 5 and trigram_overlap < 0.7"
    recipe = Recipe.load(copied / "recipe.yaml", [changed, "scores.trigram_overlap.tokens=whitespace"])
    if stage.endswith("trigram_overlap"):
        recipe = Recipe.load(copied / "recipe.yaml", [changed])
    run(recipe, LocalRunner(), observer)
    assert observer.messages == [f"{part} is damaged and will be made again"]
    assert part.read_bytes() == before


def test_a_damaged_part_is_not_read_by_another_stage_alone(copied: Path) -> None:
    part = sorted((copied / "work/score/trigram_overlap/first").iterdir())[0]
    flip(part, keep_time=True)
    recipe = Recipe.load(copied / "recipe.yaml", ["select.short.where=trigram_overlap < 0.5"])
    with pytest.raises(WorkspaceError, match=rf"{part.name} is damaged .*; run score/trigram_overlap first"):
        go(recipe, only="select/short")
    assert part.exists()


@pytest.mark.parametrize("name", ["language_model.binary", "held_out.json"])
def test_a_damaged_model_is_made_again(copied: Path, name: str) -> None:
    (file,) = (copied / "work/_built/model/perplexity").glob(f"*/{name}")
    before = file.read_bytes()
    flip(file, 0.3, keep_time=True)
    observer = Silent()
    recipe = Recipe.load(copied / "recipe.yaml", ["scores.perplexity.side=reference"])
    with pytest.raises(WorkspaceError, match=rf"{name} is damaged .*; run model/perplexity first"):
        run(recipe, LocalRunner(), observer, only="score/perplexity")
    run(recipe, LocalRunner(), observer)
    assert f"{file} is damaged and will be made again" in observer.messages
    assert file.read_bytes() == before


def test_different_line_counts_stop_before_any_output(tmp_path: Path) -> None:
    recipe = load(tmp_path, recipe_text(tmp_path, ROWS))
    with open(tmp_path / "data/second.en", "a") as file:
        file.write("One more.\n")
    with pytest.raises(Exception, match=r"second\.xx has 120, .*second\.en has 121"):
        go(recipe)
    assert not (tmp_path / "work").exists()


def test_fewer_pairs_than_the_sample_asks_for(copied: Path) -> None:
    observer = Silent()
    recipe = Recipe.load(copied / "recipe.yaml", ["select.middling.sample=100000"])
    run(recipe, LocalRunner(), observer, last="select")
    assert observer.messages == [
        "select/middling: only 245 pairs meet the condition, fewer than the sample of 100,000; "
        "all of them are selected"
    ]


def test_clean_removes_leftovers_and_on_request_other_recipes(copied: Path) -> None:
    recipe = Recipe.load(copied / "recipe.yaml")
    name = f"_temporary/host.4026531836.9f2c-17.4-{'0123456789abcdef' * 2}"
    leftover = copied / "work" / name
    leftover.parent.mkdir(exist_ok=True)
    leftover.write_text("half a part")
    assert set(clean(recipe, dry_run=True).removed) == {name}
    assert leftover.exists()
    clean(recipe)
    assert not leftover.exists()
    go(Recipe.load(copied / "recipe.yaml", ["scores.translation_length.tokens=whitespace"]))
    assert clean(recipe).removed == {}
    removed = clean(recipe, older=True).removed
    assert any(name.startswith("score/translation_length/first") for name in removed)
    assert go(recipe).computed == ()


def test_preview_counts_what_each_clause_drops(finished: Path) -> None:
    found = preview(Recipe.load(finished / "recipe.yaml"), "short")
    data = f"'{finished}/work/release/data/*.parquet'"
    alone = one(f"select count(*) from {data} where not translation_length <= 10")
    assert [clause.alone for clause in found.drops.clauses] == [alone[0], 120]
    assert found.drops.pairs == 350


def test_status_reads_the_workspace_alone(finished: Path) -> None:
    status = workspace_status(str(finished / "work"))
    assert status.running is None
    by_name = {stage.name: stage for stage in status.stages}
    assert by_name["ingest"].pairs == 350
    assert by_name["translate"].counts == {"existing": 350}
    assert by_name["translate"].speed is None, "what came with the input was not computed"
    assert by_name["score/trigram_overlap"].speed
    assert by_name["train/avg"].pairs > 0


def test_the_in_memory_workspace_makes_the_same_release(finished: Path, tmp_path: Path) -> None:
    text = (finished / "recipe.yaml").read_text()
    recipe = load(tmp_path, text, "workspace=memory://run")
    with pytest.raises(WorkspaceError, match="is in the memory of one process.*--workers 1"):
        run(recipe, LocalRunner(workers=2), Silent())
    run(recipe, LocalRunner(workers=1), Silent())
    workspace = Workspace("memory://run")
    for name, digest in release_hashes(finished).items():
        with workspace.open(f"release/data/{name}") as file:
            assert hashlib.sha256(file.read()).hexdigest() == digest


def test_processes_make_the_same_release(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paranmt.launch.runners.local.WORTH_SECONDS", 0.0)
    text = (finished / "recipe.yaml").read_text().replace(f"{finished}/work", f"{tmp_path}/work")
    go(load(tmp_path, text), last="release")
    assert release_hashes(tmp_path) == release_hashes(finished)


def test_multi_threading_is_refused() -> None:
    with pytest.raises(RunnerError, match="loses rows"):
        LocalRunner(beam_options=("--direct_running_mode=multi_threading",))


def test_kept_candidates_beside_existing_translations(tmp_path: Path) -> None:
    """Only what is translated has candidates; the column is there for all."""
    recipe = load(tmp_path, recipe_text(tmp_path, {"first": 60}), "translate.keep_candidates=3")
    go(recipe, last="release")
    (file,) = (tmp_path / "work/release/data").iterdir()
    assert pq.read_table(file)["candidates"].null_count == 60


def test_a_budget_ends_a_run_between_parts(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = load(tmp_path, recipe_text(tmp_path, ROWS))
    check, calls = RunNote.check_budget, itertools.count()

    def check_later(note: RunNote) -> None:
        check(note if next(calls) < 6 else replace(note, ends=0.0))

    with monkeypatch.context() as patch:
        patch.setattr(RunNote, "check_budget", check_later)
        ended = run(recipe, LocalRunner(), Silent(), budget=3_600.0)
    first = ended.left[0]
    assert first.name == "translate" and 0 < first.parts_done < (first.parts or 0)
    assert [each.name for each in ended.left][-1] == "report" and ended.computed == ("ingest",)
    assert "left: translate" in outcome(ended)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunNote, "check_budget", lambda note: check(replace(note, ends=0.0)))
        assert run(recipe, LocalRunner(), Silent(), budget=3_600.0).computed == ()
    assert not run(recipe, LocalRunner(), Silent(), budget=3_600.0).left
    assert release_hashes(tmp_path) == release_hashes(finished)


@pytest.mark.parametrize(
    ("budget", "cost", "message"),
    [
        ("4", None, "expected a time"),
        ("0h", None, "expected a time"),
        ("-4h", None, "expected a time"),
        ("4 weeks", None, "expected a time"),
        ("20usd", None, "give --hourly-cost too"),
        ("20usd", 0.0, "give --hourly-cost too"),
        ("20usd", float("nan"), "give --hourly-cost too"),
        ("4h", 2.0, "--hourly-cost is for a budget of money"),
    ],
)
def test_budgets_that_are_none(budget: str, cost: float | None, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        budget_seconds(budget, cost)


def test_pairs_without_a_source_beside_others(tmp_path: Path) -> None:
    """They have scores, deciles and a place in selections, as if they had a source."""
    text = recipe_text(tmp_path, {"first": 60, "second": 40})
    (given,) = re.findall(r"corpus: second.*source_language: xx", text)
    without = re.sub(r" source(_language)?: [^,]*,?", "", given).rstrip(", ")
    go(load(tmp_path, text.replace(given, without)), last="report")
    rows = f"from '{tmp_path}/work/release/data/*.parquet'"
    second = f"{rows} where corpus = 'second'"
    assert one(
        "select count(*), count(source), count(source_language), count(translation_log_prob), "
        f"count(distinct translation_status), count(trigram_overlap_decile), count(perplexity) > 0 {second}"
    ) == (40, 0, 0, 0, 1, 40, True)
    assert one(f"select count(source) {rows}") == (60,)
    lines = [(tmp_path / f"data/second.{side}").read_text().splitlines() for side in ("en", "mt")]
    for pair_id, reference, translation in duckdb.sql(
        f"select pair_id, reference, translation {second}"
    ).fetchall():
        record = int(pair_id.removeprefix("second/second.en:"))
        assert (reference, translation) == (lines[0][record - 1], lines[1][record - 1])
    card = (tmp_path / "work/release/README.md").read_text()
    assert "| `second` | d1 | no source | 40 |" in card and "(xx; null in `second`)" in card


@pytest.mark.parametrize(
    ("content", "reason"),
    [("", "it is empty"), ("\n\n", r"all of its rows were rejected \(empty_source 2\)")],
)
def test_a_corpus_without_a_pair_is_named(tmp_path: Path, content: str, reason: str) -> None:
    recipe = load(tmp_path, recipe_text(tmp_path, {"first": 20, "second": 20}))
    paths = [tmp_path / f"data/second.{side}" for side in ("xx", "en", "mt")]
    for path in paths:
        path.write_text(content)
    for _ in range(2):  # the second run finds that ingest is done
        with pytest.raises(
            InputError, match=f"corpus second: no pairs in {paths[0]}, {paths[1]}.*: {reason}"
        ):
            go(recipe, last="ingest")


def test_a_file_without_a_pair_beside_others_is_a_warning(tmp_path: Path) -> None:
    text = recipe_text(tmp_path, {"first": 20})
    for side in ("xx", "en", "mt"):
        (tmp_path / f"data/first.2.{side}").write_text("")
        text = text.replace(f"/first.{side}", f"/first*.{side}")
    observer = Silent()
    run(load(tmp_path, text), LocalRunner(), observer, last="ingest")
    (warning,) = [message for message in observer.messages if message.startswith("warning")]
    assert "corpus first: no pairs in" in warning and "first.2.xx" in warning and "it is empty" in warning


def test_an_empty_selection_is_named_before_training(copied: Path) -> None:
    recipe = Recipe.load(copied / "recipe.yaml", ["select.middling.where=trigram_overlap < 0"])
    empty = "train/avg: the selection middling selects none of the 350 pairs"
    with pytest.raises(WorkspaceError, match=empty):
        go(recipe)
    assert workspace_status(str(copied / "work")).running is None
    assert make_plan(recipe).condition("release").state != "fresh", "noticed after the release was made"
    with pytest.raises(WorkspaceError, match="selects none of the 350 pairs"):  # though it is fresh now
        go(recipe)


def test_setting_one_default_score_keeps_the_others(tmp_path: Path) -> None:
    text = (
        "bitext: [{corpus: a, format: moses, source: a, reference: b, translation: c, source_language: cs}]"
    )
    recipe = load(tmp_path, text, "scores.perplexity.lm.train_on=10")
    assert len(recipe.scores) == 9


def refuse(question: str) -> bool:
    raise WorkspaceError(question)


def set_seconds(folder: Path, stage: str, seconds: float) -> None:
    file = folder / "work" / stage / "run.json"
    file.write_text(json.dumps(seal({**json.loads(file.read_text()), "seconds": seconds})))


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_redo_asks_before_anything_is_removed(copied: Path) -> None:
    set_seconds(copied, "score/trigram_overlap", 9000)
    before = files_below(copied / "work/score")
    recipe = Recipe.load(copied / "recipe.yaml")
    with pytest.raises(
        WorkspaceError, match=r"2.5 hours .* score/trigram_overlap \(requested by --redo; 2.5 h\)"
    ):
        run(recipe, LocalRunner(), Silent(), redo="score/trigram_overlap", confirm=refuse)
    assert files_below(copied / "work/score") == before


def test_redo_removes_nothing_where_an_input_is_not_fresh(copied: Path) -> None:
    recipe = Recipe.load(copied / "recipe.yaml", ["scores.trigram_overlap.counting=legacy"])
    before = files_below(copied / "work/deciles")
    with pytest.raises(WorkspaceError, match="deciles/trigram_overlap reads score/trigram_overlap"):
        run(recipe, LocalRunner(), Silent(), redo="deciles/trigram_overlap")
    assert files_below(copied / "work/deciles") == before


def test_a_changed_part_size_is_asked_about_once_the_parts_are_known(copied: Path) -> None:
    set_seconds(copied, "translate", 36_000)
    recipe = Recipe.load(copied / "recipe.yaml", ["ingest.part_rows=70"])
    assert make_plan(recipe).condition("translate").state == "waiting"
    with pytest.raises(WorkspaceError, match=r"10.0 hours .* translate \(ingest changed; 10.0 h\)"):
        run(recipe, LocalRunner(), Silent(), confirm=refuse)


def test_a_question_is_asked_once(copied: Path) -> None:
    for stage in ("ingest", "translate", "score/trigram_overlap"):
        set_seconds(copied, stage, 9000)
    questions: list[str] = []
    recipe = Recipe.load(copied / "recipe.yaml", ["ingest.part_rows=70"])
    run(
        recipe,
        LocalRunner(),
        Silent(),
        last="score/trigram_overlap",
        confirm=lambda q: not questions.append(q),
    )
    assert [question.split(" hours")[0] for question in questions] == [
        "This recomputes 2.5",
        "This recomputes 5.0",
    ]


def test_published_folders_keep_what_is_not_ours(copied: Path) -> None:
    theirs = [
        "release/LICENSE",
        "release/.git/config",
        "train/avg/notes.ipynb",
        "report/logo.png",
        "todo.txt",
    ]
    theirs += [
        "ingest/first/mine.parquet",
        "_built/release/mine.txt",
        "_heartbeats/mine.json",
        "_temporary/m-1",
    ]
    for name in theirs:
        (copied / "work" / name).parent.mkdir(parents=True, exist_ok=True)
        (copied / "work" / name).write_text(name)
        os.utime(copied / "work" / name, (0, 0))
    recipe = Recipe.load(copied / "recipe.yaml", ["release.rows_per_file=1000", "train.avg.epochs=2"])
    go(recipe)
    assert [file.name for file in (copied / "work/release/data").iterdir()] == [
        "train-00000-of-00001.parquet"
    ]
    clean(recipe, older=True)
    go(Recipe.load(copied / "recipe.yaml"))
    assert {name: (copied / "work" / name).read_text() for name in theirs} == {name: name for name in theirs}


def test_a_file_of_somebody_else_is_never_replaced(copied: Path) -> None:
    recipe = Recipe.load(copied / "recipe.yaml", ["release.rows_per_file=1000"])
    theirs = copied / "work/release/data/train-00000-of-00001.parquet"
    theirs.write_text("mine")
    with pytest.raises(WorkspaceError, match=f"{theirs} was not written by paranmt"):
        go(recipe)
    assert theirs.read_text() == "mine"


def test_an_edited_published_file_is_kept_and_harms_nothing(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go(Recipe.load(copied / "recipe.yaml"))  # the card names the folder
    stored = files_below(copied / "work/_built/release")
    before = release_hashes(copied)
    for name in ("README.md", "data/train-00001-of-00003.parquet"):
        with open(copied / "work/release" / name, "ab") as file:
            file.write(b"A line of mine.")
    edited = (copied / "work/release/README.md").read_bytes()
    observer = Silent()
    recipe = Recipe.load(copied / "recipe.yaml")
    hashed: list[str] = []

    def recorded(path: Path, like: str) -> str:
        hashed.append(path.relative_to(copied / "work").as_posix())
        return checksum(path, like)

    monkeypatch.setattr("paranmt.pipeline.running.publish_results.checksum", recorded)
    assert run(recipe, LocalRunner(), observer).computed == ()
    # Each copy once, but of the data, which may be large, only the file whose size or time is another.
    assert len(hashed) == len(set(hashed)) and "release/manifest.json" in hashed
    assert [name for name in hashed if "data/" in name] == ["release/data/train-00001-of-00003.parquet"]
    assert (copied / "work/release/README.md.changed-1").read_bytes() == edited
    assert (copied / "work/release/data/train-00001-of-00003.parquet.changed-1").exists()
    assert len(observer.messages) == 2
    assert (
        "README.md was changed after it was published; the changed file is kept as README.md.changed-1"
        in str(observer.messages)
    )
    changed = {name: digest for name, digest in release_hashes(copied).items() if "changed" not in name}
    assert changed == before
    store = files_below(copied / "work/_built/release")
    store.pop("_published.json"), stored.pop("_published.json")
    assert store == stored
    assert run(recipe, LocalRunner(), observer).computed == () and len(observer.messages) == 2


def test_a_bit_that_flips_in_a_published_copy_is_noticed(copied: Path) -> None:
    go(Recipe.load(copied / "recipe.yaml"))
    before = files_below(copied / "work/release") | files_below(copied / "work/evaluate/sts")
    for name in ("release/croissant.json", "evaluate/sts/results.json"):
        path = copied / "work" / name
        content, times = path.read_bytes(), path.stat()
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    observer = Silent()
    assert run(Recipe.load(copied / "recipe.yaml"), LocalRunner(), observer).computed == ()
    assert len(observer.messages) == 2 and "croissant.json was changed" in str(observer.messages)
    after = files_below(copied / "work/release") | files_below(copied / "work/evaluate/sts")
    assert {name: after[name] for name in before} == before


def test_plan_and_release_tell_of_several_versions(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = sorted((copied / "work/score/trigram_overlap/first").iterdir())
    for file in (copied / "work/score/trigram_overlap/_manifests").iterdir():
        file.unlink()
    for part in parts[:2]:
        part.unlink()
    monkeypatch.setattr("paranmt.transforms.storage.versions.version", lambda package: "99.1")
    _version.cache_clear()
    try:
        recipe = Recipe.load(copied / "recipe.yaml", ["release.rows_per_file=1000"])
        result = go(recipe)
    finally:
        _version.cache_clear()
    condition = result.plan.condition("score/trigram_overlap")
    assert condition.state == "fresh"
    assert [text.split(" (")[-1] for text in condition.versions] == ["2 parts)"]
    assert "paranmt 0" in condition.versions[0] and "and 99.1 (2 parts)" in condition.versions[0]
    manifest = json.loads((copied / "work/release/manifest.json").read_text())
    made = manifest["computed_with"]["score/trigram_overlap"]
    assert {each["versions"]["paranmt"]: each["parts"] for each in made}["99.1"] == 2
    assert len(made) == 2


def test_other_results_of_a_stage_made_again_make_stale_what_was_read_of_it(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe.load(copied / "recipe.yaml")
    go(recipe)
    before = release_hashes(copied)
    with monkeypatch.context() as patch:  # as a GPU, or another version of a package, may
        measure = TranslationLength.measure
        patch.setattr(TranslationLength, "measure", lambda *args: pc.add(measure(*args), 1))
        plan = go(recipe, redo="score/translation_length").plan
    assert plan.condition("score/translation_length").state == "fresh"
    for name in ("deciles/translation_length", "select/short", "release"):
        assert plan.condition(name).state == "stale"
        reason = plan.condition(name).reason
        assert reason == "score/translation_length was computed again, with different results"
    assert plan.condition("deciles/trigram_overlap").state == "fresh"
    go(recipe)
    assert set(states(copied).values()) == {"fresh"}
    data = f"'{copied}/work/release/data/*.parquet'"
    wrong = "short != (translation_length <= 10 and domain = 'd0')"
    assert one(f"select count(*) from {data} where {wrong}") == (0,)
    assert release_hashes(copied) != before
    assert "deciles/translation_length" not in go(recipe, redo="score/translation_length").computed
    go(recipe)
    assert release_hashes(copied) == before

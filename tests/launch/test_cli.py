import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest
from commands import heavy_imports, ok, paranmt
from corpus import recipe_text, write_sts

from paranmt import __version__
from paranmt.base.errors import InputError
from paranmt.base.processes import process_name
from paranmt.launch.commands.demo import _prepared
from paranmt.launch.commands.nmt_train_command import NmtStates
from paranmt.launch.commands.translate_command import opened
from paranmt.launch.display.console import folded, table
from paranmt.launch.display.plan_text import plan_summary, plan_table
from paranmt.launch.display.status_text import status_text
from paranmt.models.evaluation.evaluation_kinds import EVALUATIONS
from paranmt.models.translation.nmt_options import NmtOptions
from paranmt.models.translation.nmt_training import NmtProgress, NmtResult
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.status import StageStatus, Status, note_run
from paranmt.transforms.storage.content_hash import seal
from paranmt.transforms.storage.workspace import Workspace

COMMANDS = [
    *"init demo run plan status results clean select tune recipe translate train evaluate stats".split(),
    *"nmt-train paraphrase launch diff inspect judge merge publish verify embed".split(),
    *"export reproduce analyse".split(),
]


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe that was run from the command line."""
    folder = tmp_path_factory.mktemp("cli")
    file = folder / "recipe.yaml"
    file.write_text(recipe_text(folder, {"first": 230}))
    result = paranmt("run", file)
    assert result.exit_code == 0, result.output
    assert re.search(r"^ingest: 230 pairs in ", result.stderr, re.M)
    assert result.stderr.splitlines()[-1] == f"{len(conditions(file))} stages computed"
    return file


def conditions(recipe: Path, *overrides: str) -> dict[str, dict]:
    sets = [word for override in overrides for word in ("--set", override)]
    content = json.loads(ok("plan", recipe, "--json", *sets))
    return {stage["name"]: stage for stage in content["stages"]}


# --- help


def test_the_commands_are_those_there_are() -> None:
    """Each under a heading of its own kind."""
    help = ok("--help")
    listed = re.findall(r"^  ([a-z-]+)  ", help[help.index("\nBegin:") :], re.M)
    assert sorted(listed) == sorted(COMMANDS)
    assert "\nCommands:" not in help


@pytest.mark.parametrize("command", COMMANDS)
def test_every_commands_help_has_an_example_that_names_its_options(command: str) -> None:
    text = ok(command, "--help")
    examples = re.findall(rf"^  (paranmt {command}\b.*)$", text, re.M)
    assert examples
    assert not [line for line in examples if re.search(r"\sparanmt\s[a-z]", line)], "each on its own line"
    options = set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", text.partition("Options:")[2]))
    for example in examples:
        used = re.findall(r"(?<=\s)(--?[a-z][a-z-]*)", example.partition(" -- ")[0])
        assert set(used) <= options, example


def test_help_lists_a_kind_of_evaluation_that_was_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EVALUATIONS, "mine", EVALUATIONS["sts"])
    assert "translation_retrieval or mine; by default sts" in " ".join(ok("evaluate", "--help").split())


def test_help_comes_without_heavy_imports() -> None:
    code = (
        "import sys\n"
        "from paranmt.launch.cli import app\n"
        "app(['run', '--help'], standalone_mode=False)\n"
        "print([name for name in ('torch', 'apache_beam', 'pyarrow', 'duckdb') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_list_of_commands_imports_none_of_them() -> None:
    code = (
        "import sys\n"
        "from paranmt.launch.cli import app\n"
        "app(['--help'], standalone_mode=False)\n"
        "rooms = ('paranmt.launch.commands', 'paranmt.pipeline')\n"
        "print([name for name in sys.modules if name.startswith(rooms)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", ["plan", "status", "recipe --check", "clean", "select --preview"])
def test_what_computes_nothing_imports_nothing_heavy(recipe: Path, command: str) -> None:
    counts_pairs = command == "select --preview"
    for_other_work = ("numba", *(() if counts_pairs else ("natsort", "pyarrow.compute")))
    assert heavy_imports([*command.split(), recipe], also=for_other_work) == []


@pytest.mark.parametrize("command", ["plan", "status", "recipe --check", "clean"])
def test_conditions_on_numbers_start_no_duckdb(tmp_path: Path, command: str) -> None:
    file = tmp_path / "recipe.yaml"
    text = recipe_text(tmp_path, {"first": 30})
    file.write_text(re.sub(r"where: .*?([,}])", r"where: translation_length <= 10\1", text))
    assert heavy_imports([*command.split(), file], also=("duckdb",)) == []


def test_a_command_that_used_duckdb_ends_without_a_word(tmp_path: Path) -> None:
    """The binding of DuckDB complains on stderr where its objects outlive Python."""
    file = tmp_path / "recipe.yaml"
    text = recipe_text(tmp_path, {"first": 30})
    file.write_text(re.sub(r"where: .*?([,}])", r"where: lower(corpus) = 'first'\1", text))
    check = [sys.executable, "-m", "paranmt", "recipe", "--check", file]
    done = subprocess.run(check, capture_output=True, text=True, check=True)
    assert (len(done.stderr.splitlines()), done.stdout) == (1, "") and "is valid" in done.stderr


@pytest.mark.parametrize("command", [["status"], ["recipe"], ["launch", "render"]])
def test_a_command_imports_no_other(command: list[str]) -> None:
    code = (
        "import sys\n"
        "from paranmt.launch.cli import app\n"
        f"app([*{command!r}, '--help'], standalone_mode=False)\n"
        "print(*(name for name in sys.modules if name.startswith('paranmt.') and name.endswith('_command')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    expected = {"launch": "render"}.get(command[0], command[0])
    assert done.stdout.splitlines()[-1] == f"paranmt.launch.commands.{expected}_command"


def test_nothing_published_names_this_machine(recipe: Path) -> None:
    work = recipe.parent / "work"
    host = json.loads(next((work / "translate").rglob("run.json")).read_text())["host"]
    assert host
    for file in ("report/index.html", "release/README.md", "release/manifest.json", "release/croissant.json"):
        text = (work / file).read_text()
        assert str(recipe.parent) not in text, file
        assert f"on {host}" not in text and f'"{host}"' not in text, file


def test_a_preview_of_a_release_is_that_of_the_recipe(recipe: Path) -> None:
    where = "translation_length <= 10 and domain = 'd0'"
    release = recipe.parent / "work/release"
    of_release = json.loads(ok("select", release, "--preview", "--where", where, "--json"))["drops"]
    (of_recipe,) = json.loads(ok("select", recipe, "short", "--preview", "--json"))
    assert of_release == of_recipe["drops"]
    assert re.match(
        rf"{of_release['selected']} of 230 pairs in 2 files pass \(",
        ok("select", release, "--preview", "--where", where),
    )
    assert paranmt("select", release, "--where", where).exit_code == 2


def test_diff(recipe: Path) -> None:
    """The selection's own definition is the release's column."""
    release = pq.read_table(recipe.parent / "work/release/data")
    changes = {
        "short": "translation_length between 9 and 11",
        "middling": "trigram_overlap_decile > 5",
    }
    sets = [word for name, where in changes.items() for word in ("--set", f"select.{name}.where={where}")]
    before = json.loads(ok("diff", recipe, recipe, "short", "--json"))
    assert [(d["gained"], d["lost"], d["gained_examples"]) for d in before] == [(0, 0, [])]
    for found in json.loads(ok("diff", recipe, recipe, "--json", "-n", 7, *sets)):
        name = found["selection"]
        if name not in changes:
            continue
        old = set(release.filter(release[name])["pair_id"].to_pylist())
        assert found["both"] + found["lost"] == len(old)
        lost = [example["pair_id"] for example in found["lost_examples"]]
        gained = [example["pair_id"] for example in found["gained_examples"]]
        assert len(set(lost)) == min(7, found["lost"]) and set(lost) <= old
        assert len(set(gained)) == min(7, found["gained"]) and not set(gained) & old
        if name == "short":
            mask = [9 <= length <= 11 for length in release["translation_length"].to_pylist()]
            new = set(release.filter(mask)["pair_id"].to_pylist())
            assert (found["gained"], found["lost"]) == (len(new - old), len(old - new))
            assert all(
                example["translation"] and example["reference"] for example in found["gained_examples"]
            )
        else:
            assert found["both"] + found["gained"] == 115  # all that pass: fewer than the sample
    text = ok("diff", recipe, recipe, "short", *sets)
    assert "gained, at random:" in text and "  translation  " in text
    other = recipe.parent / "other.yaml"
    other.write_text(recipe.read_text().replace("part_rows: 50", "part_rows: 40"))
    result = paranmt("diff", recipe, other)
    assert result.exit_code == 2


def test_reading_a_release_imports_nothing_heavy(recipe: Path) -> None:
    work = recipe.parent / "work"
    assert heavy_imports(["inspect", work, "--where", "trigram_overlap = 0"], ["verify", work]) in (
        [],
        ["pandas"],
    )


def test_cutting_measuring_and_selecting_import_pandas_alone(recipe: Path, tmp_path: Path) -> None:
    sets = {
        "workspace": tmp_path,
        "scores": "{translation_length: {}, trigram_overlap: {}}",
        "select": "{short: {where: translation_length_decile <= 5, sample: 20}}",
        "release": "{primary_score: trigram_overlap}",
        "train": "{}",
        "evaluate": "{}",
    }
    changes = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
    # pyarrow imports pandas to convert some arrays.
    assert heavy_imports(["run", recipe, "--until", "release", *changes]) == ["pandas"]
    assert list(tmp_path.glob("release/data/*.parquet"))


def test_version() -> None:
    assert ok("--version") == ok("-V") == f"paranmt {__version__}\n"


# --- run, plan, status, clean, select


def test_a_release_names_no_folder_of_this_machine(recipe: Path) -> None:
    """The recipe has absolute paths; only their last names are published."""
    files = [file for file in (recipe.parent / "work/release").rglob("*") if file.is_file()]
    texts = {file.name: file.read_bytes() for file in files if not file.name.startswith("_")}
    assert {"README.md", "manifest.json", "croissant.json"} < texts.keys()
    assert [name for name, text in texts.items() if str(recipe.parent.parent).encode() in text] == []
    published = json.loads(texts["manifest.json"])["recipe"]
    assert published["bitext"][0]["source"] == "first.xx" and published["workspace"] == "work"


def test_a_release_that_was_run_is_whole(recipe: Path) -> None:
    result = paranmt("verify", recipe.parent / "work")
    assert result.exit_code == 0, result.output
    result = paranmt("verify", recipe.parent / "work", "--sample", 230)
    assert result.exit_code == 0, result.output
    assert "exactly the scores that their texts give: perplexity, translation_length" in result.stderr
    assert len(json.loads(ok("inspect", recipe.parent / "work", "--json"))) == 10


def test_a_fresh_recipe_has_nothing_to_compute(recipe: Path) -> None:
    result = paranmt("run", recipe)
    assert result.exit_code == 0
    assert result.stderr.splitlines()[-1] == "nothing to compute"
    assert {stage["state"] for stage in conditions(recipe).values()} == {"fresh"}
    assert "everything is fresh" in paranmt("plan", recipe).stderr


def test_results_are_those_of_the_stages_that_are_up_to_date(recipe: Path) -> None:
    release = recipe.parent / "work/release"
    run, shown = paranmt("run", recipe), paranmt("results", recipe)
    assert shown.exit_code == 0
    assert run.stdout == shown.stdout, "a run ends with its results"
    assert f"release: {release} (230 pairs)" in shown.stdout
    content = json.loads(ok("results", recipe, "--json"))
    pairs = pq.read_table(release / "data")
    assert content["pairs"] == pairs.num_rows == 230
    assert content["selections"]
    assert content["selections"] == {name: sum(pairs[name].to_pylist()) for name in content["selections"]}
    assert Path(content["paths"]["report"]).is_file()
    changed = ("--set", "select.new.where=translation_length > 3")
    assert "not up to date: select/new, release, report; " in paranmt("results", recipe, *changed).stderr
    assert "release" not in json.loads(ok("results", recipe, "--json", *changed))["paths"]


def test_plan_says_what_changed_and_does_nothing(recipe: Path) -> None:
    before = sorted(str(file) for file in recipe.parent.rglob("*"))
    changed = conditions(recipe, "ingest.part_rows=57")
    assert changed["ingest"]["state"] != "fresh"
    text = paranmt("plan", recipe, "--set", "ingest.part_rows=57")
    assert re.search(r"^stage +state +parts +last cost +why$", text.stdout, re.M)
    assert "a run would compute" in text.stderr
    assert sorted(str(file) for file in recipe.parent.rglob("*")) == before


def test_redo_computes_one_stage_again(recipe: Path) -> None:
    result = paranmt("run", recipe, "--redo", "report")
    assert result.exit_code == 0, result.output
    assert result.stderr.splitlines()[-1].startswith("1 stage computed")


def test_status_by_recipe_and_by_workspace(recipe: Path) -> None:
    content = json.loads(ok("status", recipe, "--json"))
    assert {stage["name"] for stage in content["stages"]} >= {"ingest", "translate", "release"}
    assert content["stages"] == json.loads(ok("status", recipe.parent / "work", "--json"))["stages"]
    assert re.search(r"^ingest +230 ", ok("status", recipe), re.M)
    assert "no stage has finished or is running" in ok("status", recipe.parent / "nowhere")


def test_status_names_the_stages_that_the_recipe_lacks(recipe: Path) -> None:
    assert json.loads(ok("status", recipe, "--json"))["not_in_recipe"] == []
    other = recipe.parent / "other.yaml"
    lines = recipe.read_text().splitlines(keepends=True)
    other.write_text("".join(line for line in lines if not line.lstrip().startswith(("trigram_", "short:"))))
    expected = {"score/trigram_overlap", "deciles/trigram_overlap", "select/short"}
    assert set(json.loads(ok("status", other, "--json"))["not_in_recipe"]) == expected
    status = paranmt("status", other)
    assert "not in this recipe, but in its workspace: " in status.stderr + status.stdout


def test_clean_says_what_it_removes_and_leaves_a_fresh_recipe_alone(recipe: Path) -> None:
    name = "ingest/first/first.xx-00007-0123456789abcdef.parquet"
    leftover = recipe.parent / "work" / name
    leftover.write_bytes(b"x")
    dry = paranmt("clean", recipe, "--dry-run")
    assert name in dry.stdout
    assert leftover.exists()
    assert name in json.loads(ok("clean", recipe, "--json"))["removed"]
    assert not leftover.exists()
    assert {stage["state"] for stage in conditions(recipe).values()} == {"fresh"}


def test_preview_counts_what_each_clause_drops(recipe: Path) -> None:
    where = "select.short.where=translation_length > 0 and translation_length < 0"
    (found,) = json.loads(ok("select", recipe, "short", "--preview", "--json", "--set", where))
    drops = found["drops"]
    assert (drops["pairs"], drops["selected"]) == (230, 0)
    assert [clause["alone"] for clause in drops["clauses"]] == [0, 230]
    text = ok("select", recipe, "short", "--preview", "--set", where)
    assert text.startswith("short: 0 of 230 pairs in ")
    assert re.search(r"^translation_length < 0 +230 +230 +0$", text, re.M)


def test_select_computes_selections(recipe: Path) -> None:
    assert paranmt("select", recipe).exit_code == 0


# --- mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "{recipe}", "--only", "scores"], "no stage 'scores'; did you mean score? there are: ingest"),
        (["run", "{recipe}", "--workers", "0"], "--workers: expected at least 1, got 0"),
        (["run", "{recipe}", "--only", "report", "--redo", "report"], "expected only one of --only, --redo"),
        (["run", "{recipe}", "--runner", "moon"], "no runner 'moon'; there are: local, portable, flink"),
        (["run", "{recipe}", "another.yaml"], "expected one argument, got 'another.yaml' too"),
        (["run", "{recipe}", "--", "--direct_running_mode=multi_threading"], "loses rows"),
        (["run", "{recipe}", "--set", "seeed=3"], "--set seeed=3: seeed: unknown key; did you mean seed?"),
        (["plan", "nowhere.yaml"], "cannot read the recipe nowhere.yaml"),
        (["select", "{recipe}", "nothing", "--preview"], "no selection 'nothing'; there are: "),
        (["recipe"], "expected one of --schema, --example and --check FILE"),
        (["recipe", "--schema", "--example"], "expected one of --schema, --example and --check FILE"),
        (["evaluate", "x", "--kind", "stss"], "no kind of evaluation 'stss'; there are: sts"),
        (["evaluate", "x"], "expected the data after the encoders: paranmt evaluate x DATA"),
        (["evaluate", "nowhere", "{folder}"], "expected an encoder's folder or a file of word vectors"),
        (["translate", "nowhere", "{recipe}"], "there is no folder nowhere"),
        (["paraphrase", "nowhere", "{recipe}"], "writes a paraphraser for each entry of `paraphraser`"),
        (["translate", "nowhere", "--set", "beem=3"], "--set beem=3: beem: unknown key; did you mean beam?"),
        (["train", "{folder}", "-o", "x"], "expected a Parquet file, or a release's folder"),
        (["train", "{folder}/work/release", "--selection", "nothing", "-o", "x"], "no column 'nothing'; "),
        (["train", "{folder}/work/release", "--selection", "corpus", "-o", "x"], "expected a boolean column"),
        (["train", "{folder}/work/release", "-o", "{folder}"], "already exists"),
        (["train", "{folder}/work/release", "-o", "x", "--set", "margn=1"], "margn: unknown key"),
        (["nmt-train"], "expected either a recipe, or --source and --reference"),
        (["nmt-train", "--source", "a", "--reference", "b"], "expected --output"),
        (["nmt-train", "--source", "a", "--reference", "b", "-o", "c"], "expected --source-language"),
        (["nmt-train", "{recipe}"], "the recipe has no translate.model; give --output"),
        (["demo", "{folder}"], "contains files that are not from a demo"),
    ],
)  # fmt: skip
def test_mistakes_end_with_2_and_no_traceback(
    recipe: Path, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if arguments[0] == "demo":
        (recipe.parent / "other").mkdir(exist_ok=True)
        (recipe.parent / "other" / "file").touch()
        arguments = ["demo", str(recipe.parent / "other")]
    result = paranmt(*(each.format(recipe=recipe, folder=recipe.parent) for each in arguments))
    assert message in result.stderr, result.output
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert result.stdout == ""


def test_bugs_keep_their_traceback(recipe: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("paranmt.pipeline.running.plan.make_plan", broken)
    assert isinstance(paranmt("plan", recipe).exception, ZeroDivisionError)


def test_finished_work_is_not_computed_again_unasked(recipe: Path, tmp_path: Path) -> None:
    run = recipe.parent / "work" / "score" / "trigram_overlap" / "run.json"
    before = run.read_text()
    run.write_text(json.dumps(seal({**json.loads(before), "seconds": 7_200.0})))
    change = ["--set", "scores.trigram_overlap.counting=legacy", "--until", "score/trigram_overlap"]
    result = paranmt("run", recipe, *change)
    assert result.exit_code == 2
    assert "2.0 hours of finished work" in result.stderr and "--yes" in result.stderr
    assert paranmt("run", recipe, *change, "--yes").exit_code == 0
    assert conditions(recipe)["score/trigram_overlap"]["state"] == "fresh"


# --- recipe


def test_recipe_prints_an_example_and_the_schema_that_it_meets(tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(ok("recipe", "--example"))
    checked = paranmt("recipe", "--check", file)
    assert checked.exit_code == 0
    assert re.fullmatch(
        rf"{re.escape(str(file))} is valid: 4 inputs, \d+ scores, 1 selection\n", checked.stderr
    )
    jsonschema.Draft202012Validator.check_schema(json.loads(ok("recipe", "--schema")))


def test_recipe_check_tells_all_that_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(
        ok("recipe", "--example").replace("beam: 12", "beem: 12").replace("batch: 100", "batsch: 100")
    )
    result = paranmt("recipe", "--check", file)
    assert result.exit_code == 2
    assert "translate.beem: unknown key; did you mean beam?" in result.stderr
    assert "train.avg.batsch: unknown key; did you mean batch?" in result.stderr


# --- the commands that need no workspace


def test_train_and_evaluate(recipe: Path, tmp_path: Path) -> None:
    encoder = tmp_path / "models" / "avg"
    small = ["--dimension", "10", "--epochs", "1", "--mega-batch", "2", "--set", "batch=20"]
    result = paranmt("train", recipe.parent / "work" / "release", "-o", encoder, *small)
    assert result.exit_code == 0, result.output
    assert "trained on 230 pairs" in result.stderr
    assert [file.name for file in encoder.parent.iterdir()] == ["avg"]
    write_sts(tmp_path / "sts")
    results = json.loads(ok("evaluate", encoder, tmp_path / "sts", "--json"))["rows"]
    assert {"dataset", "year", "pairs", "pearson", "low", "high", "spearman"} == set(results[0])
    text = ok("evaluate", encoder, tmp_path / "sts")
    assert re.search(rf"phrases +40 +{results[0]['pearson']:.1f} ", text)
    assert re.search(r"^test set +pairs +Pearson +low +high +Spearman$", text, re.M), "no column is empty"


def test_evaluate_word_vectors(tmp_path: Path) -> None:
    words = (
        "a dog the cat two men woman child some birds an old sailor teacher sees hears likes follows".split()
    )
    lines = [f"{word} {i % 3}.5 {i % 5}.25 {i % 7}.0 0.{i}" for i, word in enumerate(words)]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n")
    write_sts(tmp_path / "sts")
    results = json.loads(ok("evaluate", tmp_path / "vectors.txt", tmp_path / "sts", "--json"))
    assert results["rows"][0]["pairs"] == 40


@pytest.mark.parametrize("form", ["tsv", "jsonl", "text"])
def test_translate(shared: Path, tmp_path: Path, form: str) -> None:
    model = shared / "models" / "cs-en-small-ct2"
    lines = ["Dva psi běží po trávě.", "", "Žena čte knihu."]
    (tmp_path / "cs.txt").write_text("\n".join(lines) + "\n")
    out = tmp_path / "out" / "en.txt"
    options = ["--beam", "3", "--format", form, *(["--n-best", "2"] if form != "text" else [])]
    result = paranmt("translate", model, tmp_path / "cs.txt", "-o", out, *options)
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("3 sentences in ") and "1 without a translation" in result.stderr
    written = out.read_text().splitlines()
    if form == "text":
        assert len(written) == 3 and written[1] == ""
        assert ok("translate", model, *options, text="\n".join(lines)).splitlines() == written
    elif form == "tsv":
        rows = [line.split("\t") for line in written]
        assert [row[:2] for row in rows] == [["1", "1"], ["1", "2"], ["3", "1"], ["3", "2"]]
        assert all(float(row[2]) < 0 and int(row[3]) > 1 for row in rows)
    else:
        rows = [json.loads(line) for line in written]
        assert [row["source"] for row in rows] == lines
        assert [len(row["candidates"]) for row in rows] == [2, 0, 2]
        for one in rows[0]["candidates"]:
            assert len(one["token_log_probs"]) == one["n_tokens"]


def test_translate_refuses_what_is_not_utf_8(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "cs.txt").write_bytes("Žena čte.\n".encode() + "Žena".encode("cp1250") + b"\n")
    out = tmp_path / "en.txt"
    result = paranmt("translate", shared / "models" / "cs-en-small-ct2", tmp_path / "cs.txt", "-o", out)
    assert result.exit_code == 2
    assert "line 2 is not UTF-8 (byte 1)" in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["cs.txt"]


def test_translate_writes_new_files_and_to_pipes_and_devices(tmp_path: Path) -> None:
    for name in ("file", "target"):
        (tmp_path / name).write_text("mine")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "nowhere").symlink_to("absent")
    for name in ("file", "link", "nowhere", "."):
        with pytest.raises(InputError, match="already exists"), opened(tmp_path / name):
            pass
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor() as pool:
        read = pool.submit((tmp_path / "pipe").read_text)
        with opened(tmp_path / "pipe") as out:
            out.write("Žena\n")
        assert read.result() == "Žena\n"
    with opened(Path("/dev/null")) as out:
        out.write("nothing")
    with opened(tmp_path / "new") as out:
        out.write("Žena\n")
    assert (tmp_path / "new").read_text() == "Žena\n"
    assert {path.name for path in tmp_path.iterdir()} == {"file", "target", "link", "nowhere", "pipe", "new"}
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode) and (tmp_path / "link").is_symlink()
    assert [(tmp_path / name).read_text() for name in ("file", "target")] == ["mine", "mine"]


def test_translate_writes_to_its_own_streams(tmp_path: Path) -> None:
    """/dev/stdout is a link to whatever the standard output is, perhaps a file with content."""
    code = (
        "from pathlib import Path; from paranmt.launch.commands.translate_command import opened\n"
        "for name in ('stdout', 'stderr', 'fd/1'):\n"
        "    with opened(Path('/dev', name)) as out: print(name, file=out, flush=True)"
    )
    out, err = tmp_path / "out", tmp_path / "err"
    out.write_text("before\n")
    with out.open("a") as stdout, err.open("w") as stderr:
        subprocess.run([sys.executable, "-c", code], stdout=stdout, stderr=stderr, check=True)
    assert (out.read_text(), err.read_text()) == ("before\nstdout\nfd/1\n", "stderr\n")
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (piped.stdout, piped.stderr) == ("stdout\nfd/1\n", "stderr\n")


# --- interrupts


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_ends_with_one_line(number: int, code: int, tmp_path: Path) -> None:
    """Ctrl-C, and what batch systems send."""
    rows = {"first": 60_000}
    (tmp_path / "recipe.yaml").write_text(recipe_text(tmp_path, rows))
    command = [
        sys.executable,
        "-c",
        "from paranmt.launch.cli import main; main()",
        "run",
        tmp_path / "recipe.yaml",
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        # A shell starts what it does not wait for with SIGINT ignored, and the tests may be that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stderr is not None
    first = process.stderr.readline()
    assert first.startswith("to compute: "), first
    time.sleep(0.2)
    process.send_signal(number)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == code, rest
    assert rest.splitlines() == [
        "",
        "paranmt: interrupted; finished work is kept: run the same command again to continue",
    ]


def test_a_run_goes_on_where_nobody_listens(tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text(recipe_text(tmp_path, {"first": 60}))
    command = [sys.executable, "-m", "paranmt", "run", str(tmp_path / "recipe.yaml")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    process.stderr.close()
    process.wait(timeout=120)
    assert (tmp_path / "work/report/index.html").is_file()


def test_a_run_whose_process_is_dead_is_told_at_once(recipe: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    workspace = Workspace(str(recipe.parent / "work"))
    note_run(workspace, "translate", [], 0)
    assert "interrupted" not in ok("status", recipe)
    note = workspace.read_json("_run.json")
    assert isinstance(note, dict)
    name = process_name().rpartition("-")[0]
    workspace.write_json("_run.json", {**note, "process": dead.pid, "process_name": f"{name}-{dead.pid}"})
    result = paranmt("status", recipe)
    assert f"interrupted: process {dead.pid} on " in result.output


def test_options_of_a_forecast_need_one(recipe: Path) -> None:
    result = paranmt("plan", recipe, "--gpus", "4")
    assert result.exit_code == 2
    assert "--gpus works only with --forecast; add --forecast" in result.stderr


# --- output


def test_a_plan_has_a_row_for_each_kind_of_stage(tmp_path: Path) -> None:
    current = make_plan(Recipe.from_yaml(recipe_text(tmp_path, {"first": 60})))
    rows = [line.split() for line in plan_table(current, each=False).splitlines()]
    assert ["score", "(4)", "waiting"] in rows and ["ingest", "missing", "0", "of", "1"] in rows
    assert plan_summary(current).splitlines() == [
        "waiting: ingest is not finished",
        f"a run would compute {len(current.stages)} stages",
    ]
    assert len(plan_table(current).splitlines()) == 1 + len(current.stages)


def test_a_status_has_a_row_for_each_kind_of_stage() -> None:
    stages = (
        StageStatus("score/a", 980, 2, 2.0, 5.0, {"null": 980}),
        StageStatus("score/b", 980, 2, 4.0, 6.0, {"null": 0}, speed=245.0),
        StageStatus("report", 0, 1, 1.0, 7.0, {}),
    )
    first, second = status_text(Status("work", stages, None), each=False).splitlines()[1:]
    assert first.split()[:6] == ["score", "(2)", "980", "4", "6.0", "s"] and "pairs/s" not in first
    assert second.startswith("report")
    each = status_text(Status("work", stages, None)).splitlines()
    assert "pairs/s" not in each[1] and "245 pairs/s" in each[2]


def test_tables_fit_the_screen() -> None:
    rows = [["ingest", "12", "rejected 6, empty 4"], ["train/avg", "3", "one two three four five six"]]
    assert table(["stage", "all parts", "counts"], rows, ["all parts"], width=38).splitlines() == [
        "stage        all  counts",
        "           parts",
        "ingest        12  rejected 6, empty 4",
        "train/avg      3  one two three four",
        "                  five six",
    ]
    # Where that does not suffice, the other columns follow, without the rows of which they say nothing.
    rows = [["ingest", "100,000", "1.5 h", "words"], ["train/avg", "200,000", "", ""]]
    assert table(["stage", "pairs", "took", "counts"], rows, ["pairs", "took"], width=24).splitlines() == [
        "stage        pairs",
        "ingest     100,000",
        "train/avg  200,000",
        "",
        "stage    took  counts",
        "ingest  1.5 h  words",
    ]


def test_lines_are_broken_at_spaces() -> None:
    assert folded("  reference  \x1b[31mtwo small\x1b[0m dogs sleep", 20, hang=13).splitlines() == [
        "  reference  \x1b[31mtwo",
        "             small\x1b[0m",
        "             dogs",
        "             sleep",
    ]
    assert folded("longer than the screen") == "longer than the screen"  # there is none


def test_tables_are_aligned_and_never_cut() -> None:
    long = "x" * 300
    assert table(["a", "number"], [["b", "1"], [long, "22"]], right=["number"]).splitlines() == [
        "a" + " " * 299 + "  number",
        "b" + " " * 299 + "       1",
        long + "      22",
    ]


# --- nmt-train and demo, without the minutes that training takes


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[tuple[str, str]], NmtOptions]]:
    """What translation models were asked for; none is trained."""
    asked = []

    def train_nmt(
        pairs: Iterable[tuple[str, str]], out: Path, options: NmtOptions, *others: object
    ) -> NmtResult:
        asked.append((list(pairs), options))
        out.mkdir(parents=True)
        return NmtResult(str(out), 90, 10, 0, 1_000, 5, 2.5, 31.4, 12.0)

    monkeypatch.setattr("paranmt.models.translation.nmt_training.train_nmt", train_nmt)
    return asked


def test_nmt_train_on_two_files(trained: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.de").write_text("Ein Hund.\n\nZwei Hunde.\n")
    (tmp_path / "a.en").write_text("A dog.\nNothing.\nTwo dogs.\n")
    options = ["--source-language", "de", "--preset", "tiny", "--epochs", 3, "--set", "vocabulary=500"]
    result = paranmt("nmt-train", "--source", "a.de", "--reference", "a.en", "-o", "models/de-en", *options)
    assert result.exit_code == 0, result.output
    assert "BLEU 31.4 on 10 held-out pairs" in result.stderr
    ((pairs, used),) = trained
    assert pairs == [("Ein Hund.", "A dog."), ("Zwei Hunde.", "Two dogs.")]
    assert [path.name for path in Path("models").iterdir()] == ["de-en"]
    wanted = NmtOptions(preset="tiny", source_language="de", target_language="en", epochs=3, vocabulary=500)
    assert used == wanted


def test_nmt_train_on_a_recipe(trained: list, tmp_path: Path) -> None:
    text = recipe_text(tmp_path, {"first": 30, "second": 20})
    file = tmp_path / "recipe.yaml"
    file.write_text(text + "translate: {model: models/xx-en}\n")
    assert paranmt("nmt-train", file).exit_code == 0
    assert paranmt("nmt-train", file, "-o", tmp_path / "other").exit_code == 0
    assert [len(pairs) for pairs, _ in trained] == [50, 50]
    assert (tmp_path / "models/xx-en").is_dir() and (tmp_path / "other").is_dir()
    result = paranmt("nmt-train", file, "-o", tmp_path / "other")
    assert result.exit_code == 2 and "already exists" in result.stderr and len(trained) == 2


def test_the_time_that_is_left_is_that_of_this_attempt() -> None:
    times = iter([0.0, 60.0, 120.0])
    states = NmtStates(lambda: next(times))
    told = [
        states.text(NmtProgress("train", epoch, 10, 100 * epoch, 3.25, share=share))
        for epoch, share in ((5, 0.5), (6, 0.6), (8, 0.8))
    ]
    assert told == [
        "training, 50%, epoch 5 of 10, 500 updates, loss 3.250",
        "training, 60%, epoch 6 of 10, 600 updates, loss 3.250, 4 min 0 s left",
        "training, 80%, epoch 8 of 10, 800 updates, loss 3.250, 1 min 20 s left",
    ]
    assert states.text(NmtProgress("text")) == "preparing the text"


def test_nmt_train_says_once_how_long_it_will_take() -> None:
    times = iter([100.0, 104.0, 106.0, 108.0])
    states = NmtStates(lambda: next(times))
    told = [
        states.expected(NmtProgress("train", 1, 10, updates, 5.0, share=share))
        for updates, share in ((2, 0.0), (4, 0.002), (6, 0.003), (8, 0.004))
    ]
    # 6 s are 0.003 of the training, so the whole takes 2,000 s.
    assert [text is not None for text in told] == [False, False, True, False]
    assert "training will take about 33 min 20 s at the speed of its first updates here" in str(told[2])
    assert states.expected(NmtProgress("text")) is None


@pytest.mark.parametrize("option", ["vocabulry=500", "vocabulary=many"])
def test_nmt_train_refuses_options_that_are_none(trained: list, tmp_path: Path, option: str) -> None:
    (tmp_path / "recipe.yaml").write_text(recipe_text(tmp_path, {"first": 30}))
    result = paranmt("nmt-train", tmp_path / "recipe.yaml", "-o", tmp_path / "model", "--set", option)
    assert result.exit_code == 2
    assert f"--set {option}: vocabul" in result.stderr
    assert not trained


def without(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    """Let these packages look as if they were not installed."""
    monkeypatch.setattr("paranmt.install._is_installed", lambda name: name not in packages)


@pytest.mark.parametrize("packages", [("kenlm",), ("fairseq", "kenlm")])
def test_the_demo_begins_only_where_all_it_needs_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packages: tuple[str, ...]
) -> None:
    without(monkeypatch, *packages)
    result = paranmt("demo", tmp_path / "demo")
    assert result.exit_code == 2
    missing = f"not installed here: kenlm; to install: {sys.executable} -m paranmt.install\n"
    assert result.stderr == f"paranmt: the demo needs KenLM; {missing}"
    assert not list(tmp_path.iterdir())


def test_nmt_train_without_fairseq(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "recipe.yaml").write_text(recipe_text(tmp_path, {"first": 30}))
    without(monkeypatch, "fairseq")
    result = paranmt("nmt-train", tmp_path / "recipe.yaml", "-o", tmp_path / "model")
    assert result.exit_code == 2 and "to install:" in result.stderr and len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "model").exists()


def test_a_recipe_that_needs_kenlm_is_not_begun_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "recipe.yaml"
    file.write_text(recipe_text(tmp_path, {"first": 30}))
    without(monkeypatch, "kenlm")
    result = paranmt("run", file)
    assert result.exit_code == 2 and "not installed here: kenlm; to install:" in result.stderr
    assert not (tmp_path / "work" / "ingest").exists()
    assert paranmt("run", file, "--until", "ingest").exit_code == 0  # which needs no language model


def test_the_demos_folder_is_whole_or_not_there(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    recipe_file = _prepared(folder)
    assert paranmt("recipe", "--check", recipe_file).exit_code == 0
    assert [file.name for file in tmp_path.iterdir()] == ["demo"]
    (folder / "recipe.yaml").write_text((folder / "recipe.yaml").read_text() + "# changed")
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
    assert _prepared(folder) == recipe_file  # the one that is there goes on
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*")} == before


def test_a_demo_leaves_the_files_of_a_user(tmp_path: Path) -> None:
    folder, new = tmp_path / "demo", tmp_path / ".demo.new"
    folder.mkdir()
    new.mkdir()
    (new / "notes.txt").write_text("mine")
    assert _prepared(folder) == folder / "recipe.yaml"
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "recipe.yaml").write_text("workspace: w\nbitext: []\n")
    result = paranmt("demo", folder)
    assert result.exit_code == 2 and "contains files that are not from a demo" in result.stderr
    assert [path.name for path in folder.iterdir()] == ["recipe.yaml"]
    assert (new / "notes.txt").read_text() == "mine"

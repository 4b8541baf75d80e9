"""Random edits of a recipe and its inputs: after each, a run makes what a run from scratch makes."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from outcomes import Broken, Steps, Verdict
from workspaces import (
    Bitext,
    Project,
    compute,
    copy_folder,
    differences,
    made_up_rows,
    not_fresh,
    published,
    small_project,
)

from paranmt.base.errors import UserError
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.clean import clean

STEPS = 4


def edits(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """A few steps: edit, perhaps clean or compute one stage, run, compare with a run from scratch."""
    choose = Random(seed)
    kept = folder / "kept"
    copy_folder(shared / "finished", kept)
    project = small_project()
    project.written = project.files()
    older = [project.copy()]
    for number in range(STEPS):
        if number and choose.random() < 0.15:
            before = choose.choice(older)
            project.bitexts, project.recipe = before.copy().bitexts, before.copy().recipe
            steps.append("go back to an older recipe and its inputs")
        for _ in range(choose.randint(1, 3)):
            steps.append(choose.choice(EDITS)(project, choose) or "leave it")
        project.write(kept)
        meddle(kept, project, choose, steps)
        compare_with_scratch(kept, project, folder / "scratch", steps)
        older.append(project.copy())
    return "right"


def meddle(folder: Path, project: Project, choose: Random, steps: Steps) -> None:
    """Now and then something between the edit and the run, which must not change what the run makes."""
    what = choose.choice(("", "", "clean", "clean --older", "only", "redo"))
    recipe = Recipe.load(folder / "recipe.yaml")
    if what.startswith("clean"):
        steps.append(what)
        before = not_fresh(folder)
        clean(recipe, older=what.endswith("older"))
        after = not_fresh(folder)
        if any(name not in before for name in after):
            raise Broken("lost", f"{what} took files that the recipe needs: {before} → {after}")
    elif what:
        stage = choose.choice(("score", "deciles", "select", "release", "train/avg", "score/perplexity"))
        steps.append(f"--{what} {stage}")
        try:
            compute(folder, **{what: stage})
        except UserError as error:  # it reads a stage that is stale, or there is none of that name
            steps.append(f"refused: {error}")


def compare_with_scratch(folder: Path, project: Project, scratch: Path, steps: Steps) -> None:
    """Run the project in its folder, and in a fresh one: the same files, or the same refusal."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    fresh = project.copy()
    fresh.written = {}
    fresh.write(scratch)
    refusals = []
    for place in (folder, scratch):
        try:
            compute(place)
            refusals.append("")
        except UserError as error:
            refusals.append(str(error).replace(str(place), ""))
    if refusals[0] != refusals[1]:
        raise Broken("unclear", f"refused: {refusals[0] or 'no'}; from scratch: {refusals[1] or 'no'}")
    if refusals[0]:
        steps.append(f"run: refused, and from scratch too: {refusals[0]}")
        return
    steps.append("run")
    differ = differences(published(scratch, project), published(folder, project))
    if differ:
        raise Broken("silent", f"unlike a run from scratch: {'; '.join(differ)}")
    stale = not_fresh(folder)
    again = compute(folder).computed
    if stale or again:
        raise Broken("unclear", f"after the run `plan` shows {stale}, a second run computes {again}")


def change_selection(project: Project, choose: Random) -> str | None:
    name = choose.choice(list(project.recipe["select"]))
    project.recipe["select"][name] = _selection(project, choose)
    return f"select {name}: {project.recipe['select'][name]}"


def add_selection(project: Project, choose: Random) -> str | None:
    name = f"extra{choose.randrange(3)}"
    project.recipe["select"][name] = _selection(project, choose)
    return f"select {name}: {project.recipe['select'][name]}"


def remove_selection(project: Project, choose: Random) -> str | None:
    used = {training.get("selection") for training in project.recipe["train"].values()}
    free = [name for name in project.recipe["select"] if name not in used]
    if not free:
        return None
    name = choose.choice(free)
    del project.recipe["select"][name]
    return f"remove select {name}"


def rename_selection(project: Project, choose: Random) -> str | None:
    selections = project.recipe["select"]
    name, new = choose.choice(list(selections)), f"renamed{choose.randrange(3)}"
    if new in selections:
        return None
    project.recipe["select"] = {new if key == name else key: value for key, value in selections.items()}
    for training in project.recipe["train"].values():
        if training.get("selection") == name:
            training["selection"] = new
    return f"rename select {name} to {new}"


def add_score(project: Project, choose: Random) -> str | None:
    measures = (
        "bigram_overlap",
        "unigram_overlap",
        "sentence_bleu",
        "translation_length",
        "reference_length",
    )
    name = choose.choice(measures)
    project.recipe["scores"].setdefault(name, {})
    return f"add score {name}"


def remove_score(project: Project, choose: Random) -> str | None:
    wheres = " ".join(selection["where"] for selection in project.recipe["select"].values())
    primary = project.recipe["release"].get("primary_score")
    scores = project.recipe["scores"]
    used = {primary, *(name for entry in project.recipe["tune"].values() for name in entry["scores"])}
    free = [name for name in scores if not re.search(rf"\b{name}(_decile)?\b", wheres) and name not in used]
    if not free or len(scores) == 1:
        return None
    name = choose.choice(free)
    del scores[name]
    return f"remove score {name}"


def rename_score(project: Project, choose: Random) -> str | None:
    scores = project.recipe["scores"]
    name, new = choose.choice(list(scores)), f"measure{choose.randrange(3)}"
    if new in scores:
        return None
    project.recipe["scores"] = {
        new if key == name else key: {"score": key, **value} if key == name else value
        for key, value in scores.items()
    }
    for selection in project.recipe["select"].values():
        selection["where"] = re.sub(rf"\b{name}(?=_decile\b|\b)", new, selection["where"])
    if project.recipe["release"].get("primary_score") == name:
        project.recipe["release"]["primary_score"] = new
    for entry in project.recipe["tune"].values():
        entry["scores"] = [new if score == name else score for score in entry["scores"]]
    return f"rename score {name} to {new}"


def change_score(project: Project, choose: Random) -> str | None:
    name = choose.choice(list(project.recipe["scores"]))
    entry = project.recipe["scores"][name]
    if "lm" in entry:
        entry["lm"]["train_on"] = choose.choice((15, 18, 20, 40))
    elif "sets" in entry:
        entry["n"] = choose.choice((4, 8))
    elif "encoder" in entry:
        entry["encoder"]["dimension"] = choose.choice((8, 16, 24))
    else:
        entry["tokens"] = choose.choice(("words", "whitespace"))
    return f"score {name}: {entry}"


def change_number(project: Project, choose: Random) -> str | None:
    recipe = project.recipe
    section, key, values = choose.choice(
        (
            (recipe, "seed", (1, 2, 3)),
            (recipe["ingest"], "part_rows", (25, 40, 64)),
            (recipe["ingest"], "max_characters", (30, 400, 600)),
            (recipe["release"], "rows_per_file", (40, 90, 500)),
            (recipe["release"], "primary_score", tuple(recipe["scores"])),
        )
    )
    section[key] = choose.choice(values)
    return f"{key}: {section[key]}"


def change_training(project: Project, choose: Random) -> str | None:
    training = project.recipe["train"]["avg"]
    training["selection"] = choose.choice(list(project.recipe["select"]))
    training["batch"] = choose.choice((10, 20))
    return f"train avg: {training}"


def change_head(project: Project, choose: Random) -> str | None:
    head = project.recipe["train"]["head"]
    head["epochs"], head["hidden"] = choose.choice((1, 2)), choose.choice(([], [3]))
    return f"train head: {head}"


def toggle_duplicates(project: Project, choose: Random) -> str | None:
    found = choose.choice((None, {}, {"of": "reference"}, {"similarity": 0.8}))
    project.recipe.pop("duplicates", None)
    if found is not None:
        project.recipe["duplicates"] = found
    return f"duplicates: {found}"


def change_tuning(project: Project, choose: Random) -> str | None:
    if not project.recipe["tune"]:
        project.recipe["tune"] = small_project().recipe["tune"]
        return "add tune found" if "trigram_overlap" in project.recipe["scores"] else None
    if choose.random() < 0.5:
        project.recipe["tune"] = {}
        return "remove tune found"
    project.recipe["tune"]["found"]["pairs"] = choose.choice((8, 10))
    return f"tune found: {project.recipe['tune']['found']}"


def toggle_training(project: Project, choose: Random) -> str | None:
    if "other" in project.recipe["train"]:
        del project.recipe["train"]["other"]
        return "remove train other"
    project.recipe["train"]["other"] = dict(project.recipe["train"]["avg"])
    return "add train other, like avg"


def change_corpus(project: Project, choose: Random) -> str | None:
    bitext = choose.choice(project.bitexts)
    bitext.domain, bitext.licence = choose.choice("pqr"), choose.choice(("cc0-1.0", "mit"))
    return f"{bitext.corpus}: domain {bitext.domain}, licence {bitext.licence}"


def add_corpus(project: Project, choose: Random) -> str | None:
    name = f"more{choose.randrange(3)}"
    if any(bitext.corpus == name for bitext in project.bitexts):
        return None
    bitext = Bitext(
        name, choose.choice(("moses", "tsv", "parquet")), made_up_rows(choose.randint(20, 50), 9), "d3"
    )
    project.bitexts.insert(choose.randrange(len(project.bitexts) + 1), bitext)
    return f"add corpus {name} ({bitext.format}, {len(bitext.rows)} rows)"


def remove_corpus(project: Project, choose: Random) -> str | None:
    if len(project.bitexts) == 1:
        return None
    return f"remove corpus {project.bitexts.pop(choose.randrange(len(project.bitexts))).corpus}"


def rename_corpus(project: Project, choose: Random) -> str | None:
    bitext = choose.choice(project.bitexts)
    before, bitext.file = bitext.corpus, bitext.file or bitext.corpus
    name = f"corpus{choose.randrange(4)}"
    if any(other.corpus == name for other in project.bitexts):
        return None
    bitext.corpus = name
    return f"rename corpus {before} to {name}"


def reorder_corpora(project: Project, choose: Random) -> str | None:
    choose.shuffle(project.bitexts)
    return f"corpora in the order {', '.join(bitext.corpus for bitext in project.bitexts)}"


def move_files(project: Project, choose: Random) -> str | None:
    bitext = choose.choice(project.bitexts)
    bitext.folder = choose.choice(("data", "moved", "moved/again"))
    return f"{bitext.corpus}: files in {bitext.folder}"


def edit_rows(project: Project, choose: Random) -> str | None:
    bitext = choose.choice(project.bitexts)
    row = choose.randrange(len(bitext.rows))
    source, reference, translation = bitext.rows[row]
    bitext.rows[row] = choose.choice(
        (
            (source, reference + " indeed", translation),
            (source, "", translation),
            (source, reference, reference),
            (source, reference.swapcase(), translation),  # as many bytes as before
        )
    )
    return f"{bitext.corpus}: row {row + 1} is {bitext.rows[row]}"


def append_rows(project: Project, choose: Random) -> str | None:
    bitext = choose.choice(project.bitexts)
    bitext.rows += made_up_rows(choose.randint(1, 45), seed=choose.randrange(100))
    return f"{bitext.corpus}: {len(bitext.rows)} rows"


def shorten_rows(project: Project, choose: Random) -> str | None:
    bitext = choose.choice(project.bitexts)
    bitext.rows = bitext.rows[: max(20, len(bitext.rows) - choose.randint(1, 45))]
    return f"{bitext.corpus}: {len(bitext.rows)} rows"


def swap_rows(project: Project, choose: Random) -> str | None:
    bitext = choose.choice(project.bitexts)
    first, second = choose.sample(range(len(bitext.rows)), 2)
    bitext.rows[first], bitext.rows[second] = bitext.rows[second], bitext.rows[first]
    return f"{bitext.corpus}: rows {first + 1} and {second + 1} change places"


EDITS: tuple[Callable[[Project, Random], str | None], ...] = (
    change_selection,
    add_selection,
    remove_selection,
    rename_selection,
    add_score,
    remove_score,
    rename_score,
    change_score,
    change_number,
    change_number,
    change_training,
    change_head,
    toggle_duplicates,
    change_tuning,
    toggle_training,
    change_corpus,
    add_corpus,
    remove_corpus,
    rename_corpus,
    reorder_corpora,
    move_files,
    edit_rows,
    append_rows,
    shorten_rows,
    swap_rows,
)


def _selection(project: Project, choose: Random) -> dict[str, object]:
    """A condition on what there is, with a sample or without."""
    score = choose.choice(list(project.recipe["scores"]))
    low = choose.randint(1, 4)
    conditions = [
        f"{score}_decile between {low} and {choose.randint(low + 3, 10)}",
        f"{score} is not null",
        f"corpus <> '{choose.choice(project.bitexts).corpus}'",
        f"domain in ('d0', 'd1', '{choose.choice(project.bitexts).domain}')",
    ]
    where = " and ".join(choose.sample(conditions, choose.randint(1, 2)))
    return {"where": where, **({"sample": choose.randint(40, 150)} if choose.random() < 0.5 else {})}

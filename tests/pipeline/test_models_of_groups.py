"""Scores with a model for each corpus or group of corpora (Wieting et al. 2017, sections 5 and 5.6)."""

from pathlib import Path

import duckdb
import numpy as np
import pytest
from runs import Silent, load

from paranmt.base.errors import ModelError
from paranmt.filters.perplexity import perplexity
from paranmt.launch.runners.local import LocalRunner
from paranmt.models.language_model import load as load_model
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.verify_sample import verify_sample
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.transforms.trainings.held_out import model_folder, read_held_out

BY_LANGUAGE = "share: 0.4, group_by: source_language"


def recipe(folder: Path, lm: str) -> str:
    """Corpora a and b from Czech, and c from French; each has words of its own."""
    generator = np.random.default_rng(1)
    entries = []
    for corpus, language in (("a", "cs"), ("b", "cs"), ("c", "fr")):
        words = [f"{corpus}{i}" for i in range(30)]
        for side in ("en", "mt", "xx"):
            lines = (" ".join(generator.choice(words, 6)) for _ in range(100))
            (folder / f"{corpus}.{side}").write_text("".join(f"{line}\n" for line in lines))
        files = f"source: {corpus}.xx, reference: {corpus}.en, translation: {corpus}.mt"
        entries.append(f"  - {{corpus: {corpus}, format: moses, source_language: {language}, {files}}}\n")
    return (
        f"workspace: {folder}/work\nbitext:\n{''.join(entries)}"
        f"scores: {{perplexity: {{lm: {{train_on: 70, order: 2, {lm}}}}}, translation_length: {{}}}}\n"
    )


def test_a_language_model_for_each_source_language(tmp_path: Path) -> None:
    loaded = load(tmp_path, recipe(tmp_path, BY_LANGUAGE))
    run(loaded, LocalRunner(), Silent(), last="release")
    data = f"'{tmp_path}/work/release/data/*.parquet'"
    held = duckdb.sql(f"select source_language, count(*) from {data} where held_out group by all").fetchall()
    assert dict(held) == {"cs": 70, "fr": 40}, "70 of 200 pairs, and 40 % of 100"
    (built,) = (tmp_path / "work/_built/model/perplexity").glob("*/groups.json")
    folders = {corpus: model_folder(built.parent, corpus) for corpus in "abc"}
    assert folders["a"] == folders["b"] != folders["c"]
    for corpus, folder in folders.items():
        columns = "translation, perplexity, reference, held_out"
        pairs = duckdb.sql(f"select {columns} from {data} where corpus = '{corpus}'").to_arrow_table()
        trained_on = read_held_out(folder)
        assert trained_on is not None
        assert trained_on.mask(pairs["reference"]).tolist() == pairs["held_out"].to_pylist()
        values = perplexity(pairs["translation"], load_model(folder / "language_model.binary")).to_pylist()
        expected = [
            None if seen else value for seen, value in zip(pairs["held_out"].to_pylist(), values, strict=True)
        ]
        assert pairs["perplexity"].to_pylist() == expected
    plan = make_plan(loaded)
    stage = plan.stage("model/perplexity")
    (remark,) = stage.kind.remarks(stage, plan.manifest(stage.name), loaded)
    assert "on 40 references of fr instead of the 70 in the recipe, because at most 40 % of 100" in remark
    card = (tmp_path / "work/release/README.md").read_text()
    assert "language model trained on 70 pairs of cs" in card
    assert "language model trained on 40 pairs of fr" in card
    check = verify_sample(open_release(f"{tmp_path}/work/release"), 200, 1)
    assert not check.failures and "perplexity" in check.checked
    with pytest.raises(ModelError, match="has no model for the corpus d; there are models for: a, b, c"):
        model_folder(built.parent, "d")


def test_keys_follow_the_groups_and_the_share(tmp_path: Path) -> None:
    text = recipe(tmp_path, BY_LANGUAGE)
    run(load(tmp_path, text), LocalRunner(), Silent(), last="ingest")

    def key(text: str) -> str:
        return make_plan(load(tmp_path, text)).stage("model/perplexity").key

    keys = {
        key(text),
        key(text.replace("share: 0.4, ", "")),
        key(text.replace("group_by: source_language", "group_by: corpus")),
        key(text.replace(", group_by: source_language", "")),
        key(text.replace("source_language: fr", "source_language: cs")),
    }
    assert len(keys) == 5

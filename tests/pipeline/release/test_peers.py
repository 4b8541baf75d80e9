"""Our STS figures are those of sentence-transformers and mteb for the same encoder, which we exported."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.export import export_encoder
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.vocabulary import Vocabulary, words
from paranmt.models.evaluation.sts import Sts
from paranmt.models.sts.sts_data import StsDataset, read_sts

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)
FOLDERS = ("sts-semeval", "stsbenchmark", "sick2014", "pit2015")


@pytest.fixture(scope="module")
def sets(shared: Path) -> dict[str, list[StsDataset]]:
    """The sets of each folder that have pairs."""
    everything = {name: read_sts(str(shared / "data" / name)) for name in FOLDERS}
    return {name: [dataset for dataset in found if dataset.gold] for name, found in everything.items()}


@pytest.fixture(scope="module")
def encoder(sets: dict[str, list[StsDataset]]) -> SentenceEncoder:
    """An average of random vectors, in which each second word is known: half of the words share a vector."""
    texts = {text for found in sets.values() for part in found for text in (*part.left, *part.right)}
    known = sorted({word for text in texts for word in words(text)})[::2]
    average = AveragingOptions(dimension=50).build({"words": len(known) + 1}, "words")
    return SentenceEncoder(draw_weights(average, 1), Vocabulary(known))


@pytest.fixture(scope="module")
def exported(encoder: SentenceEncoder, tmp_path_factory: pytest.TempPathFactory) -> Any:
    from sentence_transformers import SentenceTransformer

    folder = tmp_path_factory.mktemp("peers") / "exported"
    export_encoder(encoder, folder)
    return SentenceTransformer(str(folder), device="cpu")


def ours(encoder: SentenceEncoder, folder: Path) -> dict[tuple[str | None, str], tuple[float, float]]:
    """Pearson and Spearman of each set."""
    rows = Sts(data=str(folder)).evaluate(encoder).to_json()["rows"]
    return {
        (row["year"], row["dataset"]): (row["pearson"] / 100, row["spearman"] / 100)
        for row in rows
        if row["pearson"] is not None
    }


@needs_package
@pytest.mark.parametrize("folder", FOLDERS)
def test_the_evaluator_of_sentence_transformers_agrees(
    folder: str, shared: Path, sets: dict[str, list[StsDataset]], encoder: SentenceEncoder, exported: Any
) -> None:
    """Pearson on every set to 4 decimals, and Spearman where no two cosines share their first six decimals.

    Elsewhere the evaluator ranks the same words in another order by rounding errors, and Spearman agrees once
    its cosines are rounded as ours are.
    """
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator
    from sentence_transformers.util import pairwise_cos_sim

    found = ours(encoder, shared / "data" / folder)
    for part in sets[folder]:
        evaluator = EmbeddingSimilarityEvaluator(part.left, part.right, part.gold, write_csv=False)
        theirs = evaluator(exported)
        pearson, spearman = found[None if part.year is None else str(part.year), part.name]
        assert pearson == pytest.approx(theirs["pearson_cosine"], abs=5e-5), part.name
        cosines = (
            pairwise_cos_sim(*(exported.encode(side) for side in (part.left, part.right))).numpy().round(6)
        )
        if len(np.unique(cosines)) == len(cosines):
            assert spearman == pytest.approx(theirs["spearman_cosine"], abs=5e-5), part.name
        assert spearman == pytest.approx(scipy.stats.spearmanr(cosines, part.gold).statistic, abs=5e-5), (
            part.name
        )
        assert spearman == pytest.approx(theirs["spearman_cosine"], abs=2.5e-3), part.name


@pytest.mark.slow
@needs_package
@pytest.mark.skipif(importlib.util.find_spec("mteb") is None, reason="mteb is not installed")
def test_mteb_agrees(
    shared: Path,
    sets: dict[str, list[StsDataset]],
    encoder: SentenceEncoder,
    exported: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its own tasks on local data: only `load_data`, which would ask the hub, is replaced."""
    import mteb
    from datasets import Dataset

    local = {
        "STSBenchmark": ("stsbenchmark", "STSB-test"),
        "SICK-R": ("sick2014", "SICK"),
    }
    tasks = []
    for name, (folder, test_set) in local.items():
        (part,) = [part for part in sets[folder] if part.name == test_set]
        columns = {"sentence1": part.left, "sentence2": part.right, "score": part.gold}
        task = mteb.get_task(name)
        monkeypatch.setattr(task, "dataset", {"default": {"test": Dataset.from_dict(columns)}})
        monkeypatch.setattr(task, "data_loaded", True)
        tasks.append(task)
    results = mteb.evaluate(exported, tasks, cache=None, show_progress_bar=False).task_results
    for result, (folder, test_set) in zip(results, local.values(), strict=True):
        (scores,) = result.scores["test"]
        theirs = (scores["cosine_pearson"], scores["cosine_spearman"])
        assert ours(encoder, shared / "data" / folder)[None, test_set] == pytest.approx(theirs, abs=1e-4)

"""The parts of scores: computed alone and together with others."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from paranmt.base.errors import WorkspaceError
from paranmt.filters import SCORES
from paranmt.tokens import columns
from paranmt.transforms.beam.task_work import Task, in_common
from paranmt.transforms.storage import dataset
from paranmt.transforms.storage.dataset import part_file, read_columns, write_part
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.scoring import ScorePart

REFERENCES = ["A man is rowing.", "Two dogs, two cats", "", "It's 3 o'clock.", "no no no"] * 1_000
TRANSLATIONS = ["The man rows.", None, "x", "It is three o'clock.", "No, no, no!"] * 1_000
WORKS = [
    ScorePart(f"score/{name}", name, kind())
    for name, kind in SCORES.items()
    if kind.model_kind is None and not kind.is_given
]
# Languages are slow to recognise, and tokens do not matter to them.
WORKS = [work for work in WORKS if "language" not in work.column and "profanity" != work.column]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace(str(tmp_path))
    ids = pa.array([f"c/f:{record}" for record in range(1, len(REFERENCES) + 1)])
    tokens = pa.array([3] * len(ids), pa.int32())
    texts = {"source": pa.array(REFERENCES), "reference": pa.array(REFERENCES)}
    made = {"translation": pa.array(TRANSLATIONS), "translation_tokens": tokens}
    made["translation_log_prob"] = pa.array([-1.5] * len(ids), pa.float32())
    write_part(workspace, "ingest", "c/f-0", "k", pa.table({"pair_id": ids, **texts}))
    write_part(workspace, "translate", "c/f-0", "k", pa.table({"pair_id": ids, **made}))
    return workspace


def task(key: str) -> Task:
    return Task(
        "c/f-0", key, tuple((stage, part_file(stage, "c/f-0", "k")) for stage in ("ingest", "translate"))
    )


def test_together_scores_are_the_same_and_texts_are_read_and_tokenised_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(WORKS) > 10
    for work in WORKS:
        work(workspace, task("alone"))
    reads: Counter[str] = Counter()
    tokenised = 0

    def reading(workspace: Workspace, file: str, columns: list[str] | None = None) -> pa.Table:
        reads.update(columns or ())
        return read_columns(workspace, file, columns)

    def hashing(texts: pa.ChunkedArray, tokens: str = "words") -> columns.HashedTokens:
        nonlocal tokenised
        tokenised += 1
        return hash_tokens(texts, tokens)

    hash_tokens = columns.hash_tokens
    monkeypatch.setattr(dataset, "read_columns", reading)
    few = [
        work for work in WORKS if work.column in ("unigram_overlap", "sentence_bleu", "translation_length")
    ]
    with monkeypatch.context() as patch:
        patch.setattr(columns, "hash_tokens", hashing)
        with in_common():
            for work in few:
                work(workspace, task("few"))
    # A block of 4,096 rows and one of the rest, for each side.
    assert tokenised == 4
    assert reads == {"reference": 1, "translation": 1}
    reads.clear()
    with in_common():
        for work in WORKS:
            work(workspace, task("together"))
    assert set(reads.values()) == {1}
    for work in WORKS:
        alone, together = (
            read_columns(workspace, part_file(work.stage, "c/f-0", key)) for key in ("alone", "together")
        )
        assert alone.equals(together), work.column


def test_parts_that_do_not_fit_are_noticed_together_too(workspace: Workspace) -> None:
    other = pa.table({"pair_id": ["c/f:9"], "translation": ["x"]})
    write_part(workspace, "translate", "c/f-0", "wrong", other)
    ingest, _ = task("k").inputs
    files = (ingest, ("translate", part_file("translate", "c/f-0", "wrong")))
    with in_common(), pytest.raises(WorkspaceError, match="do not hold the same pairs"):
        WORKS[0](workspace, Task("c/f-0", "x", files))

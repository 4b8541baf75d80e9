from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from paranmt.filters.similarity import cosine, paraphrase_similarity


class _Recorder:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        self.seen += sentences
        return np.ones((len(sentences), 3), dtype=np.float32)


def test_a_copy_has_exactly_one() -> None:
    vectors = np.random.default_rng(0).normal(size=(2_000, 300)).astype(np.float32)
    assert (cosine(vectors, vectors).astype(np.float32) == 1).all()
    assert (cosine(vectors, -3 * vectors).astype(np.float32) == -1).all()


def test_scale_is_nothing_to_it() -> None:
    one, other = np.array([[3.0, 4.0]], dtype=np.float32), np.array([[4.0, 3.0]], dtype=np.float32)
    for scale in (1e-18, 1e-9, 1.0, 1e9, 1e18):
        np.testing.assert_allclose(cosine(one * np.float32(scale), other), [0.96], rtol=1e-6)


def test_null_pairs_are_not_encoded() -> None:
    model = _Recorder()
    values = paraphrase_similarity(pa.array(["a", None, "c"]), pa.array(["x", "y", None]), model)
    assert values.to_pylist() == [1.0, None, None]
    assert model.seen == ["a", "x"]


def test_no_pairs_need_no_encoder() -> None:
    model = _Recorder()
    nothing = pa.nulls(2, pa.string())
    assert paraphrase_similarity(nothing, nothing, model).to_pylist() == [None, None]
    assert paraphrase_similarity(nothing.slice(0, 0), nothing.slice(0, 0), model).type == pa.float32()
    assert model.seen == []

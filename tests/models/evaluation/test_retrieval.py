import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from paranmt.base.errors import InputError, RecipeError
from paranmt.models.evaluation import joint_space, ranking, retrieval
from paranmt.models.evaluation.joint_space import learn
from paranmt.models.evaluation.ranking import Captioned, Maps, both_ranks, recall
from paranmt.models.evaluation.retrieval import Retrieval, read_retrieval

# Three images with two captions each. The cosines of the captions with the images are
#   1  0  .6 | 0  1  .8     of the first image's captions,
#   .6 .8 1  | 0  1  .8     of the second one's,
#   .8 .6 .96| 1  0  .6     of the third one's.
IMAGES = np.array([[1, 0], [0, 1], [0.6, 0.8]])
CAPTIONS = np.array([[1, 0], [0, 1], [0.6, 0.8], [0, 1], [0.8, 0.6], [1, 0]])
OWNERS = np.array([0, 0, 1, 1, 2, 2])


def test_ranks() -> None:
    """A wrong answer that is as similar as the right one is before it: an image's best caption is second."""
    of_images, of_captions = both_ranks(Captioned(CAPTIONS, IMAGES, OWNERS))
    assert of_captions.tolist() == [1, 3, 2, 1, 1, 2]
    assert of_images.tolist() == [2, 2, 2]
    assert recall(of_captions, 1) == 0.5 and recall(of_captions, 2) == pytest.approx(5 / 6)


def test_vectors_that_are_all_alike_are_ranked_last() -> None:
    of_images, of_captions = both_ranks(Captioned(np.ones((6, 2)), np.ones((3, 2)), OWNERS))
    assert of_captions.tolist() == [3] * 6
    assert of_images.tolist() == [5] * 3, "after the four captions of the others"


def test_ranks_of_some_captions_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "_RANKED_AT_ONCE", 4)
    of_images, of_captions = both_ranks(Captioned(CAPTIONS, IMAGES, OWNERS))
    assert (of_captions.tolist(), of_images.tolist()) == ([1, 3, 2, 1, 1, 2], [2, 2, 2])


def test_the_ranking_loss() -> None:
    """Cosines .6 and 0 of the first caption, .8 and 1 of the second one, with margin .2.

    Captions: max(0, .2 − .6 + 0) = 0 and .2 − 1 + .8 = 0.
    Images: .2 − .6 + .8 = .4 and max(0, .2 − 1 + 0) = 0.
    """
    captions, images = torch.tensor([[1.0, 0], [0, 2]]), torch.tensor([[3.0, 4], [0, 5]])
    others, nothing = ~torch.eye(2, dtype=torch.bool), torch.zeros(2, 2, dtype=torch.bool)
    assert joint_space.ranking_loss(captions, images, (others, others)).item() == pytest.approx(0.4 / 2)
    assert joint_space.ranking_loss(captions, images, (others, nothing)).item() == pytest.approx(0, abs=1e-6)
    assert joint_space.ranking_loss(images, captions, (others, nothing)).item() == pytest.approx(0.4 / 2)


def test_the_ranking_loss_without_torch() -> None:
    random = np.random.default_rng(1)
    captions, images = random.standard_normal((2, 7, 4))
    contrasts = random.random((2, 7, 7)) < 0.4
    total = 0.0
    for i in range(7):
        for j in range(7):
            cosines = {
                (a, b): captions[a] @ images[b] / np.linalg.norm(captions[a]) / np.linalg.norm(images[b])
                for a, b in ((i, i), (i, j), (j, i))
            }
            total += contrasts[0, i, j] * max(0, 0.2 - cosines[i, i] + cosines[i, j])
            total += contrasts[1, i, j] * max(0, 0.2 - cosines[i, i] + cosines[j, i])
    sides = torch.from_numpy(captions), torch.from_numpy(images)
    loss = joint_space.ranking_loss(*sides, (torch.from_numpy(contrasts[0]), torch.from_numpy(contrasts[1])))
    assert loss.item() == pytest.approx(total / 7)


def test_contrasts() -> None:
    random = np.random.default_rng(1)
    few = joint_space.draw_contrasts(np.array([0, 0, 1]), random)
    assert few.tolist() == [[False, False, True], [False, False, True], [True, True, False]]
    owners = np.repeat(np.arange(40), 2)
    many = joint_space.draw_contrasts(owners, random)
    assert many.sum(axis=1).tolist() == [30] * 80
    assert not many[owners[:, None] == owners].any()
    assert not np.array_equal(many, joint_space.draw_contrasts(owners, random))


def captioned(images: int, seed: int) -> Captioned:
    """Images of random features; both captions of an image are the same linear map of it, with noise."""
    random = np.random.default_rng(seed)
    features = random.standard_normal((images, 8))
    seen = features @ np.random.default_rng(0).standard_normal((8, 6))
    captions = np.repeat(seen, 2, axis=0) + 0.1 * random.standard_normal((2 * images, 6))
    return Captioned(
        captions.astype(np.float32), features.astype(np.float32), np.repeat(np.arange(images), 2)
    )


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joint_space, "DIMENSION", 32)
    monkeypatch.setattr(joint_space, "LEARNING_RATE", 0.02)
    monkeypatch.setattr(joint_space, "EPOCHS", 8)


@pytest.mark.usefixtures("small")
def test_a_common_space_is_learned() -> None:
    train, dev, test = captioned(150, 1), captioned(30, 2), captioned(50, 3)
    maps, epochs = learn(train, dev, seed=1)
    of_images, of_captions = both_ranks(maps.apply(test))
    assert 1 <= epochs <= 8
    assert recall(of_images, 5) > 0.8 and recall(of_captions, 5) > 0.8, "a tenth by chance"
    again, same = learn(train, dev, seed=1)
    assert same == epochs and np.array_equal(again.captions, maps.captions)
    assert not np.array_equal(learn(train, dev, seed=2)[0].captions, maps.captions)
    # Powers of two are exact, so the unit of vectors and features changes nothing at all.
    scaled = [Captioned(1024 * part.captions, part.images / 256, part.owners) for part in (train, dev, test)]
    ranks = both_ranks(learn(*scaled[:2], seed=1)[0].apply(scaled[2]))
    assert np.array_equal(ranks[0], of_images) and np.array_equal(ranks[1], of_captions)


@pytest.mark.usefixtures("small")
def test_the_epoch_is_chosen_on_dev(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recalls that rise, fall and rise too late: training ends three epochs after the best one."""
    results = iter([0.2, 0.5, 0.5, 0.4, 0.4, 0.9])
    seen: list[Captioned] = []

    def ranks(data: Captioned) -> tuple[np.ndarray]:
        seen.append(data)
        return (np.full(1, next(results)),)

    monkeypatch.setattr(joint_space, "both_ranks", ranks)
    monkeypatch.setattr(joint_space, "recall", lambda ranks, cut: float(ranks[0]))
    dev = captioned(10, 2)
    maps, epoch = learn(captioned(20, 1), dev, seed=1)
    assert epoch == 2 and np.array_equal(maps.apply(dev).captions, seen[1].captions)
    assert next(results) == 0.9, "the last epoch is never reached"


class Known:
    """Encodes "c0" to "c5" as `CAPTIONS`."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return CAPTIONS[[int(text[1:]) for text in sentences]].astype(np.float32)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for part in ("train", "dev"):
        np.save(tmp_path / f"{part}.npy", IMAGES.astype(np.float32))
        (tmp_path / f"{part}.txt").write_text("".join(f"c{number}\n" for number in range(6)))
    with gzip.open(tmp_path / "test.npy.gz", "wb") as file:
        np.save(file, IMAGES)
    (tmp_path / "test.txt.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfc0\r\nc1\r\nc2\r\nc3\r\nc4\r\nc5"))
    return tmp_path


def test_the_table(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With maps that change nothing, the ranks are those of `test_ranks`."""
    monkeypatch.setattr(joint_space, "learn", lambda train, dev, seed: (Maps(np.eye(2), np.eye(2)), 7))
    measured = Retrieval(data=str(data)).measure(Known())
    rows = {row.values["task"]: row.values for row in measured.table.rows}
    names = ("queries", "sets", "recall_1", "recall_5", "recall_10", "median_rank", "epochs")
    assert [rows["caption retrieval"][name] for name in names] == [3, 1, 0, 100, 100, 2, 7]
    assert [rows["image retrieval"][name] for name in names] == [6, 1, 50, 100, 100, 1.5, 7]
    # Each image has one caption of two right, so no choice of images changes the share.
    assert (rows["image retrieval"]["low"], rows["image retrieval"]["high"]) == (50, 50)
    assert measured.resampled[(None, "image retrieval")].shape == (2000,)
    # Three sets of one image: there is nothing to confuse it with.
    alone = Retrieval(data=str(data), set_images=1).evaluate(Known())
    assert [row.values["recall_1"] for row in alone.rows] == [100, 100]
    assert [row.values["sets"] for row in alone.rows] == [3, 3]


def test_resampled_recall() -> None:
    """Images of which all, half and none of the captions are right."""
    found = [(np.array([1, 1, 1, 2]), np.array([0, 0, 1, 1])), (np.array([2, 3]), np.array([0, 0]))]
    samples = retrieval._resampled_recall(found)
    assert samples.mean() == pytest.approx(50, abs=2) and (samples.min(), samples.max()) == (0, 100)
    assert set(np.round(samples * 6 / 100, 6)) == {0, 1, 2, 3, 4, 5, 6}


@pytest.mark.usefixtures("small")
def test_all_of_it(data: Path) -> None:
    table = Retrieval(data=str(data)).evaluate(Known())
    assert Retrieval(data=str(data)).evaluate(Known()).to_json() == table.to_json()


def with_header(header: str) -> bytes:
    """A file of NumPy's with this text in place of the description of its array."""
    return b"\x93NUMPY\x01\x00v\x00" + header.ljust(117).encode() + b"\n"


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("dev.txt", b"c0\nc1\n", "got 2 lines in dev.txt for 3 images"),
        ("dev.txt", b"", "got 0 lines in dev.txt for 3 images"),
        ("dev.npy", b"no array", "dev.npy cannot be read as an array of NumPy"),
        ("dev.npy", with_header("(" * 100), "dev.npy cannot be read as an array of NumPy"),
        (
            "dev.npy",
            with_header("{'descr': " + "-" * 60 + "1}"),
            "dev.npy cannot be read as an array of NumPy",
        ),
        ("dev.npy", with_header("{'descr': [], 'shape': 1}"), "dev.npy cannot be read as an array of NumPy"),
        ("dev.npy", np.array([[1.0, np.nan]]), "expected a row of finite numbers for each image"),
        ("dev.npy", np.array([1.0, 2.0]), r"expected a row of finite numbers .* got float64 of \(2,\)"),
        ("dev.npy", np.array([[object()]]), "dev.npy cannot be read as an array .* allow_pickle"),
        ("dev.npy", np.ones((3, 5)), r"train, dev, test differ in their features: \[2, 5, 2\]"),
        ("dev.npy", None, "has no dev.npy"),
    ],
)
def test_wrong_files(data: Path, file: str, content: bytes | np.ndarray | None, message: str) -> None:
    assert [len(captions) for _, captions in read_retrieval(str(data))] == [6, 6, 6]
    (data / file).unlink()
    if isinstance(content, bytes):
        (data / file).write_bytes(content)
    elif content is not None:
        np.save(data / file, content, allow_pickle=True)
    with pytest.raises(InputError, match=message):
        read_retrieval(str(data))


def test_features_are_bounded(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval, "LARGEST_FEATURES", 200)
    assert len(read_retrieval(str(data))) == 3
    with gzip.open(data / "test.npy.gz", "wb") as file:
        np.save(file, np.zeros((3, 10)))
    with pytest.raises(InputError, match="test.npy.gz cannot be read .* it is larger than 200 bytes"):
        read_retrieval(str(data))


def test_wrong_options() -> None:
    with pytest.raises(RecipeError, match="set_images must be at least 1, not 0"):
        Retrieval(data="x", set_images=0)

"""Caption-image retrieval: how well linear maps of sentence vectors and image features match captions."""

import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, ClassVar, Literal

import numpy as np

from ...base.bounds import Count, Seed
from ...base.errors import InputError
from ...base.paths import FilePath
from ...base.streams import lines_in_memory, open_stream, reading
from ..encoders.encodes import Encodes
from .bootstrap import RESAMPLES, estimate
from .evaluation import Evaluation, Measured
from .ranking import CUTS, Captioned, both_ranks, recall
from .sentences import decoded, list_files
from .table import Column, Row, Table, Value

_PARTS = ("train", "dev", "test")
LARGEST_FEATURES = 1 << 33  # bytes; 4,096 features of COCO's 113,287 training images are 1.9 GB
_COLUMNS = (
    Column(
        name="task", type="text", meaning="what is found: captions of an image, or the image of a caption"
    ),
    Column(name="queries", type="count", meaning="test images or test captions that are looked up"),
    Column(name="sets", type="count", meaning="sets of test images among which is searched"),
    Column(
        name="recall_1",
        type="number",
        title="R@1",
        meaning="queries whose first answer is right, in %",
        maximum=100.0,
    ),
    Column(name="low", type="number", meaning="the lower end of R@1's 95 % interval over the images"),
    Column(name="high", type="number", meaning="its upper end"),
    Column(name="recall_5", type="number", title="R@5", meaning="with a right one among five, in %"),
    Column(name="recall_10", type="number", title="R@10", meaning="with a right one among ten, in %"),
    Column(
        name="median_rank", type="number", title="median", meaning="the median rank of the first right one"
    ),
    Column(name="epochs", type="count", meaning="the number of epochs, chosen on the dev part"),
)


@dataclass(frozen=True, kw_only=True)
class Retrieval(Evaluation):
    """Recall and median rank of caption and image retrieval on fixed vectors and precomputed image features.

    InferSent, section 4.2; docs/evaluation.md has the definitions.
    """

    kind: Literal["retrieval"] = "retrieval"
    data: FilePath
    """The folder of the data: `train`, `dev` and `test`, each as `.npy` (a row for each image) and `.txt` (a
    caption a line, those of an image together, in the order of the images)."""
    set_images: Count = 1_000
    """About how many test images are searched at a time: more than these are cut into sets at random."""
    seed: Seed = 1
    """Decides the first maps, the order of the captions, the negative examples, and the sets."""

    version: ClassVar[int] = 2

    def evaluate(self, encoder: Encodes) -> Table:
        """A row for each direction."""
        return self.measure(encoder).table

    def measure(self, encoder: Encodes) -> Measured:
        """The table with resamples of R@1: images are drawn with all of their captions."""
        from .joint_space import learn  # imports torch, which planning does without

        train, dev, test = (_encoded(encoder, *part) for part in read_retrieval(self.data))
        maps, epochs = learn(train, dev, self.seed)
        n = len(test.images)
        sets = np.array_split(
            np.random.default_rng(self.seed).permutation(n), max(1, round(n / self.set_images))
        )
        parts = [maps.apply(test.subset(np.sort(images))) for images in sets]
        ranks = [both_ranks(part) for part in parts]
        by_task = {
            "caption retrieval": [(of_images, np.arange(len(of_images))) for of_images, _ in ranks],
            "image retrieval": [
                (of_captions, part.owners) for (_, of_captions), part in zip(ranks, parts, strict=True)
            ],
        }
        samples = {task: _resampled_recall(found) for task, found in by_task.items()}
        rows = [
            _row(task, [ranks for ranks, _ in found], samples[task], epochs)
            for task, found in by_task.items()
        ]
        table = Table(
            caption="Retrieval with linear maps of sentence vectors and image features, in % of the queries.",
            columns=_COLUMNS,
            main="recall_1",
            rows=rows,
        )
        return Measured(table, {table.key(row): samples[str(row.values["task"])] for row in rows})


def read_retrieval(data: str) -> list[tuple[np.ndarray, list[str]]]:
    """The features (images, features) and the captions of `train`, `dev` and `test`; each may end in `.gz`.

    Every image has the same number of captions. InputError for a file that is missing, is not an array of
    finite numbers, or does not fit its partner.
    """
    files = {file.name.removesuffix(".gz"): file.url for file in list_files(data)}
    missing = [f"{part}.{end}" for part in _PARTS for end in ("npy", "txt") if f"{part}.{end}" not in files]
    if missing:
        raise InputError(f"{data} has no {', '.join(missing)}: docs/evaluation.md describes the files")
    parts = []
    for part in _PARTS:
        images, captions = _features(files[f"{part}.npy"]), _captions(files[f"{part}.txt"])
        if not len(images) or not captions or len(captions) % len(images):
            raise InputError(
                f"{data}: expected the same number of captions for each image, got {len(captions)} lines in "
                f"{part}.txt for {len(images)} images in {part}.npy"
            )
        parts.append((images, captions))
    widths = [images.shape[1] for images, _ in parts]
    if len(set(widths)) > 1:
        raise InputError(f"{data}: the images of {', '.join(_PARTS)} differ in their features: {widths}")
    return parts


# A damaged header may ask for any size, and NumPy reads it as text of Python.
_UNREADABLE = (ValueError, MemoryError, SyntaxError, TypeError, RecursionError, tokenize.TokenError)


class _BoundedFile:
    """A file that gives at most LARGEST_FEATURES bytes: a small compressed file can hold any number."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = LARGEST_FEATURES

    def read(self, size: int = -1, /) -> bytes:
        content = self._file.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise ValueError(f"it is larger than {LARGEST_FEATURES:,} bytes")
        return content


def _features(url: str) -> np.ndarray:
    try:
        with open_stream(url) as file, reading(url):
            images = np.lib.format.read_array(_BoundedFile(file), allow_pickle=False)
    except _UNREADABLE as error:
        raise InputError(f"{url} cannot be read as an array of NumPy: {error}") from None
    if images.ndim != 2 or images.dtype.kind not in "fiu" or not np.isfinite(images).all():
        raise InputError(
            f"{url}: expected a row of finite numbers for each image, got {images.dtype} of {images.shape}"
        )
    return images.astype(np.float32, copy=False)


def _captions(url: str) -> list[str]:
    return [decoded(line).strip() for line in lines_in_memory(url)]


def _encoded(encoder: Encodes, images: np.ndarray, captions: list[str]) -> Captioned:
    owners = np.arange(len(captions)) // (len(captions) // len(images))
    return Captioned(encoder.encode(captions), images, owners)


def _resampled_recall(found: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """R@1 in % of resamples of the images, (resamples,): the same images for every encoder.

    found: for each set, the ranks of its queries and the image of each.
    """
    shares = np.concatenate(
        [np.bincount(owners, ranks == 1) / np.bincount(owners) for ranks, owners in found]
    )
    random = np.random.default_rng(1)
    n = len(shares)
    return np.array([100 * shares[random.integers(n, size=n)].mean() for _ in range(RESAMPLES)])


def _row(task: str, ranks: Sequence[np.ndarray], samples: np.ndarray, epochs: int) -> Row:
    """Recalls over all queries; the mean of the sets' median ranks."""
    everything = np.concatenate(ranks)
    recalls = {f"recall_{cut}": 100 * recall(everything, cut) for cut in CUTS}
    interval = estimate(recalls["recall_1"], samples)
    values: dict[str, Value] = {
        "task": task,
        "queries": len(everything),
        "sets": len(ranks),
        **recalls,
        "low": interval.low,
        "high": interval.high,
        "median_rank": float(np.mean([np.median(part) for part in ranks])),
        "epochs": epochs,
    }
    return Row(values)

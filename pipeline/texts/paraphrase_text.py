"""Paraphrasing text outside a workspace: lines in, paraphrases with their scores out, block by block."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from ...base.checksums import check_files
from ...base.documents import read_document
from ...base.errors import ModelError
from ...base.host_cache import cache_folder
from ...models.paraphrasing.control import PARAPHRASER
from ...models.translation.engines import fetch_models, load, resolve
from ...models.translation.translate_options import TranslateOptions

if TYPE_CHECKING:
    from ...models.encoders.encodes import Encodes
    from .paraphrase_options import ParaphraseOptions
    from .paraphraser import Paraphrase, Paraphraser

SCHEMA = pa.schema(
    [
        pa.field("line", pa.int64(), nullable=False),
        pa.field("sentence", pa.string(), nullable=False),
        pa.field("rank", pa.int32(), nullable=False),
        pa.field("paraphrase", pa.string(), nullable=False),
        pa.field("overlap", pa.float32(), nullable=False),
        pa.field("length_ratio", pa.float32(), nullable=False),
        pa.field("similarity", pa.float32()),
        pa.field("log_prob", pa.float32(), nullable=False),
        pa.field("n_tokens", pa.int32(), nullable=False),
    ]
)
"""The columns of a Parquet file of paraphrases."""

_BLOCK = 1_000  # sentences that are paraphrased together, before any is written
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Paraphrased:
    """A line of the input, counted from 1, with its paraphrases, best first."""

    line: int
    sentence: str
    paraphrases: "tuple[Paraphrase, ...]"


def loaded_paraphraser(
    translate: TranslateOptions, encoder: "Encodes | str | PathLike[str] | None" = None
) -> "Paraphraser":
    """The paraphraser with these options. encoder: ranks; an encoder or its path. See `load_paraphraser`.

    What controls an ensemble is what controls all its models.
    """
    from ...models.encoders.loading import load_encoder
    from .paraphraser import Paraphraser

    if isinstance(encoder, str | PathLike):
        encoder = load_encoder(encoder)
    if missing := [model for model in translate.models if "://" not in model and not Path(model).exists()]:
        raise ModelError(
            f"there is no folder {missing[0]}; `paranmt run` writes a paraphraser for each entry of "
            "`paraphraser` in a recipe, to paraphraser/NAME in the workspace"
        )
    cache = cache_folder("models")
    local = fetch_models(translate, cache)
    first, *others = [_control(Path(model)) for model in local.models]
    control = [column for column in first if all(column in other for other in others)]
    return Paraphraser(load(resolve(local), cache), control, encoder)


def paraphrase_lines(
    lines: Iterable[str], paraphraser: "Paraphraser", options: "ParaphraseOptions"
) -> Iterator[Paraphrased]:
    """The paraphrases of every line, in order."""
    numbered = enumerate(lines, start=1)
    while block := list(islice(numbered, _BLOCK)):
        found = paraphraser.paraphrase([sentence for _, sentence in block], options=options)
        for (line, sentence), paraphrases in zip(block, found, strict=True):
            yield Paraphrased(line, sentence, tuple(paraphrases))


class ParaphraseWriter(Protocol):
    """Writes paraphrases, sentence by sentence."""

    def write(self, paraphrased: Paraphrased) -> None:
        """Write those of one sentence."""

    def close(self) -> None:
        """Complete the file."""


class TextWriter:
    """text: a paraphrase a line, and an empty line after each sentence. jsonl: an object a sentence."""

    def __init__(self, out: IO[str], as_json: bool) -> None:
        self._out = out
        self._as_json = as_json

    def write(self, paraphrased: Paraphrased) -> None:
        if self._as_json:
            self._out.write(json.dumps(asdict(paraphrased), ensure_ascii=False) + "\n")
            return
        for paraphrase in paraphrased.paraphrases:
            self._out.write(" ".join(paraphrase.text.split()) + "\n")
        self._out.write("\n")

    def close(self) -> None:
        self._out.flush()


class ParquetWriter:
    """Writes a row for each paraphrase, with the columns of `SCHEMA`."""

    def __init__(self, out: IO[bytes]) -> None:
        self._writer = pq.ParquetWriter(out, SCHEMA, compression="zstd")
        self._rows: list[dict[str, object]] = []

    def write(self, paraphrased: Paraphrased) -> None:
        for rank, paraphrase in enumerate(paraphrased.paraphrases, start=1):
            values = asdict(paraphrase)
            row = {"line": paraphrased.line, "sentence": paraphrased.sentence, "rank": rank}
            self._rows.append({**row, "paraphrase": values.pop("text"), **values})
        if len(self._rows) >= 50_000:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        self._writer.write_table(pa.Table.from_pylist(self._rows, SCHEMA))
        self._rows = []


def _control(model: Path) -> tuple[str, ...]:
    """The scores that control a model, by its folder or checkpoint; none if it is no paraphraser of ours."""
    file = (model if model.is_dir() else model.parent) / PARAPHRASER
    if not file.is_file():
        return ()
    check_files(file.parent, [PARAPHRASER])
    try:
        columns = json.loads(read_document(file, _MOST_BYTES))["control"]
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{file} cannot be read: {error}; train the paraphraser again") from None
    if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
        raise ModelError(f"{file}: expected a list of scores as `control`; train the paraphraser again")
    return tuple(columns)

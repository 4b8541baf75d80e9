"""Compressed inputs and releases that are incomplete: they are read whole, or an error names them."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import yaml
from bitexts import COMPRESS
from commands import paranmt
from outcomes import Broken, Steps, Verdict
from workspaces import compute, copy_folder, made_up_rows

from paranmt.base.errors import UserError
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.release_pairs import release_pairs

PACKED = tuple(suffix for suffix in COMPRESS if suffix)
ROWS = 90
PLACES = ("the first bytes", "the last bytes", "any byte")


def streams(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """A bitext in a file of three compressed streams, of which one is damaged; then `ingest`."""
    choose = Random(seed)
    suffix = PACKED[seed % len(PACKED)]
    steps.kind = f"a damaged stream in a `{suffix}` file of three"
    lines = ["\t".join(row) + "\n" for row in made_up_rows(ROWS, seed=1)]
    parts = [COMPRESS[suffix]("".join(lines[first : first + 30]).encode()) for first in range(0, ROWS, 30)]
    file = folder / f"pairs.tsv{suffix}"
    entry = {"corpus": "c", "format": "tsv", "path": file.name, "source_language": "xx"}
    entry |= {"source": 1, "reference": 2, "translation": 3}
    recipe = {"workspace": "work", "bitext": [entry], "scores": {"reference_length": {}}}
    (folder / "recipe.yaml").write_text(yaml.safe_dump({**recipe, "ingest": {"part_rows": 40}}))
    damaged = list(parts)
    place = choose.randrange(len(parts))
    damaged[place] = _damaged_stream(parts[place], choose, steps)
    steps.append(f"in stream {place + 1}")
    file.write_bytes(b"".join(damaged))
    whole = [row[1:] for row in made_up_rows(ROWS, seed=1)]
    try:
        compute(folder, only="ingest")
    except UserError as error:
        steps.append(f"ingest: {error}")
        if file.name not in str(error) or "\n" in str(error):
            raise Broken("unclear", f"the error does not name the file: {error}") from error
        file.write_bytes(b"".join(parts))
        compute(folder, only="ingest")
        if (there := _ingested(folder)) != whole:
            raise Broken("silent", f"after the file was mended: {len(there)} pairs of {ROWS}") from error
        return "named"
    if (there := _ingested(folder)) != whole:
        raise Broken("silent", f"{len(there)} pairs, of which {len(set(there) & set(whole))} are right")
    return "right"


def _damaged_stream(content: bytes, choose: Random, steps: Steps) -> bytes:
    way = choose.choice(("one bit flipped", "one bit flipped", "cut off", "bytes added"))
    changed = bytearray(content)
    if way == "cut off":
        del changed[choose.randrange(1, len(changed)) :]
    elif way == "bytes added":
        changed += choose.randbytes(choose.randint(1, 20)) if choose.random() < 0.5 else b"\n"
    else:
        where = choose.choice(PLACES)
        position = {"the first bytes": choose.randrange(12), "the last bytes": -choose.randint(1, 12)}.get(
            where, choose.randrange(len(changed))
        )
        changed[position] ^= 1 << choose.randrange(8)
        way = f"{way} in {where}"
    steps.append(way)
    return bytes(changed)


def _ingested(folder: Path) -> list[tuple[str, str]]:
    """The references and translations, in the order of the file."""
    rows = [
        row
        for part in (folder / "work/ingest").rglob("*.parquet")
        if "translation" in (table := pq.read_table(part)).column_names
        for row in table.select(["pair_id", "reference", "translation"]).to_pylist()
    ]
    rows.sort(key=lambda row: int(row["pair_id"].rpartition(":")[2]))
    return [(row["reference"], row["translation"]) for row in rows]


def _unlink(files: list[Path], other: Path, choose: Random) -> None:
    for file in choose.sample(files, choose.randint(1, len(files) - 1)):
        file.unlink()


def _rename(files: list[Path], other: Path, choose: Random) -> None:
    file = choose.choice(files)
    file.rename(
        file.with_name(choose.choice(("old.parquet", f"{file.name}.part", f"{file.stem} (1).parquet")))
    )


def _double(files: list[Path], other: Path, choose: Random) -> None:
    file = choose.choice(files)
    shutil.copyfile(file, file.with_name(choose.choice(("copy.parquet", f"{file.stem} (1).parquet"))))


def _cut(files: list[Path], other: Path, choose: Random) -> None:
    file = choose.choice(files)
    file.write_bytes(file.read_bytes()[: choose.choice((0, choose.randrange(file.stat().st_size)))])


def _swap(files: list[Path], other: Path, choose: Random) -> None:
    first, second = choose.sample(files, 2)
    kept = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(kept)


def _copy_other(files: list[Path], other: Path, choose: Random) -> None:
    file = choose.choice(files)
    shutil.copyfile(other / file.name, file)


def _cut_manifest(files: list[Path], other: Path, choose: Random) -> None:
    file = files[0].parent.parent / "manifest.json"
    file.write_bytes(file.read_bytes()[: choose.randrange(file.stat().st_size - 2)])  # } and the line's end


WAYS: dict[str, Callable[[list[Path], Path, Random], None]] = {
    "without some files": _unlink,
    "with a file renamed": _rename,
    "with a file doubled": _double,
    "with a file cut off": _cut,
    "with two files swapped": _swap,
    "with a file of another release": _copy_other,
    "with its manifest cut off": _cut_manifest,
}
COMMANDS = (
    "inspect release -n 2",
    "stats release",
    "judge release -o judge.html",
    "select release --where short --preview",
    "select release --where short --output cut",
    "diff release whole",
    "merge whole release --output both",
    "publish release public",
    "train release -o encoder",
    "train release/data/*.parquet -o encoder",
    "train release/data/*.parquet -o encoder --set pairs.format=parquet",
)


def releases(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """A release in which a file is missing, added or another; then a few commands, and the library."""
    choose = Random(seed)
    way = list(WAYS)[seed % len(WAYS)]
    steps.kind = f"a release {way}"
    for name in ("release", "whole"):
        copy_folder(shared / "finished/work/release", folder / name)
    data = folder / "release/data"
    WAYS[way](sorted(data.iterdir()), shared / "changed/work/release/data", choose)
    for command in choose.sample(COMMANDS, 3):
        words = [
            str(each)
            for word in command.split()
            for each in (sorted(data.glob("*.parquet")) if "*" in word else [_located(word, folder)])
        ]
        if len(words) < 3:
            continue
        result = paranmt(*words)
        steps.append(f"{command}: {result.exit_code} {result.stderr.strip()[-200:]}")
        if not isinstance(result.exception, SystemExit | None):
            raise result.exception
        if result.exit_code == 0:
            raise Broken("silent", f"{command} took the release for whole")
        if result.exit_code != 2 or not _says_why(result.stderr):
            raise Broken("unclear", f"{command}: {result.exit_code}: {result.stderr}")
    for opened in (open_release, lambda place: release_pairs([place], None)):
        try:
            opened(str(folder / "release"))
        except UserError as error:
            if not _says_why(str(error)):
                raise Broken("unclear", str(error)) from error
        else:
            raise Broken("silent", "the library took the release for whole")
    return "named"


def _located(word: str, folder: Path) -> str:
    is_place = word in ("release", "whole", "judge.html", "cut", "both", "public", "encoder")
    return str(folder / word) if is_place else word


def _says_why(message: str) -> bool:
    return "release is not whole: " in message or "manifest.json is not" in message

"""A small bitext drawn from a big one."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bitexts import COMPRESS, tmx, unit

from paranmt.transforms.bitexts.inputs import BitextInput, input_files
from paranmt.transforms.bitexts.readers import read_records
from paranmt.transforms.bitexts.sampling import (
    CountedFile,
    choose_rows,
    count_rows,
    cut_into_parts,
    write_sample,
)
from paranmt.transforms.storage.file_hashes import HashCache
from paranmt.transforms.storage.workspace import Workspace

ROWS = 2_500


def texts(side: str) -> list[str]:
    # Texts with what is special in some format, and of other lengths.
    return [f"{side} {row} <&> " + "věta " * (row % 7) + "end" for row in range(1, ROWS + 1)]


def written(folder: Path, form: str, compression: str = "") -> BitextInput:
    source, reference = texts("s"), texts("r")
    pairs = list(enumerate(zip(source, reference, strict=True)))
    files = {
        "moses": {"s": "".join(f"{line}\r\n" for line in source), "r": "\n".join(reference)},
        "tsv": {"t": "id\ten\tcs\n" + "".join(f"{i}\t{r}\t{s}\n" for i, (s, r) in pairs)},
        "czeng": {"z": "".join(f"id{i}\t0.5\t{s}\t{r}\n" for i, (s, r) in pairs)},
    }
    for name, text in files.get(form, {}).items():
        (folder / f"{name}{compression}").write_bytes(COMPRESS[compression](text.encode()))
    if form == "tmx":
        escaped = [
            [text.replace("&", "&amp;").replace("<", "&lt;") for text in side] for side in (source, reference)
        ]
        units = [unit(("cs", s), ("en", r)) for s, r in zip(*escaped, strict=True)]
        (folder / "x.tmx").write_bytes(tmx(*units))
    if form == "parquet":
        pq.write_table(pa.table({"a": source, "translation": [{"en": r} for r in reference]}), folder / "p")
    given = {
        "moses": {"source": f"s{compression}", "reference": f"r{compression}"},
        "tsv": {"path": f"t{compression}", "source": "cs", "reference": "en", "header": True},
        "czeng": {"path": "z"},
        "tmx": {"path": "x.tmx"},
        "parquet": {"path": "p", "source": "a", "reference": "translation.en"},
    }[form]
    made = BitextInput(corpus="c", format=form, source_language="cs", **given)  # type: ignore[arg-type]
    return located(made, folder)


def located(entry: BitextInput, folder: Path) -> BitextInput:
    names = ("source", "reference") if entry.format == "moses" else ("path",)
    values = {name: str(folder / str(getattr(entry, name))) for name in names}
    return BitextInput(**{**vars(entry), **values})


def counted(entry: BitextInput) -> list[CountedFile]:
    return [CountedFile(file, count_rows(file, HashCache())) for file in input_files(entry)]


@pytest.mark.parametrize(
    ("form", "compression"),
    [
        ("moses", ""),
        ("moses", ".gz"),
        ("moses", ".zst"),
        ("tsv", ".xz"),
        ("czeng", ""),
        ("tmx", ""),
        ("parquet", ""),
    ],
)
def test_the_sample_has_the_rows_that_were_drawn(tmp_path: Path, form: str, compression: str) -> None:
    entry = written(tmp_path, form, compression)
    files = counted(entry)
    assert [each.rows for each in files] == [ROWS]
    (chosen,) = choose_rows(files, 200, seed=1)
    parts = cut_into_parts(files, [chosen], 6, seed=1)
    assert sum(len(part.rows) for part in parts) == 200
    sample = write_sample(Workspace(str(tmp_path / "pilot")), [entry], files, parts)
    source, reference = texts("s"), texts("r")
    for part, small in zip(parts, sample, strict=True):
        (file,) = input_files(small)
        (batch,) = read_records(file, 1_000, 1_000)
        assert len(batch.rejects) == 0
        expected = [(source[record - 1], reference[record - 1]) for _, record in part.rows]
        found = list(
            zip(batch.pairs["source"].to_pylist(), batch.pairs["reference"].to_pylist(), strict=True)
        )
        assert found == expected


def test_rows_come_from_everywhere_and_always_the_same(tmp_path: Path) -> None:
    file = input_files(written(tmp_path, "moses"))[0]
    files = [
        CountedFile(file, 3_000_000),
        CountedFile(file.__class__(**{**vars(file), "corpus": "d"}), 1_000_000),
    ]
    first, second = choose_rows(files, 4_000, seed=1)
    assert len(first) + len(second) == 4_000
    assert abs(len(first) - 3_000) < 150  # five standard deviations
    tenths = np.bincount((first - 1) * 10 // 3_000_000, minlength=10)
    assert len(tenths) == 10 and np.all(abs(tenths - len(first) / 10) < 90)
    assert np.all(np.diff(first) > 0) and first[0] >= 1 and first[-1] <= 3_000_000
    again = choose_rows(files, 4_000, seed=1)
    assert np.array_equal(again[0], first) and np.array_equal(again[1], second)
    assert not np.array_equal(choose_rows(files, 4_000, seed=2)[0][: len(first)], first)
    # A smaller sample is part of the larger.
    assert set(choose_rows(files, 400, seed=1)[0]) <= set(first)
    assert [len(rows) for rows in choose_rows(files[:1], 9_000_000, seed=1)] == [3_000_000]


def test_parts_are_of_several_sizes_and_of_every_corpus(tmp_path: Path) -> None:
    file = input_files(written(tmp_path, "moses"))[0]
    names = {"a": 9_000, "b": 900, "c": 100}
    files = [
        CountedFile(file.__class__(**{**vars(file), "corpus": name}), rows) for name, rows in names.items()
    ]
    parts = cut_into_parts(files, choose_rows(files, 1_000, seed=1), 12, seed=1)
    assert {part.corpus for part in parts} == {"a", "b", "c"}
    sizes = [len(part.rows) for part in parts if part.corpus == "a"]
    assert 10 <= len(sizes) <= 12
    assert max(sizes) > 2.5 * min(sizes)
    # A part's rows are of all its corpus, not of a stretch of it.
    for part in parts:
        records = [record for _, record in part.rows]
        assert records == sorted(set(records))
        if part.corpus == "a":
            assert min(records) < 2_000 and max(records) > 7_000
    rows = [row for part in parts for row in part.rows]
    assert len(rows) == len(set(rows)) == 1_000

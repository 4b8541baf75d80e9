import pickle
from pathlib import Path
from typing import Any

import fsspec
import pytest
from pydantic import ConfigDict, TypeAdapter

from paranmt.base.errors import InputError
from paranmt.transforms.bitexts.cleaning import Cleaning
from paranmt.transforms.bitexts.input_file import InputFile
from paranmt.transforms.bitexts.inputs import (
    BitextInput,
    check_line_counts,
    digests,
    fingerprint,
    input_files,
)
from paranmt.transforms.storage.dataset import read_columns
from paranmt.transforms.storage.file_hashes import HashCache
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.ingesting import IngestFile, IngestTask


def moses(**changes: Any) -> BitextInput:
    given = {"corpus": "c", "format": "moses", "source_language": "cs", "source": "a.cs", "reference": "a.en"}
    return BitextInput(**{**given, **changes})


def single(format: str, **changes: Any) -> BitextInput:
    return BitextInput(**{"corpus": "c", "format": format, "source_language": "cs", "path": "a", **changes})


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"line\n")


_NO_SOURCE = "source_language: expected the language code of the source, such as cs; only entries with"

WRONG = [
    (lambda: moses(source_language=None), _NO_SOURCE),
    (lambda: moses(source_language=None, source=None), _NO_SOURCE),
    (lambda: moses(source_language=None, translation="a.mt"), _NO_SOURCE),
    (lambda: single("tsv", source_language=None, translation=3), _NO_SOURCE),
    (
        lambda: single("tsv", source_language=None, reference=2, translation=2),
        "expected a different place for each, got \\[2, 2\\]",
    ),
    (lambda: moses(corpus="Multi 30k"), "corpus: expected at most 64 lowercase letters"),
    (lambda: moses(corpus=""), "corpus"),
    (lambda: moses(format="csv"), "format: expected one of moses, tsv, czeng, tmx, parquet, got 'csv'"),
    (lambda: moses(source_language="Czech language"), "source_language: expected a language code"),
    (lambda: moses(source_language="czech"), "such as cs or pt-BR, got 'czech'; did you mean cs?"),
    (
        lambda: moses(path="a.tsv"),
        "path: a moses bitext has none; give its files as `source` and `reference`",
    ),
    (lambda: moses(source=None), "source: expected the file"),
    (lambda: moses(reference=()), "reference: expected the file"),
    (lambda: moses(reference=("a", "")), "reference: expected the file"),
    (lambda: moses(reference=2), "reference: expected the file"),
    (lambda: moses(header=True), "header: the files of a moses bitext have no columns"),
    (lambda: moses(columns=3), "columns: the files of a moses bitext have no columns"),
    (lambda: single("tsv", path=None), "path: expected the file"),
    (lambda: single("tsv", source=0), "the number of a column, counted from 1, got 0"),
    (lambda: single("tsv", source=True), "the number of a column, counted from 1, got True"),
    (lambda: single("tsv", source="cs"), "counted from 1, got 'cs'; names need `header: true`"),
    (lambda: single("tsv", source=("1", "2")), "one place for each, got"),
    (lambda: single("tsv", source=2), "expected a different place for each, got \\[2, 2\\]"),
    (lambda: single("tsv", source=1, reference=4, columns=3), "there is no column 4, because `columns` is 3"),
    (lambda: single("tsv", columns=1), "columns: expected 2 or more"),
    (lambda: single("tmx", header=True), "header: only tsv files"),
    (lambda: single("parquet", columns=2), "columns: expected 2 or more, for tsv or czeng"),
    (lambda: single("parquet", source=1), "expected a column's name, got 1"),
    (lambda: single("tmx", source=1), "expected a language code, got 1"),
    (lambda: single("czeng", source=5), "give both columns or neither"),
    (lambda: single("czeng", translation="x"), "the number of a column, counted from 1, got 'x'$"),
]


@pytest.mark.parametrize("make, message", WRONG)
def test_the_error_of_a_wrong_entry_names_the_key(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "entry, fields",
    [
        (moses(), ()),
        (single("tsv"), (1, 2)),
        (single("tsv", source=3, reference=2, translation=1), (3, 2, 1)),
        (single("tsv", header=True, source="cs", reference=2), ("cs", 2)),
        (single("czeng"), (None, None)),
        (single("czeng", source=5, reference=6), (5, 6)),
        (single("parquet"), ("source", "reference")),
        (single("parquet", source="translation.cs", translation="mt"), ("translation.cs", "reference", "mt")),
        (single("tmx"), ("cs", "en")),
        (single("tmx", reference="en-GB", translation="en-x-mt"), ("cs", "en-GB", "en-x-mt")),
    ],
)
def test_the_fields_of_an_entry(entry: BitextInput, fields: tuple[object, ...]) -> None:
    assert entry.fields == fields


def test_pydantic_reads_an_entry_as_yaml_gives_it() -> None:
    adapter = TypeAdapter(BitextInput | None, config=ConfigDict(extra="forbid"))
    read = adapter.validate_python(
        {
            "corpus": "c",
            "format": "moses",
            "source_language": "cs",
            "source": ["a", "b"],
            "reference": ["c", "d"],
        }
    )
    assert isinstance(read, BitextInput) and read.source == ("a", "b")
    read = adapter.validate_python(
        {"corpus": "c", "format": "tsv", "source_language": "cs", "path": "x", "source": 3}
    )
    assert isinstance(read, BitextInput) and read.fields == (3, 2)


def test_lists_are_kept_as_tuples() -> None:
    lists = moses(source=["a", "b"], reference=["c", "d"], scores={"z": ["e", "f"], "a": "g"})
    assert lists == moses(source=("a", "b"), reference=("c", "d"), scores={"a": "g", "z": ("e", "f")})
    assert list(lists.scores) == ["a", "z"], "the order of keys means nothing"


def test_globs_are_in_natural_order(tmp_path: Path) -> None:
    touch(tmp_path, *(f"d/file.{number}.{side}" for number in (1, 2, 10) for side in ("cs", "en")))
    files = input_files(moses(source="d/file.*.cs", reference="d/file.*.en"), str(tmp_path))
    assert [file.name for file in files] == ["file.1.cs", "file.2.cs", "file.10.cs"]
    assert files[2].paths == (f"{tmp_path}/d/file.10.cs", f"{tmp_path}/d/file.10.en")
    assert files[2].pair_id(7) == "c/file.10.cs:7"


def test_lists_are_in_the_order_given(tmp_path: Path) -> None:
    touch(tmp_path, "b.cs", "a.cs", "b.en", "a.en", "b.mt", "a.mt")
    entry = moses(source=["b.cs", "a.cs"], reference=["b.en", "a.en"], translation=["b.mt", "a.mt"])
    files = input_files(entry, str(tmp_path))
    assert [file.name for file in files] == ["b.cs", "a.cs"]
    assert files[0].sides == ("source", "reference", "translation")
    assert files[0].file_of("translation") == "b.mt"


def test_a_name_with_brackets_is_a_file_before_it_is_a_glob(tmp_path: Path) -> None:
    touch(tmp_path, "a[1].tsv")
    assert input_files(single("tsv", path="a[1].tsv"), str(tmp_path))[0].name == "a[1].tsv"


def test_absolute_paths_and_urls_stay(tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe({f"/inputs/x.{number}.tsv": b"a\tb\n" for number in (10, 9)})
    files = input_files(single("tsv", path=("memory://inputs/x.*.tsv", str(touched(tmp_path)))), "/elsewhere")
    assert [file.paths[0] for file in files] == [
        "memory:///inputs/x.9.tsv",
        "memory:///inputs/x.10.tsv",
        str(tmp_path / "y.tsv"),
    ]
    assert input_files(single("tsv", path="x.9.tsv"), "memory://inputs")[0].paths == (
        "memory://inputs/x.9.tsv",
    )


def touched(folder: Path) -> Path:
    touch(folder, "y.tsv")
    return folder / "y.tsv"


@pytest.mark.parametrize(
    "entry, message",
    [
        (single("tsv", path="nothing.tsv"), "corpus c, path: there is no file .*/nothing.tsv"),
        (single("tsv", path="nothing.*"), "corpus c, path: there is no file .*/nothing.\\*"),
        (single("tsv", path="x"), "there is no file .*/x; it is a folder"),
        (
            single("tsv", path="teleport://x"),
            "corpus c, path: teleport://x: cannot be opened: Protocol not known",
        ),
        (single("tsv", path=("x/a.tsv", "y/a.tsv")), "2 files are called a.tsv .*x/a.tsv.*y/a.tsv"),
        (
            moses(source="p.*.cs", reference="p.1.en"),
            r"the source has 2 files \(.*p.1.cs.*\) and the reference 1 \(.*p.1.en\)",
        ),
        (
            moses(source="p.*.cs", reference="q.*.en"),
            "p.1.cs would be paired with .*q.2.en, but the numbers in their names differ",
        ),
        (moses(source="p.1.cs", reference="p.1.cs"), "two sides have the same file"),
        (moses(source="p.1.cs", reference="p.1.en", translation="p.1.en"), "two sides have the same file"),
    ],
)
def test_files_that_cannot_be_a_bitext(tmp_path: Path, entry: BitextInput, message: str) -> None:
    touch(tmp_path, "x/a.tsv", "y/a.tsv", "p.1.cs", "p.2.cs", "p.1.en", "q.2.en", "q.3.en")
    with pytest.raises(InputError, match=message):
        input_files(entry, str(tmp_path))


def test_the_ending_of_a_compressed_file_is_not_a_number(tmp_path: Path) -> None:
    touch(tmp_path, "p.1.cs.bz2", "p.1.en.gz")
    assert len(input_files(moses(source="p.*.cs.bz2", reference="p.*.en.gz"), str(tmp_path))) == 1


def test_an_input_file_is_small_when_pickled(tmp_path: Path) -> None:
    touch(tmp_path, "a.cs", "a.en")
    (file,) = input_files(moses(), str(tmp_path))
    pickled = pickle.dumps(file)
    assert pickle.loads(pickled) == file
    assert len(pickled) < 1_000


def pair(folder: Path, source: bytes = b"a\nb\n", reference: bytes = b"c\nd\n") -> InputFile:
    folder.mkdir(exist_ok=True)
    (folder / "a.cs").write_bytes(source)
    (folder / "a.en").write_bytes(reference)
    return input_files(moses(), str(folder))[0]


def _print(cache: HashCache, file: InputFile) -> str:
    return fingerprint(file, digests(file, cache))


def test_a_fingerprint_follows_bytes_and_parameters_but_not_places(tmp_path: Path) -> None:
    cache = HashCache()
    first = _print(cache, pair(tmp_path / "one"))
    assert _print(cache, pair(tmp_path / "two")) == first
    assert _print(cache, pair(tmp_path / "three", reference=b"c\ne\n")) != first
    assert _print(cache, pair(tmp_path / "four", b"c\nd\n", b"a\nb\n")) != first
    touch(tmp_path, "a")
    entries = [
        single("tsv"),
        single("tsv", corpus="d"),
        single("tsv", source=2, reference=1),
        single("tsv", translation=3),
        single("tsv", columns=3),
        single("tsv", header=True),
        single("czeng"),
        single("tmx"),
        single("tmx", reference_language="de"),
        single("tsv", clean=Cleaning(entities=True)),
        single("tsv", clean=Cleaning(mojibake=True)),
        single("tsv", clean=Cleaning(invisible=True)),
    ]
    prints = {_print(cache, input_files(entry, str(tmp_path))[0]) for entry in entries}
    assert len(prints) == len(entries)
    licensed = single("tsv", domain="news", licence="CC0")
    assert _print(cache, input_files(licensed, str(tmp_path))[0]) in prints


def test_line_counts(tmp_path: Path) -> None:
    cache = HashCache()
    assert check_line_counts(pair(tmp_path / "one"), cache) == 2
    assert check_line_counts(pair(tmp_path / "two", b"a\nb", "c\u2028\n\x0b\n".encode()), cache) == 2
    assert check_line_counts(pair(tmp_path / "none", b"", b""), cache) == 0
    touch(tmp_path, "a")
    assert check_line_counts(input_files(single("tsv"), str(tmp_path))[0], cache) is None


def test_unequal_line_counts_name_both_files_and_counts(tmp_path: Path) -> None:
    file = pair(tmp_path / "one", b"a\nb\nc\n")
    with pytest.raises(InputError, match=r"one/a\.cs has 3, .*one/a\.en has 2"):
        check_line_counts(file, HashCache())


def test_three_sides_are_counted(tmp_path: Path) -> None:
    pair(tmp_path)
    (tmp_path / "a.mt").write_bytes(b"only one\n")
    (file,) = input_files(moses(translation="a.mt"), str(tmp_path))
    with pytest.raises(InputError, match=r"a\.cs has 2, .*a\.mt has 1"):
        check_line_counts(file, HashCache())


def test_the_longest_possible_file_name_is_ingested(tmp_path: Path) -> None:
    name = "ř" * 125 + ".tsv"  # 254 bytes, 754 once they are quoted
    (tmp_path / name).write_text("s\tr\n")
    (tmp_path / f"{name[:-5]}š.tsv").write_text("s\tr\n\tr\n")
    workspace, cache = Workspace(str(tmp_path / "work")), HashCache()
    tasks = [
        IngestTask(file, "0123456789abcdef", digests(file, cache))
        for file in input_files(single("tsv", path="*.tsv"), str(tmp_path))
    ]
    assert len({task.part for task in tasks}) == 2
    for task in tasks:
        (entry,) = IngestFile(part_rows=10, max_characters=100)(workspace, task)
        assert len(entry.file.rpartition("/")[2]) <= 255
        assert read_columns(workspace, entry.file)["pair_id"].to_pylist() == [f"c/{task.file.name}:1"]


def test_a_part_counts_what_was_cleaned_and_names_ftfy_only_if_it_repaired_mojibake(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("R\u00c3\u00a4tt\t&quot;r&quot;\x01\n")
    workspace, cache = Workspace(str(tmp_path / "work")), HashCache()
    for cleaning in (Cleaning(entities=True, mojibake=True), Cleaning(entities=True)):
        (file,) = input_files(single("tsv", clean=cleaning), str(tmp_path))
        task = IngestTask(file, "0123456789abcdef" if cleaning.mojibake else "f" * 16, digests(file, cache))
        (entry,) = IngestFile(part_rows=10, max_characters=100)(workspace, task)
        assert ("ftfy" in entry.versions) == cleaning.mojibake
        assert entry.counts == {
            "cleaned: control_characters": 1,
            "cleaned: entities": 2,
            "cleaned: reference_control_lines": 1,
            "cleaned: reference_entity_lines": 1,
            **({"cleaned: source_mojibake_lines": 1} if cleaning.mojibake else {}),
        }


def test_the_parts_of_other_files_are_called_after_them() -> None:
    task = IngestTask(InputFile("c", "a b.cs", "tsv", ("a b.cs",)), "key", ("",))
    assert task.part == "c/a%20b.cs"

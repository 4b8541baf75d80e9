"""Which fields of an evaluation set's files are its sentences."""

import gzip
from pathlib import Path

import pytest

from paranmt.base.errors import InputError
from paranmt.models.evaluation.sentences import list_files, read_sentences
from paranmt.models.sts.sts_data import read_sts


def read(path: Path) -> list[str]:
    return [text for file in list_files(str(path)) if file.is_read for _, text in read_sentences(file)]


@pytest.mark.parametrize(
    ("name", "line", "sentences"),
    [
        ("a.txt", "A dog runs. ", ["A dog runs."]),
        ("a.txt", "A dog.", []),
        ("a.txt", "", []),
        ("a.txt", "[applause] thank you all", ["[applause] thank you all"]),
        # The STS Benchmark's .csv files have tabs and no quoting.
        (
            "sts.csv",
            'main\tMSRvid\t2012test\t0001\t5.000\tA plane is "taking" off.\tIt takes off.',
            ['A plane is "taking" off.', "It takes off."],
        ),
        ("quoted.csv", '7,"A dog, he runs.",It is running,0.5', ["A dog, he runs.", "It is running"]),
        ("a.txt", "A dog, he runs", ["A dog, he runs"]),
        ("a.jsonl", '{"id": 3, "a": {"text": "A dog runs."}, "b": ["x", "It is running"]}', None),
        ("a.json", '{"a": "A dog runs."', ['{"a": "A dog runs."']),
        ("sst.txt", "0 no movement here .", ["0 no movement here .", "no movement here ."]),
        ("sst.txt", "7 dogs run", []),
        ("fasttext.txt", "__label__2 A dog runs.", ["__label__2 A dog runs.", "A dog runs."]),
        ("a.txt", "Zápotocký přišel včera", ["Zápotocký přišel včera"]),
        ("a.txt", "12:30 2015-06-07 1,000,000", []),
    ],
)
def test_fields_of_a_line(tmp_path: Path, name: str, line: str, sentences: list[str] | None) -> None:
    (tmp_path / name).write_text(line + "\n", encoding="utf-8")
    assert read(tmp_path) == (["A dog runs.", "It is running"] if sentences is None else sentences)


def test_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with gzip.open(tmp_path / "b/test.en.gz", "wt") as file:
        file.write("short\nIn a compressed file.\n")
    (tmp_path / "latin.txt").write_bytes(b"\xef\xbb\xbfThe caf\xe9 is closed.\r\n")
    for name in ("README.md", "00-readme.txt", "LICENSE.txt", "correlation.pl", ".hidden"):
        (tmp_path / name).write_text("This is no sentence.\n")
    files = list_files(str(tmp_path))
    read_ones = [file.name for file in files if file.is_read]
    assert read_ones == ["b/test.en.gz", "latin.txt"] and len(files) == 6
    assert [list(read_sentences(file)) for file in files if file.is_read] == [
        [(2, "In a compressed file.")],
        [(1, "The café is closed.")],
    ]
    (file,) = list_files(str(tmp_path / "latin.txt"))
    assert file.name == "latin.txt"
    with pytest.raises(InputError, match="there is no evaluation set"):
        list_files(str(tmp_path / "absent"))


@pytest.mark.parametrize("path", ["sets", "../here/sets", "./sets/"])
def test_relative_folders_and_links(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("here/sets/deep", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "here/sets/deep/a.txt").write_text("one two three\n")
    (tmp_path / "elsewhere/b.txt").write_text("four five six\n")
    (tmp_path / "here/sets/linked").symlink_to("../../elsewhere")
    (tmp_path / "here/sets/deep/up").symlink_to("..")  # must not go round for ever
    monkeypatch.chdir(tmp_path / "here")
    files = list_files(path)
    assert [file.name for file in files] == ["deep/a.txt", "linked/b.txt"]
    assert [text for file in files for _, text in read_sentences(file)] == ["one two three", "four five six"]


@pytest.mark.parametrize("folder", ["sts-semeval", "stsbenchmark", "sick2014"])
def test_every_sentence_that_is_evaluated_on_is_read(shared: Path, folder: str) -> None:
    data = shared / "data" / folder
    found = set(read(data))
    wanted = {text.strip() for each in read_sts(str(data)) for text in (*each.left, *each.right)}
    missing = {text for text in wanted - found if sum(map(str.isalpha, text.split())) >= 3}
    assert len(wanted) > 5_000 and not missing

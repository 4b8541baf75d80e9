"""A release that lacks a file, or has another than its manifest lists, is opened by nothing but `verify`."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import fails, paranmt
from damaged_releases import change_manifest
from releases import write_release

from paranmt.base.errors import InputError
from paranmt.pipeline.looking.bitext_pairs import bitext_pairs
from paranmt.pipeline.manifest.whole_release import check_inputs
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release.open_release import found_release, open_release
from paranmt.pipeline.release.release_pairs import release_pairs
from paranmt.pipeline.running.plan import make_plan
from paranmt.transforms.bitexts.inputs import BitextInput

ONE, TWO, THREE = (f"data/train-0000{number}-of-00003.parquet" for number in range(3))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("whole") / "release", 151, files=3)


@pytest.fixture
def folder(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the release, in a workspace that has nothing else."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(whole, tmp_path / "work/release"))


def _cut(folder: Path) -> None:
    content = (folder / TWO).read_bytes()
    (folder / TWO).write_bytes(content[: len(content) // 2])


def _swap(folder: Path) -> None:
    (folder / ONE).rename(folder / "data/aside")
    (folder / TWO).rename(folder / ONE)
    (folder / "data/aside").rename(folder / TWO)


def _replace(folder: Path) -> None:
    """Another file with as many bytes and pairs as the manifest lists."""
    shutil.copyfile(folder / ONE, folder / TWO)

    def same_size(content: dict) -> None:
        for key in ("rows", "bytes"):
            content["files"][TWO][key] = content["files"][ONE][key]

    change_manifest(folder, same_size)


def _only_first(folder: Path) -> None:
    (folder / TWO).unlink()
    (folder / THREE).unlink()


SIZES = r"has [\d,]+ (?:bytes|pairs), expected [\d,]+"
DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda folder: (folder / TWO).unlink(), f"{TWO} is missing"),
    "all but one missing": (_only_first, f"{TWO} is missing; {THREE} is missing"),
    "renamed": (
        lambda folder: (folder / TWO).rename(folder / "data/old.parquet"),
        f"data/old.parquet is not in manifest.json; {TWO} is missing",
    ),
    "put away": (lambda folder: (folder / TWO).rename(folder / f"{TWO}.part"), f"{TWO} is missing"),
    "added": (
        lambda folder: pq.write_table(pa.table({"reference": ["a"]}), folder / "data/more.parquet"),
        "data/more.parquet is not in manifest.json",
    ),
    "doubled": (
        lambda folder: shutil.copyfile(folder / TWO, folder / "data/train-00001-of-00003 (1).parquet"),
        r"data/train-00001-of-00003 \(1\).parquet is not in manifest.json",
    ),
    "cut off": (_cut, f"{TWO} {SIZES}"),
    "emptied": (lambda folder: (folder / TWO).write_bytes(b""), f"{TWO} has 0 bytes, expected"),
    "swapped": (_swap, f"{ONE} {SIZES}; {TWO} {SIZES}"),
    "replaced": (_replace, f"{TWO} is another file than manifest.json lists"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_release_is_opened_whole_or_not_at_all(folder: Path, damage: str) -> None:
    hurt, problem = DAMAGES[damage]
    hurt(folder)
    files = [str(file) for file in sorted((folder / "data").glob("*.parquet"))]
    where = rf"release is not whole: .*{problem}.*; fetch it again \(`paranmt verify`"
    for place in (folder, folder.parent, folder / "data"):
        with pytest.raises(InputError, match=where):
            open_release(place)
        with pytest.raises(InputError, match=where):
            release_pairs([str(place)], None)
    with pytest.raises(InputError, match=where):
        release_pairs(files, None)  # as a shell expands data/*.parquet
    with pytest.raises(InputError, match=where):
        check_inputs([str(folder)])
    with pytest.raises(InputError, match=where):
        check_inputs(files)
    assert paranmt("verify", folder).exit_code == 1


def test_in_the_folder_of_the_data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "data")
    names = [Path(name).name for name in (ONE, TWO, THREE)]
    assert len(open_release(names[0])) == 50
    Path(names[2]).unlink()
    with pytest.raises(InputError, match=f"{THREE} is missing"):
        release_pairs(names[:2], None)


def test_files_that_were_chosen_among_others(folder: Path) -> None:
    """They are compared alone, so that one file can be read."""
    assert len(open_release(folder / ONE)) == 50
    (folder / THREE).unlink()
    assert len(open_release(folder / ONE)) == 50  # the second one is there, and was not chosen
    assert sum(map(len, release_pairs([str(folder / TWO)], None).tables())) == 49
    _cut(folder)
    assert len(open_release(folder / ONE)) == 50
    with pytest.raises(InputError, match=f"{TWO} {SIZES}"):
        open_release(folder / TWO)
    (folder / TWO).unlink()
    with pytest.raises(InputError, match=f"{TWO} is missing; {THREE} is missing"):
        open_release(folder / ONE)


def test_without_a_manifest_of_ours(folder: Path) -> None:
    (folder / TWO).unlink()
    (folder / "manifest.json").write_text(json.dumps({"files": ["mine"]}))
    assert len(open_release(folder)) == 101
    assert sum(map(len, release_pairs([str(folder)], None).tables())) == 100
    check_inputs([str(folder), str(folder / ONE)])
    (folder / "manifest.json").write_text("")
    with pytest.raises(InputError, match="manifest.json is not JSON"):
        open_release(folder)
    (folder / "manifest.json").unlink()
    assert len(open_release(folder)) == 101


def test_a_card_may_be_edited(folder: Path) -> None:
    (folder / "README.md").write_text("My own words.")
    assert len(open_release(folder)) == 151


def test_on_another_file_system(folder: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.put(str(folder), "/incomplete/release", recursive=True)
    assert len(open_release("memory://incomplete/release")) == 151
    memory.rm(f"/incomplete/release/{TWO}")
    for url in ("memory://incomplete/release", "memory://incomplete"):
        with pytest.raises(InputError, match=f"incomplete/release is not whole: {TWO} is missing"):
            open_release(url)
    assert found_release("memory://incomplete").manifest is not None


def test_links_in_a_folder_that_is_read_only(folder: Path, tmp_path: Path) -> None:
    """As the hub's cache has them."""
    for name in ("manifest.json", ONE, TWO, THREE):
        link = tmp_path / "snapshot" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(folder / name)
    assert len(open_release(tmp_path / "snapshot")) == 151
    (tmp_path / "snapshot" / THREE).unlink()
    with pytest.raises(InputError, match=f"snapshot is not whole: {THREE} is missing"):
        open_release(tmp_path / "snapshot")


COMMANDS = [
    "inspect {0} -n 2",
    "stats {0}",
    "judge {0} -o judge.html",
    "select {0} --where short --preview",
    "select {0} --where short --output short",
    "diff {0} {1}",
    "diff {1} {0}",
    "merge {1} {0} --output both",
    "publish {0} public",
    "train {0} -o encoder",
    "train {0}/data/train-00000-of-00003.parquet {0}/data/train-00001-of-00003.parquet -o encoder",
    "train {0}/data/train-00000-of-00003.parquet -o encoder --set pairs.format=parquet",
    "embed glove.txt {0}/data/train-00000-of-00003.parquet out.npy --column reference",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_opens_a_release(folder: Path, whole: Path, command: str) -> None:
    (folder / THREE).unlink()
    if "pairs.format" in command or "embed" in command:
        (folder / TWO).unlink()
    line = fails(*command.format(folder, whole).split())
    assert f"{folder} is not whole: " in line and f"{THREE} is missing" in line
    assert [path.name for path in Path().iterdir()] == ["work"]


RECIPE = """\
workspace: made
bitext: [{{corpus: c, format: {format}, path: {path}, translation: {translation}, source_language: xx}}]
scores: {{reference_length: {{}}, contamination: {{sets: [{{name: old, path: {set}}}]}}}}
release: {{primary_score: reference_length}}
"""


def test_inputs_of_a_recipe(folder: Path) -> None:
    """The pairs of a release as a bitext, and a release as an evaluation set."""
    Path("c.tsv").write_text("x\tA dog runs.\tA dog ran.\n")
    of_release = {"format": "parquet", "path": f'"{folder}/data/*.parquet"', "translation": "translation"}
    of_lines = {"format": "tsv", "path": "c.tsv", "translation": 3}
    for given, evaluation_set in ((of_release, "c.tsv"), (of_lines, str(folder))):
        Path("recipe.yaml").write_text(RECIPE.format(**given, set=evaluation_set))
        make_plan(Recipe.load(Path("recipe.yaml")))
    (folder / TWO).unlink()
    for given, evaluation_set in ((of_release, "c.tsv"), (of_lines, str(folder))):
        Path("recipe.yaml").write_text(RECIPE.format(**given, set=evaluation_set))
        with pytest.raises(InputError, match=f"is not whole: {TWO} is missing"):
            make_plan(Recipe.load(Path("recipe.yaml")))
    bitext = BitextInput(corpus="c", format="parquet", path=f"{folder}/data/*.parquet", source_language="xx")
    with pytest.raises(InputError, match=f"is not whole: {TWO} is missing"):
        next(bitext_pairs([bitext], 400))

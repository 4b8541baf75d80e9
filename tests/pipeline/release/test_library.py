"""`import paranmt`, and the pairs of a release as Arrow data."""

import io
import itertools
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from releases import PRIMARY, write_release

import paranmt
from paranmt.base.errors import InputError, ModelError, RecipeError, UserError
from paranmt.filters.where.condition import Where
from paranmt.filters.where.pruning import ValueRange, may_select
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.vocabulary import Vocabulary
from paranmt.pipeline.manifest import release_parquet
from paranmt.pipeline.release.open_release import Release, _ranges, open_release

ROWS = 4_000
DECILE = f"{PRIMARY}_decile"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("library") / "release", ROWS)


@pytest.fixture
def release(folder: Path) -> Release:
    return open_release(folder)


def queried(folder: Path, where: str, columns: str = "*") -> list[tuple]:
    """DuckDB's own answer, in the order of the files."""
    return duckdb.sql(f"select {columns} from '{folder}/data/*.parquet' where {where}").fetchall()


# --- names


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import paranmt\n"
        "names = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "print(*sorted(names - set(sys.stdlib_module_names)))\n"
        "print(*(name for name in sys.modules if name.startswith('paranmt.')))\n"
        "paranmt.open_release, paranmt.ngram_overlap, paranmt.load_encoder, paranmt.load_translator\n"
        "heavy = ('torch', 'apache_beam', 'ctranslate2', 'kenlm', 'pandas', 'numba', 'duckdb')\n"
        "print(*(name for name in heavy if name in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["paranmt", "", ""]


def test_every_name_is_what_type_checkers_see() -> None:
    """The imports that type checkers read and the table that is used at run time agree."""
    text = Path(paranmt.__file__).read_text(encoding="utf-8")
    seen = {
        words[-1]: words[1].removeprefix(".")
        for words in (line.split() for line in text.splitlines() if line.startswith("    from ."))
    }
    assert seen == paranmt._MODULES
    for name in seen:
        assert callable(getattr(paranmt, name))
        assert name in dir(paranmt)
    with pytest.raises(AttributeError, match="no attribute 'ngram_overlop'"):
        paranmt.ngram_overlop  # noqa: B018


def test_what_is_no_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not exist"):
        paranmt.load_encoder(tmp_path / "none")
    (tmp_path / "vectors.txt").write_text("a 1 0\nb 0 1\n")
    assert paranmt.load_encoder(tmp_path / "vectors.txt").encode(["a b"]).tolist() == [[0.5, 0.5]]
    with pytest.raises(RecipeError, match="beem"):
        paranmt.load_translator(tmp_path, beem=3)


# --- pairs


def test_all_pairs_are_those_of_the_files(release: Release, folder: Path) -> None:
    table = release.pairs().to_table()
    assert len(release) == len(release.pairs()) == len(table) == ROWS
    whole = pa.concat_tables([pq.read_table(file) for file in sorted((folder / "data").iterdir())])
    assert table.equals(whole.replace_schema_metadata(None))
    assert release.schema.field("trigram_overlap").metadata[b"unit"] == b"share, 0 to 1"


@pytest.mark.parametrize(
    "where",
    [
        f"{DECILE} = 10",
        f"{DECILE} between 4 and 6 and trigram_overlap <= 0.5",
        f"{PRIMARY} is null",
        f"10 <= {DECILE} or {DECILE} in (1, 2)",
        "corpus = 'web' and not short",
        "short and domain is null",
        f"{PRIMARY} > 0.95 or reference like 'a dog%'",
        "false",
    ],
)
def test_pairs_where(release: Release, folder: Path, where: str) -> None:
    pairs = release.pairs(where=where, columns=["translation", "pair_id"])
    assert pairs.schema.names == ["translation", "pair_id"]
    expected = queried(folder, where, "translation, pair_id")
    batches = list(pairs.batches(97))
    assert all(batch.schema.equals(pairs.schema) and len(batch) <= 97 for batch in batches)
    assert [tuple(row.values()) for batch in batches for row in batch.to_pylist()] == expected
    assert len(pairs) == len(expected)
    assert pairs.drops().selected == len(expected)


def test_pairs_for_other_libraries(release: Release) -> None:
    pairs = release.pairs(where=f"{DECILE} = 3", columns=["pair_id", PRIMARY])
    ids = pairs.to_table()["pair_id"].to_pylist()
    assert pairs.to_pandas()["pair_id"].tolist() == ids
    assert pairs.to_polars()["pair_id"].to_list() == ids
    assert duckdb.from_arrow(pairs.reader()).aggregate("count(*)").fetchall() == [(len(ids),)]


def test_what_does_not_exist_is_refused(release: Release, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no column 'translaton'; did you mean translation"):
        release.pairs(columns=["translaton"])
    with pytest.raises(RecipeError, match="trigram"):
        release.pairs(where="trigam_overlap < 1")
    with pytest.raises(InputError, match="expected a Parquet file"):
        open_release(tmp_path)
    pq.write_table(pa.table({"a": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": [1]}), tmp_path / "2.parquet")
    with pytest.raises(InputError, match="2.parquet has other columns than"):
        open_release(tmp_path).schema  # noqa: B018
    (tmp_path / "2.parquet").write_bytes(b"no")
    with pytest.raises(InputError, match="damaged"):
        open_release(tmp_path).schema  # noqa: B018


def test_one_decile_reads_a_tenth_of_the_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the row groups of other deciles, nothing is read but the footers."""
    read = []

    class Counted(io.FileIO):
        def read(self, size: int = -1) -> bytes:
            content = super().read(size)
            read.append(len(content))
            return content

        def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
            size = super().readinto(buffer)
            read.append(size or 0)
            return size or 0

    folder = write_release(tmp_path / "release", 40_000, files=1)
    monkeypatch.setattr(release_parquet, "open_raw", Counted)
    release = open_release(folder)
    release.footers  # noqa: B018

    def bytes_of(where: str | None) -> int:
        read.clear()
        release.pairs(where, ["reference", "translation", PRIMARY]).to_table()
        return sum(read)

    # A tenth of the pairs that have the score; one pair in eleven has none.
    share = bytes_of(f"{DECILE} = 10") / bytes_of(None)
    assert 0.08 < share < 0.11
    assert bytes_of(f"{DECILE} = 11") == 0


def test_samples_are_seeded_and_fair(release: Release) -> None:
    pairs = release.pairs(where="corpus = 'web'", columns=["pair_id"])
    one, same, other = (pairs.sample(5, seed)["pair_id"].to_pylist() for seed in (1, 1, 2))
    assert one == same != other
    assert pairs.sample(9, 1)["pair_id"].to_pylist()[:5] == one
    everything = pairs.sample(10**6, 3)["pair_id"].to_pylist()
    assert sorted(everything) == sorted(pairs.to_table()["pair_id"].to_pylist())
    assert everything != pairs.to_table()["pair_id"].to_pylist()
    assert len(release.pairs(where="false").sample(3, 1)) == 0
    # Of 300 draws from 1,334 pairs each half gets 150, with a standard deviation of 7.6.
    half = set(sorted(everything)[:667])
    drawn = [row for seed in range(3) for row in pairs.sample(100, seed)["pair_id"].to_pylist()]
    assert abs(sum(row in half for row in drawn) - 150) < 40


# --- pruning

VALUES = [-1.5, -1.0, 0.0, 0.1, 0.7, 1.0, 2.0, 3.0]
ATOMS = st.one_of(
    st.builds(
        lambda column, sign, value: f"{column} {sign} {value}",
        st.sampled_from(["x", "n"]),
        st.sampled_from(["=", "<", "<=", ">", ">=", "<>"]),
        st.sampled_from(["-1.5", "-1", "0", "0.1", "0.7", "1", "2"]),
    ),
    st.builds(
        lambda value, sign: f"{value} {sign} x", st.sampled_from(["0.1", "1"]), st.sampled_from(["<", ">="])
    ),
    st.builds(lambda a, b: f"x between {a} and {b}", *[st.sampled_from(["-1", "0.1", "0.7", "3"])] * 2),
    st.builds(lambda a, b: f"n in ({a}, {b})", *[st.sampled_from(["-1", "0", "2"])] * 2),
    st.sampled_from(
        ["t = 'b'", "t < 'b'", "t >= 'ä'", "b", "not b", "b = false", "x is null", "n + 1 > 2", "true"]
    ),
)
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.builds(
        lambda a, op, b: f"({a}) {op} ({b})", inner, st.sampled_from(["and", "or"]), inner
    ),
)


@settings(max_examples=100, deadline=None)
@given(
    where=CONDITIONS,
    rows=st.lists(
        st.tuples(
            st.sampled_from([None, *VALUES]),
            st.sampled_from([None, -1, 0, 1, 2]),
            st.sampled_from([None, "a", "b", "ä"]),
            st.sampled_from([None, True, False]),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_no_selected_row_is_ever_skipped(where: str, rows: list[tuple]) -> None:
    """The ranges are those that pyarrow writes into a file."""
    types = {"x": pa.float32(), "n": pa.int8(), "t": pa.string(), "b": pa.bool_()}
    table = pa.table(
        {
            name: pa.array(values, types[name])
            for name, values in zip(types, zip(*rows, strict=True), strict=True)
        }
    )
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    ranges = _ranges(pq.ParquetFile(buffer).metadata.row_group(0))
    parsed = Where.parse(where, types)
    if parsed.evaluate(table).true_count:
        assert may_select(parsed)(ranges)


@pytest.mark.parametrize(
    ("where", "selects"),
    [
        ("x = 3", True),
        ("x = 4", False),
        ("x > 3", False),
        ("x >= 3", True),
        ("3 < x", False),
        ("x < 0.1", False),  # the float32 nearest to 0.1 is the lowest value
        ("x <= 0.1", True),
        ("x between 4 and 9", False),
        ("x in (-1, 4)", False),
        ("x = 4 or t = 'm'", True),
        ("x = 2 and t = 'z'", False),
        ("b", False),
        ("not b", True),
        ("empty > 0", False),
        ("empty is null", True),
        ("x = -4", False),
        ("unknown > 7", True),
        ("abs(x) > 7", True),
    ],
)
def test_ranges(where: str, selects: bool) -> None:
    names = {"x": pa.float32(), "t": pa.string(), "b": pa.bool_(), "empty": pa.int32(), "unknown": pa.int32()}
    low = float(np.float32(0.1))
    ranges = {
        "x": ValueRange(low, 3.0),
        "t": ValueRange("a", "n"),
        "b": ValueRange(False, False),
        "empty": ValueRange(None, None),
    }
    assert may_select(Where.parse(where, names))(ranges) is selects


def test_a_row_group_holds_one_decile(release: Release) -> None:
    deciles = [group.ranges[DECILE] for group in release.row_groups]
    assert all(decile.low == decile.high for decile in deciles)
    assert [decile.low for decile in deciles] == [*range(10, 0, -1), None] * 2
    assert [len(list(group)) for _, group in itertools.groupby(release.row_groups, lambda g: g.file)] == [
        11,
        11,
    ]


# --- scores


def test_any_score_of_recipes_can_be_measured(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("damn\n")
    pairs = pa.table(
        {"reference": ["A dog runs.", "A damn dog"], "translation": ["A dog runs.", "Damn, damn"]}
    )
    assert paranmt.measure(pairs, "trigram_overlap").to_pylist() == [1.0, 0.0]
    words = str(tmp_path / "words.txt")
    assert paranmt.measure(pairs, "profanity", words=words).to_pylist() == [0, 2]
    assert paranmt.measure(pairs, "profanity", words=words, side="reference").to_pylist() == [0, 1]
    for score, parameters, message in (
        ("trigram_overlop", {}, "did you mean trigram_overlap"),
        ("trigram_overlap", {"n": 3}, "n: unknown key"),
        ("perplexity", {"lm": {"train_on": 5}}, "perplexity needs a model: give the path of one"),
        ("translation_cost", {}, "translation_cost reads the columns translation_log_prob"),
    ):
        with pytest.raises(UserError, match=message):
            paranmt.measure(pairs, score, **parameters)


# --- docs/releases.md


def test_the_examples_of_the_documentation_run(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one process, in a folder like a workspace's; those that need a translation model are left out."""
    document = Path(__file__).resolve().parents[3] / "docs" / "releases.md"
    if not document.exists():
        pytest.skip("no docs beside the tests: they run against a wheel")
    text = re.sub(r"<!-- needs a model -->\n```python\n.*?```", "", document.read_text("utf-8"), flags=re.S)
    (tmp_path / "release").symlink_to(folder)
    encoder = draw_weights(AveragingOptions(dimension=4).build({"words": 3}, "words"), 1)
    SentenceEncoder(encoder, Vocabulary(["a", "dog"], "words", "words")).save(tmp_path / "train" / "avg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    program = "\n".join(blocks)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(blocks) == 7 and done.stdout.startswith(f"{ROWS} ['pair_id', ")


def test_the_reference_has_every_name() -> None:
    document = Path(__file__).resolve().parents[3] / "docs" / "reference" / "python.md"
    if not document.exists():
        pytest.skip("no docs beside the tests: they run against a wheel")
    text = document.read_text("utf-8")
    assert [name for name in paranmt._MODULES if not re.search(rf"\b{name}\b", text)] == []

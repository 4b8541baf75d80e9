import copy
import io
import json
import re
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from corpus import recipe_text
from runs import go, load

from paranmt.base.dataset_columns import (
    decile_name,
    release_columns,
    schema,
    score_column,
    selection_column,
)
from paranmt.pipeline.manifest.manifest import MANIFEST
from paranmt.pipeline.manifest.release_summary import (
    ClauseCounts,
    CleaningCounts,
    CorpusSummary,
    ExamplePair,
    ModelSummary,
    ReleaseSummary,
    ScoreSummary,
    SelectionSummary,
    TranslationCounts,
    described,
)
from paranmt.pipeline.release.card import dataset_card, hub_header
from paranmt.pipeline.release.metadata import croissant, release_texts
from paranmt.transforms.storage.release_files import (
    FileInfo,
    release_file_name,
    release_table,
    write_release_file,
)

N = 4_000
WHERE = "paraphrase_similarity_decile between 5 and 9 and trigram_overlap <= 0.7"
DOC = "Cosine of the two sentences' vectors, in [-1, 1]; 0 for <empty>."


def columns() -> tuple[object, ...]:
    scores = [
        score_column("paraphrase_similarity", pa.float32(), "", DOC),
        score_column("translation_length", pa.int32(), "tokens", "Tokens of the translation."),
    ]
    return release_columns(scores, [selection_column("paraphrases", WHERE)], candidates=True)


def rows() -> pa.Table:
    """A release's rows: a tenth held out, without the similarity."""
    random = np.random.default_rng(3)
    score = random.random(N).astype(np.float32)
    held_out = random.random(N) < 0.1
    lengths = random.integers(1, 40, N).astype(np.int32)
    values: dict[str, object] = {
        "pair_id": [f"captions/train.en.gz:{i + 1}" for i in range(N)],
        "corpus": ["captions"] * N,
        "domain": ["captions"] * N,
        "licence": ["CC BY-SA 4.0"] * N,
        "source_language": ["cs"] * N,
        "source": ["Pes běží."] * N,
        "reference": ["A dog runs."] * N,
        "translation": ["The dog is running."] * N,
        "translation_log_prob": pa.array(-score * 9, pa.float32()),
        "translation_tokens": pa.array([6] * N, pa.int32()),
        "translation_status": ["translated"] * N,
        "translation_rank": pa.array([1] * N, pa.int32()),
        "translation_model_hash": ["5f" * 16] * N,
        "recipe_hash": ["0123456789abcdef"] * N,
        "candidates": [[{"text": "A dog is running.", "log_prob": -2.5, "n_tokens": 6}]] * N,
        "paraphrase_similarity": pa.array(score, mask=held_out),
        "paraphrase_similarity_decile": pa.array((score * 10 + 1).astype(np.int8), mask=held_out),
        "translation_length": lengths,
        "translation_length_decile": pa.array(lengths // 4 + 1, pa.int8()),
        "held_out": held_out,
        "paraphrases": (score > 0.4) & ~held_out,
    }
    expected = schema(columns())  # type: ignore[arg-type]
    return pa.table({field.name: pa.array(values[field.name], field.type) for field in expected}, expected)


def facts(files: dict[str, FileInfo]) -> ReleaseSummary:
    return ReleaseSummary(
        name="captions",
        corpora=[
            CorpusSummary(
                "captions",
                "cs",
                N + 13,
                N,
                {"empty side": 10, "not UTF-8": 3},
                "captions",
                "CC BY-SA 4.0",
                [
                    CleaningCounts(
                        "HTML | decoded", {"source": 0, "reference": 1_234, "translation": 7}, 5_678
                    )
                ],
            )
        ],
        translation=TranslationCounts(translated=N - 5, failed=5),
        columns=described(columns()),  # type: ignore[arg-type]
        files=files,
        scores=[
            ScoreSummary(
                "paraphrase_similarity", DOC, "", True, N - 400, 400, tuple(i / 10 for i in range(1, 10))
            ),
            ScoreSummary("translation_length", "Tokens of the translation.", "tokens", False, N, 0),
        ],
        primary_score="paraphrase_similarity",
        selections=[
            SelectionSummary(
                "paraphrases",
                WHERE,
                2_160,
                400,
                2_000,
                2_000,
                [
                    ClauseCounts("paraphrase_similarity_decile between 5 and 9", 1_800, 400),
                    ClauseCounts("trigram_overlap <= 0.7", 500),
                ],
            )
        ],
        recipe={"seed": 1, "bitext": [{"corpus": "captions"}], "release": {"primary_score": "x"}},
        models=[ModelSummary("translate", "cs-en", "f00d" * 8, "CC BY 4.0")],
        packages={"paranmt": "0.1.0", "pyarrow": "25.0.1"},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole release: two files, card, Croissant and manifest."""
    folder = tmp_path_factory.mktemp("release") / "captions"
    (folder / "data").mkdir(parents=True)
    files = {}
    for index in range(2):
        part = rows().slice(index * N // 2, N // 2)
        path = f"data/{release_file_name(index, 2)}"
        table = release_table([part], "paraphrase_similarity_decile", best_first_descending=True)
        files[path] = write_release_file(table, folder / path, "paraphrase_similarity_decile", {})
    info = facts(files)
    for name, text in release_texts(info, {}).items():
        (folder / name).write_bytes(text)
    return folder


@pytest.fixture
def info(folder: Path) -> ReleaseSummary:
    files = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    return facts({path: FileInfo(**file) for path, file in files.items()})


def header(card: str) -> dict[str, object]:
    loaded: dict[str, object] = yaml.safe_load(card.split("---\n")[1])
    return loaded


def test_header(info: ReleaseSummary) -> None:
    loaded = header(dataset_card(info))
    assert loaded["language"] == ["en", "cs"]
    assert loaded["license"] == "cc-by-sa-4.0"
    assert loaded["size_categories"] == ["1K<n<10K"]
    configurations = {entry["config_name"]: entry for entry in loaded["configs"]}  # type: ignore[attr-defined]
    assert list(configurations) == ["default", *(f"decile_{d}" for d in range(10, 0, -1)), "paraphrases"]
    assert configurations["decile_3"] == {
        "config_name": "decile_3",
        "data_files": [{"split": "train", "path": "data/train-*.parquet"}],
        "filters": [["paraphrase_similarity_decile", "==", 3]],
    }
    assert "filters" not in configurations["default"]


@pytest.mark.parametrize(
    ("licences", "expected"),
    [
        (["MIT"], {"license": "mit"}),
        (["research-only"], {"license": "other", "license_name": "research-only"}),
        (["Some Licence, v. 2"], {"license": "other", "license_name": "some-licence-v.-2"}),
        (["MIT", "cc0-1.0"], {"license": "other", "license_name": "mixed-see-card"}),
        (["MIT", None], {"license": "other", "license_name": "mixed-see-card"}),
        ([None], {"license": "other", "license_name": "not-stated"}),
    ],
)
def test_licence(info: ReleaseSummary, licences: list[str | None], expected: dict[str, str]) -> None:
    corpora = [replace(info.corpora[0], licence=licence) for licence in licences]
    loaded = hub_header(replace(info, corpora=corpora))
    assert {key: value for key, value in loaded.items() if key.startswith("license")} == expected


@pytest.mark.parametrize(
    ("pairs", "size"),
    [
        (999, "n<1K"),
        (1_000, "1K<n<10K"),
        (51_409_585, "10M<n<100M"),
        (10**9, "1B<n<10B"),
        (10**12, "n>1T"),
    ],
)
def test_size(info: ReleaseSummary, pairs: int, size: str) -> None:
    files = {"data/x.parquet": FileInfo(pairs, 1, "", "")}
    assert hub_header(replace(info, files=files))["size_categories"] == [size]


def test_lower_is_better_puts_decile_1_first(info: ReleaseSummary) -> None:
    loaded = hub_header(replace(info, primary_score="translation_length"))
    names = [entry["config_name"] for entry in loaded["configs"]]  # type: ignore[attr-defined]
    assert names[1:3] == ["decile_1", "decile_2"]


def test_a_selection_may_be_called_default(info: ReleaseSummary) -> None:
    selection = replace(info.selections[0], name="default")
    loaded = hub_header(replace(info, selections=[selection]))
    assert loaded["configs"][-1]["config_name"] == "selection_default"  # type: ignore[index]


def test_card_says_what_is_known(info: ReleaseSummary) -> None:
    card = dataset_card(info)
    deciles = {decile_name(score.name) for score in info.scores}
    for column in info.columns:
        assert column.name in deciles or f"| `{column.name}` |" in card
    assert "| `paraphrase_similarity_decile`, `translation_length_decile` | int8 |" in card
    for expected in [
        "| rows in | 4,013 |",
        "| rejected: empty side | 10 |",
        "| `captions` | HTML \\| decoded | 0 | 1,234 | 7 | 5,678 |",
        "| pairs | 4,000 |",
        "| translation failed (null) | 5 |",
        "| selected: `paraphrases` | 2,000 |",
        "| `captions` | captions | cs | 4,000 | CC BY-SA 4.0 |",
        "| `trigram_overlap <= 0.7` | 500 | 0 |",
        "0 for &lt;empty>.",
        "f00d" * 8,
        "pyarrow 25.0.1",
        "primary_score: x",
        "wieting-gimpel-2018-paranmt",
    ]:
        assert expected in card, expected
    assert "See below" not in card and "| existing translations |" not in card
    assert card.count("lowest tenth") == card.count("seeded hash of\n`pair_id`") == 1


def test_card_begins_with_title_makers_and_five_pairs(info: ReleaseSummary) -> None:
    pairs = [ExamplePair(f"A | dog {i}.", "<b>Dogs</b>", 0.5, 4) for i in range(4)]
    made = replace(
        info,
        name="Captions & co_1",
        description="What *it* is.",
        authors=["Ada Novák", "Bo Li"],
        examples=[*pairs, ExamplePair("No score.", "None.", None, None)],
        date_published="2026-01-02",
        url="https://example.org/captions",
        recipe={"a": None, "b": {"c": None, "d": [1, {"e": None, "f": 0}]}, "g": {"h": None}},
    )
    card = dataset_card(made)
    assert "# Captions \\& co_1\n\nWhat \\*it\\* is.\n\nAuthors: Ada Novák, Bo Li\n\n4,000 pairs" in card
    assert "## Five pairs\n\nDrawn by a seeded hash from the selection `paraphrases`, not by hand." in card
    assert "| A \\| dog 3. | \\<b\\>Dogs\\</b\\> | 0.5, decile 4 |" in card
    assert "| No score. | None. | null |" in card
    assert "<details>\n<summary>The recipe" in card and "```yaml\nb:\n  d:\n  - 1\n  - f: 0\n```" in card
    assert (
        "```bibtex\n@misc{captions-co-1,\n  title = {{Captions \\& co\\_1}},\n"
        "  author = {Ada Novák and Bo Li},\n"
        "  year = {2026},\n  howpublished = {https://example.org/captions},\n"
        f"  note = {{4,000 pairs, recipe {made.recipe_hash}}}\n}}\n```"
    ) in card
    described = croissant(made)
    assert [creator["name"] for creator in described["creator"]] == ["Ada Novák", "Bo Li"]  # type: ignore[attr-defined]
    assert str(described["description"]).startswith("What *it* is. 4,000 pairs")


def test_card_is_a_function_of_its_facts(info: ReleaseSummary) -> None:
    assert dataset_card(info) == dataset_card(copy.deepcopy(info))
    assert MANIFEST.content(info)["date_published"] is None
    published = replace(info, date_published="2026-01-02")
    assert MANIFEST.content(published)["date_published"] == "2026-01-02"


def test_names_bring_no_markup_into_the_card(info: ReleaseSummary) -> None:
    hostile = "a | b\n# c <script>alert(1)</script> ![](http://x) `d`\n---\nlicense: mit"
    corpus = replace(info.corpora[0], licence=hostile, domain=hostile, rejects={hostile: 13})
    recipe = {"bitext": "```\n</pre><script>", "x": "---"}
    model = replace(info.models[0], role=hostile, name=hostile)
    packages = {hostile: hostile}
    card = dataset_card(replace(info, corpora=[corpus], recipe=recipe, models=[model], packages=packages))
    assert header(card)["license"] == "other"
    text = re.sub(r"(?ms)^(`{3,})\w*$.*?^\1$", "", card.split("---\n", 2)[2])
    assert not re.search(r"(?<!\\)<script|(?<!\\)!\[", text)
    assert not re.search(r"(?m)^# c$|^# c ", text)
    fences = re.findall(r"(?m)^`{3,}", card)
    assert "````" in fences and len(fences) % 2 == 0


def test_snippets_run(
    folder: Path, datasets: ModuleType, monkeypatch: pytest.MonkeyPatch, info: ReleaseSummary
) -> None:
    for package in ("duckdb", "polars", "pandas"):
        pytest.importorskip(package)
    monkeypatch.chdir(folder)
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```$", (folder / "README.md").read_text("utf-8"))
    assert len(blocks) == 4
    for block in blocks:
        out = io.StringIO()
        with redirect_stdout(out):
            exec(block, {})
        assert "A dog runs." in out.getvalue(), block


def test_datasets_loads_each_configuration(folder: Path, datasets: ModuleType) -> None:
    expected = pq.read_table(folder / "data")
    counts = {"default": N, "paraphrases": sum(expected["paraphrases"].to_pylist())}
    for decile in (10, 1):
        counts[f"decile_{decile}"] = expected[decile_name("paraphrase_similarity")].to_pylist().count(decile)
    for name, count in counts.items():
        loaded = datasets.load_dataset(str(folder), name, split="train")
        assert loaded.num_rows == count, name
    filters = [("translation_length_decile", "==", 2)]
    loaded = datasets.load_dataset(str(folder), split="train", filters=filters)
    assert set(loaded["translation_length_decile"]) == {2}


def test_datasets_streams_a_decile(folder: Path, datasets: ModuleType) -> None:
    stream = datasets.load_dataset(str(folder), "decile_7", split="train", streaming=True)
    assert {row["paraphrase_similarity_decile"] for row in stream} == {7}


def test_manifest_is_json_and_checks_the_files(folder: Path, info: ReleaseSummary) -> None:
    manifest = json.loads(json.dumps(MANIFEST.content(info)))
    assert list(manifest["files"]) == [
        "data/train-00000-of-00002.parquet",
        "data/train-00001-of-00002.parquet",
    ]
    assert manifest["pairs"] == sum(file["rows"] for file in manifest["files"].values()) == N
    assert manifest["corpora"][0]["rejects"] == {"empty side": 10, "not UTF-8": 3}
    assert manifest["models"][0]["hash"] == "f00d" * 8
    assert manifest["scores"][0]["cuts"][0] == 0.1
    assert manifest["columns"][0]["name"] == "pair_id"
    assert manifest["recipe"]["seed"] == 1


def test_manifest_without_infinities(info: ReleaseSummary) -> None:
    score = replace(info.scores[0], cuts=(1.5, float("inf")))
    manifest = MANIFEST.content(replace(info, scores=[score]))
    assert json.loads(json.dumps(manifest, allow_nan=False))["scores"][0]["cuts"] == [1.5, "inf"]


def test_croissant_describes_files_and_columns(info: ReleaseSummary) -> None:
    described = json.loads(json.dumps(croissant(info)))
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    objects = [entry for entry in described["distribution"] if entry["@type"] == "cr:FileObject"]
    assert [(o["contentUrl"], o["sha256"]) for o in objects] == [(p, f.sha256) for p, f in info.files.items()]
    fields = described["recordSet"][0]["field"]
    flat = [column.name for column in info.columns if column.name != "candidates"]
    assert [field["source"]["extract"]["column"] for field in fields] == flat
    types = {field["name"]: field["dataType"] for field in fields}
    assert types["reference"] == "sc:Text"
    assert types["paraphrase_similarity"] == "sc:Float"
    assert types["paraphrase_similarity_decile"] == "sc:Integer"
    assert types["held_out"] == "sc:Boolean"


def test_mlcroissant_reads_the_pairs(folder: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    first = next(iter(dataset.records("pairs")))
    assert first["pairs/reference"] in (b"A dog runs.", "A dog runs.")
    assert first["pairs/paraphrase_similarity_decile"] == 10


def test_primary_score_must_be_one_of_the_scores(info: ReleaseSummary) -> None:
    with pytest.raises(ValueError, match="no primary score 'x'; there are: paraphrase_similarity"):
        hub_header(replace(info, primary_score="x"))


def test_card_says_what_was_cleaned_in_each_input(tmp_path: Path) -> None:
    text = recipe_text(tmp_path, {"first": 9, "second": 9})
    translations = tmp_path / "data/first.mt"
    lines = translations.read_text().splitlines()
    lines[:3] = ["R&amp;D &#39;99", "a\x00b\x01", "soft\u00adware &quot;x"]
    translations.write_text("\n".join(lines) + "\n")
    rest = ("scores={translation_length: {}}", "select={}", "duplicates={}", "train={}", "evaluate={}")
    clean = ("bitext.0.clean={entities: true, mojibake: true}", "bitext.1.clean={invisible: true}")
    go(load(tmp_path, text, *rest, *clean, "release={}"), last="release")
    card = (tmp_path / "work/release/README.md").read_text()
    steps = re.compile(r"\| `\w+` \| (HTML|text|control|invisible) ")
    rows = [line for line in card.splitlines() if steps.match(line)]
    assert rows == [
        "| `first` | HTML entities decoded | 0 | 0 | 2 | 3 |",
        "| `first` | text decoded with the wrong encoding repaired | 0 | 0 | 0 |  |",
        "| `first` | control characters replaced by spaces | 0 | 0 | 1 | 2 |",
        "| `second` | control characters replaced by spaces | 0 | 0 | 0 | 0 |",
        "| `second` | invisible characters removed | 0 | 0 | 0 | 0 |",
    ]

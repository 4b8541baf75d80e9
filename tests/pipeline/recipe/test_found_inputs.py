"""A first recipe: what unknown files are found to be, and what is said where they do not show it."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import paranmt

from paranmt.base.errors import InputError
from paranmt.pipeline.recipe import found_inputs as module
from paranmt.pipeline.recipe.first_recipe import first_recipe
from paranmt.pipeline.recipe.found_inputs import FoundInput, found_inputs
from paranmt.pipeline.recipe.recipe import Recipe

CZECH = [
    "Dva malí psi běží po písečné pláži.",
    "Včera večer jsme šli společně do kina.",
    "Moje sestra každé ráno pije černou kávu.",
    "Kde je prosím nejbližší vlakové nádraží?",
]
ENGLISH = [
    "Two little dogs are running along the sandy beach.",
    "Yesterday evening we went to the cinema together.",
    "My sister drinks black coffee every morning.",
    "Where is the nearest railway station, please?",
]
OTHER = [
    "A pair of small dogs runs down the beach.",
    "Last night all of us went to see a film.",
    "Every morning my sister has a cup of black coffee.",
    "Excuse me, where can I find the next train station?",
]
GERMAN = [
    "Zwei kleine Hunde laufen am sandigen Strand entlang.",
    "Gestern Abend sind wir zusammen ins Kino gegangen.",
    "Meine Schwester trinkt jeden Morgen schwarzen Kaffee.",
    "Wo ist bitte der nächste Bahnhof?",
]


def write(path: Path, *columns: list[str], repeat: int = 3, header: str = "") -> str:
    rows = ["\t".join(row) for row in zip(*columns, strict=True)] * repeat
    text = "".join(f"{row}\n" for row in ([header] if header else []) + rows).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return str(path)


def keys(*paths: str) -> list[dict]:
    return [dict(found.keys) for found in found_inputs(paths)]


def test_files_of_sentences_are_paired_by_name_and_length(tmp_path: Path) -> None:
    cs, de = write(tmp_path / "a.cs.gz", CZECH), write(tmp_path / "a.de", GERMAN)
    en, google = write(tmp_path / "a.en", ENGLISH), write(tmp_path / "a.google-1.en.gz", OTHER)
    alone = write(tmp_path / "b.cs", CZECH, repeat=2), write(tmp_path / "story.eng", ENGLISH, repeat=2)
    first = {"format": "moses", "source_language": "cs", "source": cs, "reference": en}
    assert keys(en, *alone, google, cs) == [
        {
            "corpus": "b",
            "format": "moses",
            "source_language": "cs",
            "source": alone[0],
            "reference": alone[1],
        },
        {"corpus": "a.google-1", **first, "translation": google},
    ]
    assert keys(cs, en, de) == [
        {"corpus": "a.cs", **first},
        {"corpus": "a.de", **first, "source_language": "de", "source": de},
    ]


def test_columns_are_known_by_their_languages(tmp_path: Path) -> None:
    ids, grades = ["x1", "x2", "x3", "x4"], ["0.5", "0.25", "0.1", "1"]
    swapped = write(tmp_path / "c.tsv", ENGLISH, ids, CZECH)
    czeng = write(tmp_path / "d.gz", ids, grades, CZECH, ENGLISH)
    named = write(tmp_path / "e.txt", GERMAN, ENGLISH, OTHER, header="de\ten\ttranslation")
    plain = write(tmp_path / "f.txt", ENGLISH, OTHER)
    pq.write_table(pa.table({"id": ids, "czech": CZECH, "english": ENGLISH}), tmp_path / "g.parquet")
    found = keys(swapped, czeng, named, plain, str(tmp_path / "g.parquet"))
    assert [{key: value for key, value in entry.items() if key != "path"} for entry in found] == [
        {"corpus": "c", "format": "tsv", "source_language": "cs", "source": 3, "reference": 1},
        {"corpus": "d", "format": "czeng", "source_language": "cs", "scores": {"given_score": 2}},
        {
            "corpus": "e",
            "format": "tsv",
            "source_language": "de",
            "source": 1,
            "reference": 2,
            "translation": 3,
            "header": True,
        },
        {"corpus": "f", "format": "tsv", "reference": 1, "translation": 2},
        {
            "corpus": "g",
            "format": "parquet",
            "source_language": "cs",
            "source": "czech",
            "reference": "english",
        },
    ]
    assert found_inputs([named])[0] == FoundInput(found[2], 12, 0)


def test_columns_of_numbers_with_fractions_are_scores(tmp_path: Path) -> None:
    cosines, ids, copies = ["0.5", "", "-1e-2", "1"], ["1", "2", "3", "4"], ["1.0", "0.0", "1.0", "0.0"]
    plain = write(tmp_path / "a.txt", ENGLISH, OTHER, cosines)
    several = write(tmp_path / "b.txt", cosines, ENGLISH, ids, OTHER, copies, cosines)
    short = write(tmp_path / "c.txt", ["Yes.", *ENGLISH[1:]], ["Yeah.", *OTHER[1:]], cosines)
    header = "a\tParagram-Cos.\tb\tperplexity"
    named = write(tmp_path / "d.txt", OTHER, cosines, ENGLISH, cosines, header=header)
    columns = {"a": ENGLISH, "b": OTHER, "n": [1, 2, 3, 4], "Cosine": [0.5, 0.25, None, 1.0]}
    pq.write_table(pa.table(columns), tmp_path / "e.parquet")
    found = found_inputs([plain, several, short, named, str(tmp_path / "e.parquet")])
    assert [(entry.scores, entry.keys.get("header")) for entry in found] == [
        ({"given_score": 3}, None),
        ({"given_score_1": 1, "given_score_6": 6}, None),
        ({"given_score": 3}, None),
        ({"paragram_cos": 2, "given_score_4": 4}, True),
        ({"cosine": "Cosine"}, None),
    ]
    recipe = Recipe.from_yaml(first_recipe(found, "recipe.yaml", None))
    assert [entry.scores for entry in recipe.bitext] == [entry.scores for entry in found]
    assert recipe.release_name == "Paraphrases of a, b, c"
    assert recipe.select["paraphrases"].where.startswith("paraphrase_similarity_decile")  # no score is in all
    recipe = Recipe.from_yaml(first_recipe([found[0], found[2]], "recipe.yaml", None))
    assert recipe.select["paraphrases"].where.startswith("given_score_decile between 5 and 9 and trigram")
    assert "paraphrase_similarity" not in recipe.scores and "trigram_overlap" in recipe.scores


def test_tmx_names_its_languages(tmp_path: Path) -> None:
    unit = '<tu><tuv xml:lang="en-GB"><seg>{}</seg></tuv><tuv xml:lang="de-DE"><seg>{}</seg></tuv></tu>'
    units = "".join(unit.format(*row) for row in zip(ENGLISH, GERMAN, strict=True))
    (tmp_path / "h.tmx").write_text(f'<?xml version="1.0"?><tmx version="1.4"><body>{units}</body></tmx>')
    (entry,) = found_inputs([str(tmp_path / "h.tmx")])
    assert (entry.keys["source_language"], entry.pairs) == ("de", 4)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["a.cs", "b.cs"], "expected one file in en with as many lines"),
        (["a.cs", "short.en"], r"there are: \S*short.en \(8 lines\)"),
        (["a.en"], "expected a file in another language with as many lines"),
        (["numbers.en"], "no language is known"),
        (["nothing.tsv", "none.en", "a.en"], r"there is no file \S*nothing.tsv, \S*none.en; correct"),
        (["empty.en"], "has no lines"),
        (["three.tsv"], "found: 1 cs, 2 de, 3 en; write its entry by hand"),
    ],
)
def test_files_that_do_not_show_what_they_are(tmp_path: Path, files: list[str], message: str) -> None:
    for name, columns in {"a.cs": [CZECH], "b.cs": [CZECH], "a.en": [ENGLISH]}.items():
        write(tmp_path / name, *columns)
    write(tmp_path / "short.en", ENGLISH, repeat=2)
    write(tmp_path / "numbers.en", ["1", "2"])
    write(tmp_path / "empty.en")
    write(tmp_path / "three.tsv", CZECH, GERMAN, ENGLISH)
    with pytest.raises(InputError, match=message):
        found_inputs([str(tmp_path / name) for name in files])


def test_only_the_beginning_of_long_files_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"{line}\n" for line in ENGLISH).encode()
    (tmp_path / "late.en.gz").write_bytes(gzip.compress(b"\n" * (1 << 20) + text))
    with pytest.raises(InputError, match="no lines with text in its first 1,048,576 bytes"):
        found_inputs([str(tmp_path / "late.en.gz")])
    monkeypatch.setattr(module, "MOST_LINES", 8)
    long = [write(tmp_path / "a.cs", CZECH, repeat=3), write(tmp_path / "a.en", ENGLISH, repeat=3)]
    (entry,) = keys(*long)
    assert (entry["source"], entry["reference"]) == tuple(long)
    short = write(tmp_path / "b.cs", CZECH[:3], repeat=1)
    with pytest.raises(InputError, match=r"b.cs \(3 lines, cs\): .*a.en \(8 or more lines\)"):
        found_inputs([short, long[1]])


def test_two_corpora_never_have_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    pairs = [write(folder / "a.tsv", CZECH, ENGLISH) for folder in (tmp_path, tmp_path / "other")]
    assert [entry["corpus"] for entry in keys(*pairs)] == ["a.1", "a.2"]


def test_the_recipe_is_valid_wherever_it_lies(tmp_path: Path) -> None:
    (tmp_path / "recipes").mkdir()
    found = found_inputs([write(tmp_path / "a.tsv", CZECH, ENGLISH)])
    model = "hf://Helsinki-NLP/opus-mt-cs-en@" + "0" * 40
    file = tmp_path / "recipes/mine.yaml"
    file.write_text(first_recipe(found, str(file), model))
    recipe = Recipe.load(file)
    assert recipe.bitext[0].path == "../a.tsv"
    assert recipe.translate.model == model
    translated = found_inputs([write(tmp_path / "b.tsv", ENGLISH, OTHER)])
    assert "translate:" not in first_recipe(translated, str(file), None)


def test_another_language_of_the_references_is_in_the_recipe(tmp_path: Path) -> None:
    files = [write(tmp_path / "a.cs", CZECH), write(tmp_path / "a.de", GERMAN)]
    assert paranmt("init", *files, "--reference-language", "de", "-o", tmp_path / "r.yaml").exit_code == 0
    assert Recipe.load(tmp_path / "r.yaml").bitext[0].reference_language == "de"
    assert "opus-mt-cs-de@" in (tmp_path / "r.yaml").read_text()


def test_a_recipe_without_a_model_says_where_one_comes_from(tmp_path: Path) -> None:
    found = found_inputs([write(tmp_path / "a.tsv", GERMAN, ENGLISH)])
    text = first_recipe(found, str(tmp_path / "news from today.yaml"), None)
    assert "paranmt nmt-train 'news from today.yaml'" in text
    assert "hf://Helsinki-NLP/opus-mt-de-en@COMMIT" in text
    file = tmp_path / "news from today.yaml"
    file.write_text(text)
    missing = paranmt("plan", file)
    assert missing.exit_code == 2
    assert f"there is no folder {tmp_path}/model; train a model there with `paranmt" in missing.stderr
    assert "`paranmt nmt-train recipe.yaml`" in missing.stderr
    assert "hf://OWNER/NAME@COMMIT; COMMIT is the 40 hex digits" in missing.stderr
    named = paranmt("plan", file, "--set", "translate.model=Helsinki-NLP/opus-mt-de-en")
    assert "write hf://Helsinki-NLP/opus-mt-de-en@COMMIT; COMMIT is" in named.stderr
    (tmp_path / "a.tsv").unlink()
    both = paranmt("plan", file, "--set", "scores.perplexity.lm.path=none.arpa")
    assert f"\n{tmp_path}/model: train a model there with" in both.stderr, both.stderr


def test_the_command_keeps_what_is_there(tmp_path: Path) -> None:
    bitext, recipe = write(tmp_path / "a.tsv", CZECH, ENGLISH), tmp_path / "recipe.yaml"
    first = paranmt("init", bitext, "-o", recipe)
    assert first.exit_code == 0, first.output
    assert "a: tsv, cs source, en reference; 12 pairs in its first rows" in first.stderr
    assert len(recipe.read_text().splitlines()) < 30
    assert paranmt("recipe", "--check", recipe).exit_code == 0
    recipe.write_text("mine")
    again = paranmt("init", bitext, "-o", recipe)
    assert (again.exit_code, recipe.read_text()) == (2, "mine")
    assert "already exists" in again.stderr

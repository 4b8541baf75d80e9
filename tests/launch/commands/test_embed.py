"""`paranmt embed` and `paranmt export`: vectors of files, and encoders that other programs load."""

import gzip
import importlib.util
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import ok, paranmt
from safetensors.torch import load_file
from unicode_texts import half_of_the_units, unicode_texts

from paranmt.base.errors import InputError, ModelError
from paranmt.models.encoders.encoder_kinds import (
    AveragingOptions,
    BiLstmOptions,
    Component,
    LstmOptions,
    MixedOptions,
    PositionalOptions,
    TransformerOptions,
)
from paranmt.models.encoders.encoder_options import EncoderOptions
from paranmt.models.encoders.export import export_encoder, tokenizer
from paranmt.models.encoders.loading import load_encoder
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.sentence_transformers_module import ParanmtEncoder
from paranmt.models.encoders.static_encoder import read_static
from paranmt.models.encoders.subword_units import SubwordVocabulary
from paranmt.models.encoders.vocabulary import UNITS, Tags, Units, Vocabulary, words
from paranmt.pipeline.texts import embed_file
from paranmt.tokens.definition import EncoderTokens

needs_package = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)

# The vectors of cat, dog and sat; those of unknown words are 1 1, the mean of all (`read_vectors`).
VECTORS = "cat 3 0\ndog 0 3\nsat 0 0\n"


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in a folder with word vectors, whose blocks are three sentences."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(embed_file, "_BLOCK", 3)
    Path("vectors.txt").write_text(VECTORS)


SENTENCES = ["Cat sat", "dog", "", "a cat", "Cat!", "dog cat sat", "sat"]
MEANS = [[1.5, 0], [0, 3], [0, 0], [2, 0.5], [2, 0.5], [1, 1], [0, 0]]


def write_table(name: str, sentences: list[str | None]) -> pa.Table:
    table = pa.table({"id": range(len(sentences)), "text": sentences, "raw": [b"\xff"] * len(sentences)})
    pq.write_table(table, name, row_group_size=2)
    return table


@pytest.mark.parametrize("name", ["in.txt", "in.txt.gz"])
def test_a_text_becomes_an_array(name: str) -> None:
    content = "".join(f"{sentence}\n" for sentence in SENTENCES).encode()
    Path(name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    result = paranmt("embed", "vectors.txt", name, "deep/out.npy")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("deep/out.npy: vectors of 2 numbers for 7 sentences in ")
    assert result.stderr.endswith(" sentences/s); tokens: words\n")
    array = np.load("deep/out.npy", mmap_mode="r")
    assert array.dtype == np.float32
    assert array.tolist() == MEANS
    assert [file.name for file in Path("deep").iterdir()] == ["out.npy"]


def test_a_parquet_file_keeps_its_columns() -> None:
    table = write_table("in.parquet", [text or None for text in SENTENCES])
    ok("embed", "vectors.txt", "in.parquet", "out.parquet", "--column", "text", "--keep")
    out = pq.read_table("out.parquet")
    assert out.drop_columns("vector").equals(table)
    assert out["vector"].type == pa.list_(pa.float32(), 2)
    assert out["vector"].to_pylist() == MEANS
    ok("embed", "vectors.txt", "in.parquet", "bare.parquet", "--column", "text")
    assert pq.read_table("bare.parquet").equals(out.select(["vector"]))
    ok("embed", "vectors.txt", "in.parquet", "out.npy", "--column", "text")
    assert np.load("out.npy").tolist() == MEANS


def test_the_standard_input_and_its_lines() -> None:
    ok("embed", "vectors.txt", "-", "out.parquet", "--keep", text="dog\ncat\r\n")
    assert pq.read_table("out.parquet").to_pydict() == {
        "sentence": ["dog", "cat"],
        "vector": [[0, 3], [3, 0]],
    }


@pytest.mark.parametrize("output", ["out.npy", "out.parquet"])
def test_nothing_to_embed(output: str) -> None:
    Path("in.txt").touch()
    assert "for 0 sentences" in paranmt("embed", "vectors.txt", "in.txt", output).stderr
    shape = (
        np.load(output).shape if output.endswith("npy") else pq.read_table(output)["vector"].to_numpy().shape
    )
    assert shape == ((0, 2) if output.endswith("npy") else (0,))


def test_many_sentences_get_the_header_of_their_number() -> None:
    """The header is first written for no sentence."""
    Path("in.txt").write_text("dog\n" * 12_345)
    ok("embed", "vectors.txt", "in.txt", "out.npy")
    array = np.load("out.npy")
    assert array.shape == (12_345, 2) and (array == [0, 3]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in.txt", "in.npy"], "in.npy already exists"),
        (["in.txt", "out.csv"], "out.csv: expected a name that ends in .npy or .parquet"),
        (["in.txt", "out.npy", "--keep"], "--keep needs an output that has columns"),
        (["in.txt", "out.npy", "--column", "text"], "--column is for Parquet files"),
        (["in.txt", "out.npy", "--device", "gpu"], "--device: expected auto, cpu or cuda, got 'gpu'"),
        (["in.txt", "in.txt/out.npy"], "in.txt/out.npy cannot be written"),
        (["bad.txt", "out.npy"], "bad.txt: line 4 is not UTF-8"),
        (["bad.txt", "out.parquet"], "bad.txt: line 4 is not UTF-8"),
        (["none.txt", "out.npy"], "none.txt"),
        (["in.parquet", "out.npy"], "--column is missing; expected the column of sentences, one of: text"),
        (["in.parquet", "out.npy", "--column", "id"], "there is no column 'id' of text; expected"),
        (["bad.parquet", "out.npy", "--column", "text"], "one of the rows 1 to 2 is not UTF-8"),
        (["vector.parquet", "out.parquet", "--column", "text", "--keep"], "has a column 'vector' already"),
        (["cut.parquet", "out.npy", "--column", "text"], "cut.parquet: cannot be read"),
    ],
)
def test_errors_leave_nothing_behind(arguments: list[str], message: str) -> None:
    Path("in.txt").write_text("dog\n")
    Path("in.npy").write_bytes(b"mine")
    Path("bad.txt").write_bytes(b"dog\ncat\nsat\n\xff\n")
    write_table("in.parquet", ["dog"])
    bad = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff", b"a"], pa.binary()).buffers())
    pq.write_table(pa.table({"text": bad}), "bad.parquet")
    pq.write_table(pa.table({"text": ["a"], "vector": [1]}), "vector.parquet")
    Path("cut.parquet").write_bytes(Path("in.parquet").read_bytes()[:-20])
    before = {file: file.read_bytes() for file in Path().iterdir()}
    result = paranmt("embed", "vectors.txt", *arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr and len(result.stderr.splitlines()) == 1
    assert {file: file.read_bytes() for file in Path().iterdir()} == before


def test_vectors_that_are_not_finite(tmp_path: Path) -> None:
    Path("large.txt").write_text("cat 3e38\ndog 3e38\n")
    Path("in.txt").write_text("cat\ncat dog\n")
    result = paranmt("embed", "large.txt", "in.txt", "out.npy")
    assert result.exit_code == 2 and "some of the numbers in its vectors are not finite" in result.stderr
    assert not Path("out.npy").exists()


def test_a_file_that_appears_meanwhile_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(path: str, device: str, tokens: EncoderTokens) -> object:
        Path("out.npy").write_bytes(b"mine")
        return load_encoder(path, device, tokens)

    monkeypatch.setattr(embed_file, "load_vectors_of", load)
    Path("in.txt").write_text("dog\n")
    assert "out.npy already exists" in paranmt("embed", "vectors.txt", "in.txt", "out.npy").stderr
    assert Path("out.npy").read_bytes() == b"mine"
    assert sorted(file.name for file in Path().iterdir()) == ["in.txt", "out.npy", "vectors.txt"]


def test_averages_are_embedded_without_torch() -> None:
    encoder_of(JOINED).save(Path("model"))
    Path("in.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    code = (
        "import sys; from paranmt.launch.cli import app\n"
        "for encoder in ('model', 'vectors.txt'):\n"
        "    app(['embed', encoder, 'in.txt', f'{encoder}.npy'], standalone_mode=False)\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
    np.testing.assert_allclose(np.load("model.npy"), encoder_of(JOINED).encode(TEXTS), rtol=0, atol=1e-6)
    words = SentenceEncoder.from_vectors("vectors.txt").encode(TEXTS)
    np.testing.assert_allclose(np.load("vectors.txt.npy"), words, rtol=0, atol=1e-6)


@pytest.mark.parametrize("combine", ["add", "concatenate", "concatenate_normalised"])
def test_averages_without_torch_are_those_with_it(combine: Any) -> None:
    inner = MixedOptions(parts=(Component(encoder=AVERAGE), Component(encoder=AVERAGE)), combine="add")
    parts = (Component(encoder=AVERAGE, units="trigrams"), Component(encoder=inner))
    encoder = encoder_of(MixedOptions(parts=parts, combine=combine), tags="end")
    encoder.save(Path("model"))
    static = read_static(Path("model"))
    assert static is not None
    np.testing.assert_allclose(static.encode(TEXTS), encoder.encode(TEXTS), rtol=0, atol=1e-6)
    assert static.encode([]).shape == (0, encoder.dimension)


def test_what_torch_must_read() -> None:
    encoder_of(LstmOptions(dimension=4, size=5)).save(Path("model"))
    encoder_of(AVERAGE).save(Path("half"), "float16")
    assert read_static(Path("model")) is None and read_static(Path("half")) is None
    Path("in.txt").write_text("A cat.\n")
    for name in ("model", "half"):
        ok("embed", name, "in.txt", f"{name}.npy")
        assert (np.load(f"{name}.npy") == load_encoder(name, "cpu").encode(["A cat."])).all()
    Path("half/config.json").write_text("{}")
    assert "expected the format" in paranmt("embed", "half", "in.txt", "out.npy").stderr


# --- export


def average(entries: list[str], tokens: EncoderTokens = "words") -> SentenceEncoder:
    """An average with random vectors."""
    encoder = AveragingOptions(dimension=8).build({"words": len(entries) + 1}, "words")
    return SentenceEncoder(draw_weights(encoder, 1), Vocabulary(entries, "words", tokens))


@pytest.mark.parametrize("tokens", ["words", "whitespace", "cased_words", "cased_whitespace"])
def test_the_tokenizer_cuts_and_lower_cases_as_ours(tokens: EncoderTokens) -> None:
    """Of the units, half are in the vocabulary, so they have different numbers; the others have 0."""
    tokenizers = pytest.importorskip("tokenizers")
    texts = unicode_texts()
    vocabulary = Vocabulary(half_of_the_units(texts, tokens), "words", tokens)
    theirs = tokenizers.Tokenizer.from_str(json.dumps(tokenizer(vocabulary)))
    encodings = theirs.encode_batch(texts, add_special_tokens=False)
    for text, encoding in zip(texts, encodings, strict=True):
        assert encoding.ids == vocabulary.ids(text), ascii(text)


@needs_package
@pytest.mark.parametrize("tokens", ["words", "whitespace", "cased_words", "cased_whitespace"])
def test_an_exported_model_gives_the_same_vectors(tokens: EncoderTokens) -> None:
    from sentence_transformers import SentenceTransformer

    texts = unicode_texts()
    encoder = average(half_of_the_units(texts, tokens), tokens)
    export_encoder(encoder, Path("exported"))
    ours = encoder.encode(texts)
    theirs = SentenceTransformer("exported", device="cpu").encode(texts)
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-6)
    assert not theirs[texts.index("")].any() and ours[0].any()
    assert (load_encoder("exported").encode(texts) == theirs).all()


@needs_package
def test_export_and_embed_with_what_was_exported() -> None:
    assert paranmt("export", "vectors.txt", "exported").stderr.startswith("exported: a model that")
    Path("in.txt").write_text("\n".join(SENTENCES))
    ok("embed", "exported", "in.txt", "out.npy")
    assert np.load("out.npy").tolist() == MEANS
    assert "already a model" in paranmt("export", "exported", "again").stderr


def test_an_export_has_the_names_that_sentence_transformers_reads() -> None:
    encoder = average(["[unknown]", "i\u0307", "x"])
    export_encoder(encoder, Path("deep/exported"))
    files = {"model.safetensors", "modules.json", "tokenizer.json"}
    assert {file.name for file in Path("deep/exported").iterdir()} == files
    assert [file.name for file in Path("deep").iterdir()] == ["exported"]
    assert load_file("deep/exported/model.safetensors")["embedding.weight"].shape == (4, 8)
    model = json.loads(Path("deep/exported/tokenizer.json").read_text("utf-8"))["model"]
    assert model["vocab"] == {"[[unknown]]": 0, "[unknown]": 1, "\ufdd1": 2, "x": 3}
    with pytest.raises(InputError, match="deep/exported already exists"):
        export_encoder(encoder, Path("deep/exported"))


TEXTS = ["A cat sat.", "", "dogs on CATS", "?", "a", "\u200b", "The dog ran home, and so did the cat."]
AVERAGE = AveragingOptions(dimension=6)
JOINED = MixedOptions(
    parts=(Component(encoder=AVERAGE, units="trigrams"), Component(encoder=AVERAGE, units="subwords")),
    combine="concatenate_normalised",
)


def encoder_of(
    options: EncoderOptions, units: Units = "words", tokens: EncoderTokens = "words", tags: Tags = "none"
) -> SentenceEncoder:
    """An encoder with random weights that knows half of the units of `TEXTS`, and all subwords."""
    counts = Counter(word for text in TEXTS for word in words(text))
    vocabularies: list[Vocabulary] = []
    for stream in options.streams(units):
        if stream == "subwords":
            vocabularies.append(SubwordVocabulary.train(counts, 40, tokens))
            continue
        known = sorted({unit for text in TEXTS for unit in UNITS[stream](text, tokens)})[::2]
        tagging = ["<s>", "</s>"] if tags != "none" else []
        vocabularies.append(Vocabulary([*known, *tagging], stream, tokens, tags))
    rows = {vocabulary.units: len(vocabulary) for vocabulary in vocabularies}
    return SentenceEncoder(draw_weights(options.build(rows, units), 1), *vocabularies)


OF_OUR_MODULE = {
    "trigrams": lambda: encoder_of(AVERAGE, "trigrams"),
    "subwords": lambda: encoder_of(AVERAGE, "subwords"),
    "tags": lambda: encoder_of(AVERAGE, tags="both"),
    "moses": lambda: encoder_of(AVERAGE, tokens="moses"),
    "joined": lambda: encoder_of(JOINED),
    "positional": lambda: encoder_of(PositionalOptions(dimension=6)),
    "lstm": lambda: encoder_of(LstmOptions(dimension=4, size=5)),
    "bilstm": lambda: encoder_of(BiLstmOptions(dimension=4, size=5, peepholes=False)),
    "transformer": lambda: encoder_of(TransformerOptions(dimension=8, layers=1, heads=2)),
}
"""Encoders for which sentence-transformers has no module."""


@needs_package
@pytest.mark.parametrize("kind", OF_OUR_MODULE)
def test_our_module_gives_the_same_vectors(kind: str) -> None:
    """In ours, in sentence-transformers, and after it has saved the model again."""
    from sentence_transformers import SentenceTransformer

    if kind == "moses":
        pytest.importorskip("sacremoses")
    encoder = OF_OUR_MODULE[kind]()
    ours = encoder.encode(TEXTS)
    assert export_encoder(encoder, Path("exported"))
    model = SentenceTransformer(modules=[ParanmtEncoder.load("exported")], device="cpu")
    theirs = model.encode(TEXTS, batch_size=3)
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-6)
    assert not theirs[TEXTS.index("")].any() and np.abs(ours).max() > 1e-3
    assert model.get_embedding_dimension() == encoder.dimension
    assert (load_encoder("exported", "cpu").encode(TEXTS) == ours).all()
    model.save_pretrained("saved")
    assert (load_encoder("saved", "cpu").encode(TEXTS) == ours).all()


@needs_package
def test_nothing_of_a_folder_is_executed() -> None:
    """Another process, in the folder, which sentence-transformers only loads with the flag it asks for."""
    export_encoder(encoder_of(JOINED), Path("exported"))
    trap = "raise SystemExit('the code of the folder ran')"
    for name in ("paranmt.py", "modeling.py", "ParanmtEncoder.py", "sentence_transformers_module.py"):
        Path("exported", name).write_text(trap)
    code = (
        "import json, sys; from sentence_transformers import SentenceTransformer\n"
        "try: SentenceTransformer('exported', device='cpu')\n"
        "except ValueError as error: assert 'trust_remote_code' in str(error)\n"
        "model = SentenceTransformer('exported', device='cpu', trust_remote_code=True)\n"
        "print(json.dumps(model.encode(json.loads(sys.argv[1])).tolist()))"
    )
    command = [sys.executable, "-I", "-c", code, json.dumps(TEXTS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    ours = encoder_of(JOINED).encode(TEXTS)
    np.testing.assert_allclose(json.loads(done.stdout), ours, rtol=0, atol=1e-6)


@needs_package
def test_our_module_can_be_trained_there() -> None:
    """The gradient of a sum of sentence vectors: each unit of a sentence gets 1 / its units."""
    encoder = encoder_of(AVERAGE, "trigrams")
    module = ParanmtEncoder(encoder)
    module(module.preprocess(["a", "", "dog"]))["sentence_embedding"].sum().backward()
    gradient = module.encoder.get_parameter("embedding.weight").grad
    assert gradient is not None and gradient[:, 0].sum().item() == pytest.approx(2)


def test_smaller_weights() -> None:
    """A row is rounded to float16, or to a 127th of its largest number."""
    encoder = encoder_of(JOINED)
    table = encoder.encoder.get_parameter("parts.0.embedding.weight").detach().numpy()
    sizes, files = {}, ("model.safetensors", "config.json", "modules.json")
    for precision, most in (("float32", 0.0), ("float16", 2**-11), ("int8", 0.5 / 127)):
        folder = Path(precision)
        assert export_encoder(encoder, folder, precision)  # type: ignore[arg-type]
        assert {*files, "sentencepiece.model", "vocabulary.trigrams.txt"} == {
            file.name for file in folder.iterdir()
        }
        sizes[precision] = sum(tensor.nbytes for tensor in load_file(folder / files[0]).values())
        read = SentenceEncoder.load(folder).encoder.get_parameter("parts.0.embedding.weight").detach().numpy()
        largest = np.abs(table).max(axis=1, keepdims=True)
        assert read.dtype == np.float32 and (np.abs(read - table) <= most * largest * 1.001).all()
        assert precision == "float32" or (read != table).any()
    rows = sum(len(vocabulary) for vocabulary in encoder.vocabularies.values())
    assert sizes == {"float32": 24 * rows, "float16": 12 * rows, "int8": (6 + 4) * rows}


def test_a_small_average_of_words_keeps_its_words() -> None:
    assert export_encoder(average(["x", "y"]), Path("small"), "float16")
    assert SentenceEncoder.load("small").vocabularies["words"].entries == ["x", "y"]


def test_numbers_that_are_too_large_for_float16() -> None:
    encoder = SentenceEncoder.from_vectors("vectors.txt")
    encoder.encoder.get_parameter("embedding.weight").data[1, 0] = 1e5
    with pytest.raises(ModelError, match="above 65,504, which float16 cannot hold"):
        export_encoder(encoder, Path("exported"), "float16")
    assert not Path("exported").exists()


def test_the_command_says_what_it_needs() -> None:
    encoder_of(LstmOptions(dimension=4, size=5)).save(Path("model"))
    printed = paranmt("export", "model", "exported", "--precision", "int8").stderr
    assert printed.startswith(
        "exported: a model that sentence-transformers loads, if this package is installed"
    )
    result = paranmt("export", "model", "other", "--precision", "int4")
    assert result.exit_code == 2 and "expected one of float32, float16, int8, got 'int4'" in result.stderr


def test_modules_that_are_no_modules() -> None:
    Path("model").mkdir()
    Path("model/modules.json").write_text('["x"]')
    with pytest.raises(ModelError, match="expected a JSON dict for each module, got 'x'"):
        load_encoder("model")

"""Averages as ONNX graphs: onnxruntime computes the same vectors from ids that docs/encoders.md explains."""

import importlib.util
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from commands import ok, paranmt
from unicode_texts import half_of_the_units, unicode_texts

from paranmt.base.errors import InputError, ModelError
from paranmt.models.encoders import onnx_export
from paranmt.models.encoders.encoder_kinds import AveragingOptions, Component, LstmOptions, MixedOptions
from paranmt.models.encoders.encoder_options import EncoderOptions
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.stored_weights import Precision
from paranmt.models.encoders.subword_units import SubwordVocabulary
from paranmt.models.encoders.vocabulary import UNITS, Tags, Units, Vocabulary, words
from paranmt.tokens.definition import EncoderTokens

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "encoders.md"
needs_onnx = pytest.mark.skipif(importlib.util.find_spec("onnx") is None, reason="onnx is not installed")
needs_runtime = pytest.mark.skipif(
    importlib.util.find_spec("onnx") is None or importlib.util.find_spec("onnxruntime") is None,
    reason="onnx or onnxruntime is not installed",
)

AVERAGE = AveragingOptions(dimension=6)
WORDS, TRIGRAMS = Component(encoder=AVERAGE), Component(encoder=AVERAGE, units="trigrams")
MIXTURE = MixedOptions(parts=(WORDS, TRIGRAMS))
SUM = MixedOptions(
    parts=(WORDS, Component(encoder=MixedOptions(parts=(WORDS, TRIGRAMS), combine="add"))), combine="add"
)
UNIT_VECTORS = MixedOptions(parts=(WORDS, TRIGRAMS), combine="concatenate_normalised")

JOINED = MixedOptions(
    parts=(TRIGRAMS, Component(encoder=AVERAGE, units="subwords")), combine="concatenate_normalised"
)


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def encoder_of(
    options: EncoderOptions,
    texts: list[str],
    units: Units = "words",
    tokens: EncoderTokens = "words",
    tags: Tags = "none",
) -> SentenceEncoder:
    """An encoder with random vectors that knows half of the units of the texts."""
    vocabularies: list[Vocabulary] = []
    for stream in options.streams(units):
        if stream == "subwords":
            counts = Counter(word for text in texts[-60:] for word in words(text, tokens))
            vocabularies.append(SubwordVocabulary.train(counts, 3_000, tokens))
            continue
        known = (
            half_of_the_units(texts, tokens)
            if stream == "words"
            else sorted({unit for text in texts for unit in UNITS[stream](text, tokens)})[::2]
        )
        tagging = ["<s>", "</s>"] if stream == "words" and tags != "none" else []
        vocabularies.append(Vocabulary([*known, *tagging], stream, tokens, tags))
    rows = {vocabulary.units: len(vocabulary) for vocabulary in vocabularies}
    return SentenceEncoder(draw_weights(options.build(rows, units), 1), *vocabularies)


def documented() -> Callable[[Path, list[str]], np.ndarray]:
    """The function `encode` of the Python example in docs/encoders.md."""
    if not DOCUMENT.exists():
        pytest.skip("no docs beside the tests: they run against a wheel")
    (code,) = [
        block
        for block in re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text("utf-8"), re.M | re.S)
        if "onnx" in block
    ]
    names: dict = {}
    exec(code, names)
    return names["encode"]


@needs_runtime
@pytest.mark.parametrize("tokens", ["words", "whitespace", "cased_words"])
@pytest.mark.parametrize(
    ("options", "units", "tags"),
    [
        (AVERAGE, "words", "none"),
        (AVERAGE, "words", "start"),
        (AVERAGE, "words", "both"),
        (AVERAGE, "trigrams", "none"),
        (MIXTURE, "words", "none"),
        (MIXTURE, "words", "end"),
        (SUM, "words", "none"),
        (UNIT_VECTORS, "words", "none"),
        (AVERAGE, "subwords", "none"),
        (JOINED, "words", "none"),
    ],
)
def test_onnxruntime_gives_the_same_vectors(
    options: EncoderOptions, units: Units, tags: Tags, tokens: EncoderTokens
) -> None:
    texts = [*unicode_texts()[::9], "", " \n", "?", "unknown", "İSTANBUL", "ΟΔΥΣΣΕΥΣ"]
    encoder = encoder_of(options, texts, units, tokens, tags)
    onnx_export.export_onnx(encoder, Path("exported"))
    ours, theirs = encoder.encode(texts), documented()(Path("exported"), texts)
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-6)
    assert (
        theirs.dtype == np.float32
        and not theirs[texts.index("")].any()
        and theirs[texts.index("unknown")].any()
    )


@needs_runtime
@pytest.mark.parametrize("precision", ["float16", "int8"])
def test_smaller_tables(precision: Precision) -> None:
    """The graph computes what the encoder with the same stored tables computes."""
    texts = ["A cat sat.", "", "dogs on cats"]
    encoder = encoder_of(UNIT_VECTORS, texts)
    onnx_export.export_onnx(encoder, Path("small"), precision)
    encoder.save(Path("encoder"), precision)
    ours, theirs = SentenceEncoder.load("encoder").encode(texts), documented()(Path("small"), texts)
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-6)
    assert np.abs(theirs - encoder.encode(texts)).max() > 1e-6


@needs_runtime
def test_an_unknown_piece_may_have_any_number() -> None:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a cat sat on a mat", "dogs ran"]),
        model_writer=model,
        vocab_size=20,
        unk_id=3,
        bos_id=0,
        eos_id=1,
        pad_id=2,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    vocabulary = SubwordVocabulary(model.getvalue())
    encoder = SentenceEncoder(
        draw_weights(AVERAGE.build({"subwords": len(vocabulary)}, "subwords"), 1), vocabulary
    )
    onnx_export.export_onnx(encoder, Path("exported"))
    texts = ["a cat sat", "?", "\u200b", "", "dogs ж"]
    np.testing.assert_allclose(
        documented()(Path("exported"), texts), encoder.encode(texts), rtol=0, atol=1e-6
    )


@needs_runtime
def test_padding_and_sentences_without_units_change_nothing() -> None:
    import onnxruntime

    encoder = encoder_of(AVERAGE, ["a b c d"])
    onnx_export.export_onnx(encoder, Path("exported"))
    session = onnxruntime.InferenceSession("exported/model.onnx", providers=["CPUExecutionProvider"])
    table = encoder.encoder.get_parameter("embedding.weight").detach().numpy()

    def run(ids: list[list[int]], mask: list[list[int]]) -> np.ndarray:
        inputs = {"words_ids": np.array(ids, np.int64), "words_mask": np.array(mask, np.int64)}
        return session.run(["sentence_embedding"], inputs)[0]

    assert run([[1, 2]], [[1, 1]])[0] == pytest.approx(table[1:3].mean(axis=0), abs=1e-7)
    assert (run([[1, 2], [2, 1]], [[1, 0], [0, 0]]) == [table[1], np.zeros(6)]).all()
    empty = session.run(None, {name: np.zeros((2, 0), np.int64) for name in ("words_ids", "words_mask")})[0]
    assert empty.tolist() == [[0.0] * 6] * 2


@needs_runtime
def test_the_tokenizer_beside_the_graph_gives_the_ids() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    texts = ["A b, c!", "", "d e"]
    encoder = encoder_of(MIXTURE, texts)
    onnx_export.export_onnx(encoder, Path("exported"))
    theirs = tokenizers.Tokenizer.from_file("exported/tokenizer.json")
    assert [theirs.encode(text).ids for text in texts] == [
        encoder.vocabularies["words"].ids(text) for text in texts
    ]
    onnx_export.export_onnx(encoder_of(AVERAGE, texts, tags="both"), Path("tagged"))
    assert not Path("tagged/tokenizer.json").exists()


@needs_onnx
def test_the_files() -> None:
    encoder = encoder_of(MIXTURE, ["a b"], tags="end")
    onnx_export.export_onnx(encoder, Path("deep/exported"))
    names = {"model.onnx", "config.json", "vocabulary.words.txt", "vocabulary.trigrams.txt"}
    assert {file.name for file in Path("deep/exported").iterdir()} == names
    config = json.loads(Path("deep/exported/config.json").read_text())
    assert config["dimension"] == 12 and [stream["tags"] for stream in config["inputs"]] == ["end", "none"]
    assert (
        Path("deep/exported/vocabulary.words.txt").read_text().split("\n")[:-1]
        == encoder.vocabularies["words"].entries
    )
    first = Path("deep/exported/model.onnx").read_bytes()
    onnx_export.export_onnx(encoder, Path("again"))
    assert Path("again/model.onnx").read_bytes() == first
    import onnx

    shapes = [
        [d.dim_param for d in i.type.tensor_type.shape.dim] for i in onnx.load_from_string(first).graph.input
    ]
    assert [shape[1] for shape in shapes] == ["longest_words"] * 2 + ["longest_trigrams"] * 2
    with pytest.raises(InputError, match="deep/exported already exists"):
        onnx_export.export_onnx(encoder, Path("deep/exported"))


@needs_onnx
def test_what_has_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = MixedOptions(parts=(WORDS, Component(encoder=LstmOptions(dimension=4))))
    for options in (LstmOptions(dimension=4), mixed):
        with pytest.raises(
            ModelError, match="type 'lstm' cannot be exported to ONNX: expected an average or a"
        ):
            onnx_export.export_onnx(encoder_of(options, ["a b"]), Path("exported"))
    monkeypatch.setattr(onnx_export, "_MOST_BYTES", 10)
    with pytest.raises(ModelError, match="a file in ONNX holds at most 2.1 GB"):
        onnx_export.export_onnx(encoder_of(AVERAGE, ["a b"]), Path("exported"))
    assert not Path("exported").exists()


def test_the_error_names_the_extra_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModelError, match="pip install 'onnx>=1.17'"):
        onnx_export.export_onnx(encoder_of(AVERAGE, ["a b"]), Path("exported"))


@needs_onnx
def test_the_command() -> None:
    Path("vectors.txt").write_text("cat 3 0\ndog 0 3\n")
    assert (
        "exported: a graph that onnxruntime loads"
        in paranmt("export", "vectors.txt", "exported", "--format", "onnx").stderr
    )
    ok("export", "vectors.txt", "other")
    assert Path("exported/tokenizer.json").read_bytes() == Path("other/tokenizer.json").read_bytes()
    result = paranmt("export", "vectors.txt", "third", "--format", "tflite")
    assert result.exit_code == 2 and "expected sentence-transformers or onnx, got 'tflite'" in result.stderr

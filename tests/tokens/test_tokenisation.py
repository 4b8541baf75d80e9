"""How encoders cut text: the same in training and in use, stated in the config, Moses's tokens among them."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from paranmt.base.errors import ModelError, RecipeError
from paranmt.base.extras import install_command
from paranmt.launch.cli import app
from paranmt.models.encoders import moses_tokens
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.loading import load_encoder
from paranmt.models.encoders.onnx_export import export_onnx
from paranmt.models.encoders.row_index import RowIndex, count_words
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.vocabulary import Units, Vocabulary, words
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TextOptions, TrainOptions
from paranmt.models.training.trainer import train_encoder
from paranmt.pipeline.recipe.train_entries import Tuning
from paranmt.tokens.definition import EncoderTokens

# By the rules of Moses's tokenizer.perl -l en -no-escape: an apostrophe joins what follows it, a full stop
# stays with abbreviations and single letters, and three dots are a token.
MOSES = {
    "I didn't see Mr. Smith's (old) car": "i didn 't see mr. smith 's ( old ) car",
    'He\'s "fine" & <b>': 'he \'s " fine " & < b >',
    "gone... It cost $5.00, or 1,000.": "gone ... it cost $ 5.00 , or 1,000 .",
    "cafe\u0301 | x": "café | x",
    "  ": "",
}
needs_moses = pytest.mark.skipif(
    importlib.util.find_spec("sacremoses") is None,
    reason=f"sacremoses is not installed ({install_command('moses')})",
)


@needs_moses
@pytest.mark.parametrize("sentence", MOSES)
def test_moses_tokens(sentence: str) -> None:
    assert " ".join(words(sentence, "moses")) == MOSES[sentence]


@needs_moses
@pytest.mark.parametrize("units", ["words", "trigrams"])
def test_columns_have_the_same_moses_tokens_as_sentences(units: str) -> None:
    vocabulary = Vocabulary(["didn", "'t", " di", "idn", "mr."], units, "moses")  # type: ignore[arg-type]
    ids = RowIndex(vocabulary).token_ids(pa.array([*MOSES, None]))
    rows = [ids.ids[start:end].tolist() for start, end in zip(ids.starts, ids.starts[1:], strict=False)]
    assert rows == [*(vocabulary.ids(sentence) for sentence in MOSES), []]
    assert count_words(pa.array([*MOSES, None]), "moses").tolist() == [
        *(len(tokens.split()) for tokens in MOSES.values()), 0
    ]  # fmt: skip


@pytest.mark.parametrize(
    "tokens", ["words", "whitespace", pytest.param("moses", marks=needs_moses), "cased_words"]
)
def test_the_tokens_of_training_are_in_the_config_and_in_use(tmp_path: Path, tokens: EncoderTokens) -> None:
    pairs = PairList(["He didn't go, Mr. X.", "It's a dog."], ["Mr. X didn't go.", "A dog, it's."])
    options = TrainOptions(
        encoder=AveragingOptions(dimension=4), epochs=1, text=TextOptions(tokens=tokens), seed=3
    )
    train_encoder(pairs, options, tmp_path / "avg", tmp_path / "scratch")
    assert json.loads((tmp_path / "avg/config.json").read_text())["text"]["tokens"] == tokens
    encoder = SentenceEncoder.load(tmp_path / "avg")
    (vocabulary,) = encoder.vocabularies.values()
    sentences = [*pairs.references, *pairs.translations]
    assert set(vocabulary.entries) == {word for text in sentences for word in words(text, tokens)}
    table = encoder.encoder.get_parameter("embedding.weight").detach().numpy()
    expected = table[[vocabulary.row(word) for word in words("Mr. X didn't.", tokens)]].mean(axis=0)
    assert np.allclose(encoder.encode(["Mr. X didn't."])[0], expected, atol=1e-6)


@needs_moses
@pytest.mark.parametrize("tokens", ["moses", "cased_moses"])
def test_moses_tokens_have_no_graph(tmp_path: Path, tokens: EncoderTokens) -> None:
    pytest.importorskip("onnx")
    (tmp_path / "v.txt").write_text("a 1 2\n")
    encoder = load_encoder(tmp_path / "v.txt", tokens=tokens)
    with pytest.raises(ModelError, match="tokens are those of Moses"):
        export_onnx(encoder, tmp_path / "exported")


CASED = ["cased_words", "cased_whitespace", pytest.param("cased_moses", marks=needs_moses)]


@pytest.mark.parametrize("tokens", CASED)
def test_cased_tokens_have_rows_of_their_own(tmp_path: Path, tokens: EncoderTokens) -> None:
    (tmp_path / "v.txt").write_text("apple 1 2\nApple 3 5\nof 7 7\n")
    SentenceEncoder.from_vectors(str(tmp_path / "v.txt"), tokens).save(tmp_path / "avg")
    encoder = SentenceEncoder.load(tmp_path / "avg")
    text = json.loads((tmp_path / "avg/config.json").read_text())["text"]
    assert (text["tokens"], text["lower_case"]) == (tokens, False)
    (vocabulary,) = encoder.vocabularies.values()
    assert vocabulary.ids("Apple of apple APPLE") == [2, 3, 1, 0]
    assert encoder.encode(["apple", "Apple", "Apple of"]).tolist() == [[1, 2], [3, 5], [5, 6]]


@pytest.mark.parametrize("tokens", CASED)
@pytest.mark.parametrize("units", ["trigrams", "subwords"])
def test_trigrams_and_subwords_of_cased_tokens_keep_their_case(
    tmp_path: Path, units: Units, tokens: EncoderTokens
) -> None:
    pairs = PairList(["ABC ABD XBC", "abc abd"], ["XBC abd", "ABC xbc"])
    text = TextOptions(units=units, tokens=tokens, subword_size=30)
    options = TrainOptions(encoder=AveragingOptions(dimension=4), epochs=1, text=text, seed=3)
    train_encoder(pairs, options, tmp_path / "avg", tmp_path / "scratch")
    (vocabulary,) = SentenceEncoder.load(tmp_path / "avg").vocabularies.values()
    assert {character for unit in vocabulary.entries for character in unit} >= set("ABCDXabcdx")
    assert vocabulary.ids("ABC") != vocabulary.ids("abc")
    ids = RowIndex(vocabulary).token_ids(pa.array(["ABC xbc", "abd"]))
    assert ids.ids.tolist() == vocabulary.ids("ABC xbc") + vocabulary.ids("abd")


def test_without_sacremoses_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    moses_tokens._tokenizer.cache_clear()
    with pytest.raises(ModelError, match="pip install 'sacremoses>=0.1.1,<1'"):
        words("a", "moses")


def test_tuning_refuses_moses_tokens() -> None:
    for tokens in ("moses", "cased_moses"):
        with pytest.raises(RecipeError, match="no Moses tokens"):
            Tuning(data="d", options=TrainOptions(text=TextOptions(tokens=tokens)))


def test_commands_state_the_tokens_of_word_vectors(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("a 1 2\nb. 0 3\nb 1 0\n. 3 3\n")
    (tmp_path / "sts").mkdir()
    (tmp_path / "sts/STS.input.x.txt").write_text("a b.\tb\nb\tb.\na\ta b.\n")
    (tmp_path / "sts/STS.gs.x.txt").write_text("1\n2\n3\n")
    (tmp_path / "text").write_text("a b.\n")
    run = CliRunner().invoke
    cut = {"words": "3", "whitespace": "2"}
    for tokens in cut:
        result = run(
            app,
            [
                "embed",
                str(tmp_path / "v.txt"),
                str(tmp_path / "text"),
                str(tmp_path / f"{tokens}.npy"),
                "--tokens",
                tokens,
            ],
        )
        assert result.exit_code == 0 and f"tokens: {tokens}" in result.output, result.output
    assert np.load(tmp_path / "words.npy").tolist() == [[np.float32(5 / 3), np.float32(5 / 3)]]
    assert np.load(tmp_path / "whitespace.npy").tolist() == [[0.5, 2.5]]
    for arguments in ([], ["--tokens", "whitespace"]):
        result = run(app, ["evaluate", str(tmp_path / "v.txt"), str(tmp_path / "sts"), *arguments])
        assert f"tokens: {arguments[-1] if arguments else 'words'}; knows 100.0 %" in result.output, (
            result.output
        )

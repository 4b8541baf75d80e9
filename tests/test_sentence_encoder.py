import json
from pathlib import Path

import numpy as np
import pytest
import torch
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from paranmt.errors import ModelError, RecipeError
from paranmt.models.encoders.embedding import UnitEncoder
from paranmt.models.encoders.kinds import ENCODERS
from paranmt.models.encoders.options import EncoderOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.token_ids import TokenIds
from paranmt.models.encoders.vocabulary import Vocabulary

_ROWS = 9


def _encoder(name: str, **options: float) -> UnitEncoder:
    torch.manual_seed(1)
    return ENCODERS[name](_ROWS, EncoderOptions(type=name, dimension=4, **options))  # type: ignore[arg-type]


@pytest.fixture
def model() -> SentenceEncoder:
    return SentenceEncoder(_encoder("avg"), Vocabulary([f"w{row}" for row in range(1, _ROWS)]))


def test_masked_mean_by_hand() -> None:
    encoder = _encoder("avg")
    with torch.no_grad():
        encoder.embedding.weight.copy_(torch.arange(_ROWS)[:, None] * torch.tensor([1.0, 10.0, 0.0, -1.0]))
    vectors = encoder(torch.tensor([[1, 2, 6], [4, 8, 8], [7, 7, 7]]), torch.tensor([3, 1, 0]))
    assert vectors.tolist() == [[3.0, 30.0, 0.0, -3.0], [4.0, 40.0, 0.0, -4.0], [0.0, 0.0, 0.0, 0.0]]


@settings(deadline=None)
@given(
    name=st.sampled_from(sorted(ENCODERS)),
    sentences=st.lists(st.lists(st.integers(0, _ROWS - 1), max_size=6), min_size=1, max_size=5),
    padding=st.integers(0, 4),
)
def test_padding_changes_nothing(name: str, sentences: list[list[int]], padding: int) -> None:
    encoder = _encoder(name).eval()
    ids, lengths = TokenIds.of(sentences).padded()
    garbage = torch.full((len(sentences), padding), 10**6)
    wider = torch.cat([ids, garbage], dim=1)
    wider[torch.arange(wider.shape[1]) >= lengths[:, None]] = 10**6
    together = encoder(wider, lengths)
    for sentence, vector in zip(sentences, together, strict=True):
        alone = encoder(
            torch.tensor([sentence], dtype=torch.int64).reshape(1, -1), torch.tensor([len(sentence)])
        )[0]
        torch.testing.assert_close(vector, alone)
        assert sentence or not vector.any()


def test_word_dropout_zeroes_whole_vectors_and_keeps_the_denominator() -> None:
    encoder = _encoder("avg", word_dropout=0.5)
    with torch.no_grad():
        encoder.embedding.weight.fill_(1.0)
    ids, lengths = torch.ones(200, 4, dtype=torch.int64), torch.full((200,), 4)
    means = encoder(ids, lengths)
    assert (means == means[:, :1]).all()  # a word is there as a whole or not at all
    # Each of four words stays with weight 2 or goes: 0, 0.5, 1, 1.5 or 2.
    assert set(means[:, 0].tolist()) == {0.0, 0.5, 1.0, 1.5, 2.0}
    assert (encoder.eval()(ids, lengths) == 1).all()


def test_dropout_zeroes_single_numbers() -> None:
    encoder = _encoder("avg", dropout=0.5)
    with torch.no_grad():
        encoder.embedding.weight.fill_(1.0)
    means = encoder(torch.ones(100, 1, dtype=torch.int64), torch.ones(100, dtype=torch.int64))
    assert set(means.flatten().tolist()) == {0.0, 2.0}
    assert not (means == means[:, :1]).all()


@pytest.mark.parametrize(
    "options", [{"dropout": 0.1, "word_dropout": 0.1}, {"dropout": 1.0}, {"dimension": 0}]
)
def test_wrong_options(options: dict[str, float]) -> None:
    with pytest.raises(RecipeError):
        EncoderOptions(**options)  # type: ignore[arg-type]


def test_encode_keeps_order_whatever_the_batch(model: SentenceEncoder) -> None:
    sentences = ["w1 w2 w3", "", "w4", "W4 unknown", "w5 w6", "w1 w2 w3"]
    vectors = model.encode(sentences)
    assert vectors.shape == (6, 4)
    assert vectors.dtype == np.float32
    assert not vectors[1].any()
    assert (vectors[0] == vectors[5]).all()
    assert (model.encode(sentences, batch=1) == vectors).all()
    table = model.encoder.embedding.weight.detach().numpy()
    np.testing.assert_allclose(vectors[3], (table[4] + table[0]) / 2, rtol=1e-6)
    assert model.encode([]).shape == (0, 4)


def test_save_and_load_are_byte_identical(model: SentenceEncoder, tmp_path: Path) -> None:
    model.save(tmp_path / "one")
    loaded = SentenceEncoder.load(tmp_path / "one")
    loaded.save(tmp_path / "two")
    names = {"config.json", "model.safetensors", "vocabulary.txt"}
    assert {path.name for path in (tmp_path / "one").iterdir()} == names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    sentences = ["w1 w3", "w8 x"]
    assert (loaded.encode(sentences) == model.encode(sentences)).all()


def test_the_config_has_the_text_options(tmp_path: Path) -> None:
    SentenceEncoder(
        _encoder("avg"), Vocabulary([str(row) for row in range(8)], "trigrams", "whitespace")
    ).save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config["text"] == {"units": "trigrams", "tokens": "whitespace", "lower_case": True}
    vocabulary = SentenceEncoder.load(tmp_path).vocabulary
    assert (vocabulary.units, vocabulary.tokens) == ("trigrams", "whitespace")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "vocabulary.txt"])
@pytest.mark.parametrize("damage", ["missing", "cut", "flipped", "empty"])
def test_damaged_folders(model: SentenceEncoder, tmp_path: Path, name: str, damage: str) -> None:
    model.save(tmp_path)
    path = tmp_path / name
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        flipped = bytes([content[0] ^ 1]) + content[1:]
        path.write_bytes({"cut": content[:-7], "flipped": flipped, "empty": b""}[damage])
    with pytest.raises(ModelError, match=r"config\.json|model\.safetensors|vocabulary\.txt"):
        SentenceEncoder.load(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "expected the format 'paranmt-encoder-1', got 'other'"),
        ({"encoder": {"type": "avgg"}}, "expected an encoder of type avg"),
        ({"encoder": {"type": "avg", "widht": 3}}, "no option widht"),
        ({"encoder": {"type": "avg", "dimension": 5}}, "does not fit the config"),
        ({"encoder": {"type": "avg", "dimension": "many"}}, "not the config"),
        ({"encoder": {"type": "avg", "dropout": 2}}, "the encoder's options are wrong"),
        ({"rows": 8}, "has 8 rows and the vocabulary 9"),
        (
            {"text": {"units": "bytes", "tokens": "words", "lower_case": True}},
            "does not know the text options",
        ),
        (
            {"text": {"units": "words", "tokens": "words", "lower_case": False}},
            "does not know the text options",
        ),
        ({"text": None}, "not the config"),
    ],
)
def test_wrong_configs(
    model: SentenceEncoder, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    model.save(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **change}), encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        SentenceEncoder.load(tmp_path)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        (
            {"embedding.weight": torch.zeros(9, 4, dtype=torch.bfloat16)},
            "should be torch.float32 .*bfloat16",
        ),
        ({"embedding.weight": torch.zeros(9, 5)}, r"of shape \(9, 4\), but it is .* \(9, 5\)"),
        ({"weight": torch.zeros(9, 4)}, "expected the tensors embedding.weight, got weight"),
        ({}, "got none"),
    ],
)
def test_weights_of_another_encoder(
    model: SentenceEncoder, tmp_path: Path, tensors: dict[str, torch.Tensor], message: str
) -> None:
    model.save(tmp_path)
    save_file(tensors, tmp_path / "model.safetensors")
    path = tmp_path / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["xxh3"]["model.safetensors"] = xxhash.xxh3_64_hexdigest(
        (tmp_path / "model.safetensors").read_bytes()
    )
    path.write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelError, match=message) as raised:
        SentenceEncoder.load(tmp_path)
    assert "\n" not in str(raised.value)


def test_token_ids_take_and_pad() -> None:
    ids = TokenIds.of([[1, 2], [], [3, 4, 5]])
    taken = ids.take(np.array([2, 1, 0, 2]))
    assert taken.ids.tolist() == [3, 4, 5, 1, 2, 3, 4, 5]
    padded, lengths = taken.padded()
    assert padded.tolist() == [[3, 4, 5], [0, 0, 0], [1, 2, 0], [3, 4, 5]]
    assert lengths.tolist() == [3, 0, 2, 3]

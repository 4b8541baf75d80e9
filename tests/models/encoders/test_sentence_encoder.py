import json
from pathlib import Path

import numpy as np
import pytest
import torch
import xxhash
from safetensors.torch import save_file

from paranmt.base.errors import ModelError, RecipeError
from paranmt.models.encoders.encoder import Encoder
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.token_ids import TokenIds
from paranmt.models.encoders.vocabulary import Vocabulary

_ROWS = 9


def _encoder() -> Encoder:
    return draw_weights(AveragingOptions(dimension=4).build({"words": _ROWS}, "words"), 1)


@pytest.fixture
def model() -> SentenceEncoder:
    return SentenceEncoder(_encoder(), Vocabulary([f"w{row}" for row in range(1, _ROWS)]))


@pytest.mark.parametrize(
    "options", [{"dropout": 0.1, "word_dropout": 0.1}, {"dropout": 1.0}, {"dimension": 0}]
)
def test_wrong_options(options: dict[str, float]) -> None:
    with pytest.raises(RecipeError):
        AveragingOptions(**options)  # type: ignore[arg-type]


def test_encode_keeps_order_whatever_the_batch(model: SentenceEncoder) -> None:
    sentences = ["w1 w2 w3", "", "w4", "W4 unknown", "w5 w6", "w1 w2 w3"]
    vectors = model.encode(sentences)
    assert vectors.shape == (6, 4)
    assert vectors.dtype == np.float32
    assert not vectors[1].any()
    assert (vectors[0] == vectors[5]).all()
    assert (model.encode(sentences, batch=1) == vectors).all()
    table = model.encoder.get_parameter("embedding.weight").detach().numpy()
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
    vocabulary = Vocabulary([str(row) for row in range(8)], "trigrams", "whitespace")
    encoder = AveragingOptions(dimension=4).build({"trigrams": _ROWS}, "trigrams")
    SentenceEncoder(encoder, vocabulary).save(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config["text"] == {
        "units": "trigrams",
        "tokens": "whitespace",
        "lower_case": True,
        "tags": "none",
    }
    (vocabulary,) = SentenceEncoder.load(tmp_path).vocabularies.values()
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
        ({"format": "other"}, "expected the format 'paranmt-encoder-1' or .*, got 'other'"),
        ({"encoder": {"type": "avgg"}}, "expected an encoder of type avg"),
        ({"encoder": {"type": "avg", "widht": 3}}, "no option widht"),
        ({"encoder": {"type": "avg", "dimension": 5}}, "does not fit the config"),
        ({"encoder": {"type": "avg", "dimension": "many"}}, "dimension must be a whole number, not many"),
        ({"encoder": {"type": "avg", "dropout": 2}}, "the encoder's options are wrong"),
        ({"rows": 8}, "has 8 rows and the vocabulary 9"),
        (
            {"text": {"units": "bytes", "tokens": "words", "lower_case": True, "tags": "none"}},
            "does not know the text options",
        ),
        (
            {"text": {"units": "words", "tokens": "words", "lower_case": False, "tags": "none"}},
            "does not know the text options",
        ),
        (
            {"text": {"units": "words", "tokens": "words", "lower_case": True, "tags": "ends"}},
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


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_weights_that_are_not_finite(model: SentenceEncoder, tmp_path: Path, number: float) -> None:
    next(model.encoder.parameters()).data[1, 0] = number
    model.save(tmp_path)
    with pytest.raises(ModelError, match=r"model\.safetensors: some of the numbers of .* are not finite"):
        SentenceEncoder.load(tmp_path)


def test_token_ids_take_and_pad() -> None:
    ids = TokenIds.of([[1, 2], [], [3, 4, 5]])
    taken = ids.take(np.array([2, 1, 0, 2]))
    assert taken.ids.tolist() == [3, 4, 5, 1, 2, 3, 4, 5]
    padded, lengths = taken.padded()
    assert padded.tolist() == [[3, 4, 5], [0, 0, 0], [1, 2, 0], [3, 4, 5]]
    assert lengths.tolist() == [3, 0, 2, 3]

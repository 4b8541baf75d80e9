"""Folders of sentence-transformers models as encoders: what is read, and what is refused."""

import importlib.util
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import safetensors.torch
import torch
from corpus import recipe_text
from runs import go, load

from paranmt.base.errors import ModelError
from paranmt.models.encoders.loading import load_encoder

OWN = "sentence_transformers.models"
WORDS = "a cat dog two men the old sees hears red boat sea in morning at night . !".split()
needs_package = pytest.mark.skipif(
    importlib.util.find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)


def write_folder(folder: Path, *types: str, **files: object) -> Path:
    """A folder whose modules have these types, with empty weights and no more JSON files than `files`."""
    modules = [{"idx": i, "name": str(i), "path": f"{i}_m", "type": kind} for i, kind in enumerate(types)]
    folder.mkdir()
    for module in modules:
        (folder / module["path"]).mkdir(parents=True)
        (folder / module["path"] / "model.safetensors").write_bytes(b"")
    (folder / "modules.json").write_text(json.dumps(modules))
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    ("types", "files", "message"),
    [
        (["modeling_custom.Transformer"], {}, "own modules Transformer, .*, got modeling_custom.Transformer"),
        ([f"{OWN}.Transformer", f"{OWN}.Router"], {}, "got sentence_transformers.models.Router"),
        (["os.system"], {}, "got os.system"),
        ([f"{OWN}.Transformer"], {"config": {"auto_map": {"AutoModel": "m.M"}}}, "config.json asks for code"),
        ([f"{OWN}.Pooling"], {"tokenizer_config": {"auto_map": {}}}, "asks for code of its own"),
        ([f"{OWN}.Transformer"], {"adapter_config": {}}, "expected a whole model, got an adapter"),
        ([f"{OWN}.Transformer"], {"config": []}, "expected a JSON dict, got list"),
        ([], {"modules": {}}, "expected a JSON list, got dict"),
        ([], {"modules": [{"type": f"{OWN}.Transformer", "path": "../x"}]}, "leads out of the folder"),
        ([], {"modules": [{"type": f"{OWN}.Transformer", "path": "/"}]}, "leads out of the folder"),
    ],
)
def test_a_folder_that_asks_for_more_than_data_is_refused(
    tmp_path: Path, types: list[str], files: dict, message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        load_encoder(write_folder(tmp_path / "model", *types, **files))


@pytest.mark.parametrize("kind", ["Transformer", "Dense"])
def test_pickled_weights_are_refused(tmp_path: Path, kind: str) -> None:
    folder = write_folder(tmp_path / "model", f"{OWN}.{kind}")
    (folder / "0_m" / "model.safetensors").rename(folder / "0_m" / "pytorch_model.bin")
    with pytest.raises(ModelError, match="expected weights as safetensors, because pickles"):
        load_encoder(folder)


def test_the_error_names_the_extra_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match="pip install 'sentence-transformers>=6,<7'"):
        load_encoder(write_folder(tmp_path / "model", f"{OWN}.Transformer", f"{OWN}.Pooling"))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a transformer of one layer with random weights."""
    import torch
    from sentence_transformers import SentenceTransformer, models
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("tiny")
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in [*special, *WORDS]))
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder / "bert")
    config = BertConfig(
        vocab_size=len(special) + len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    BertModel(config).save_pretrained(folder / "bert")
    bert = models.Transformer(str(folder / "bert"))
    SentenceTransformer(modules=[bert, models.Pooling(16)], device="cpu").save(str(folder / "model"))
    return folder / "model"


@needs_package
def test_its_vectors_are_the_means_of_the_last_layer(tiny: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    sentences = ["a dog sees the boat .", "two men", "a dog sees the boat ."]
    vectors = load_encoder(tiny).encode(sentences)
    assert vectors.dtype == np.float32 and vectors.shape == (3, 16)
    model, tokenizer = AutoModel.from_pretrained(tiny), AutoTokenizer.from_pretrained(tiny)
    for sentence, vector in zip(sentences, vectors, strict=True):
        with torch.no_grad():
            states = model(**tokenizer(sentence, return_tensors="pt")).last_hidden_state
        assert vector == pytest.approx(states[0].mean(0).numpy(), abs=1e-5)


def rewritten(folder: Path, target: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> Path:
    """A copy of a model's folder in which the tensors are changed."""
    shutil.copytree(folder, target)
    file = target / "model.safetensors"
    tensors = safetensors.torch.load_file(file)
    change(tensors)
    safetensors.torch.save_file(tensors, file, {"format": "pt"})
    return target


def without(*names: str) -> Callable[[dict[str, torch.Tensor]], None]:
    def remove(tensors: dict[str, torch.Tensor]) -> None:
        for name in names or list(tensors):
            del tensors[name]

    return remove


@needs_package
def test_missing_tensors_are_an_error(tiny: Path, tmp_path: Path) -> None:
    """transformers gives them random numbers."""
    word = "embeddings.word_embeddings.weight"
    with pytest.raises(ModelError, match=f"model lacks 1 of the model's tensors, {word}"):
        load_encoder(rewritten(tiny, tmp_path / "model", without(word)))
    with pytest.raises(ModelError, match=r"lacks \d\d of the model's tensors, embeddings"):
        load_encoder(rewritten(tiny, tmp_path / "none", without()))
    pooler = without("pooler.dense.weight", "pooler.dense.bias")
    vectors = load_encoder(rewritten(tiny, tmp_path / "pooler", pooler)).encode(["a dog"])
    assert np.array_equal(vectors, load_encoder(tiny).encode(["a dog"]))


@needs_package
@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_are_an_error(tiny: Path, tmp_path: Path, number: float) -> None:
    def spoil(tensors: dict[str, torch.Tensor]) -> None:
        tensors["embeddings.LayerNorm.bias"][3] = number

    with pytest.raises(ModelError, match=r"some of the numbers of .*LayerNorm\.bias are not finite"):
        load_encoder(rewritten(tiny, tmp_path / "model", spoil))


@needs_package
def test_a_damaged_model_is_an_error(tiny: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny, tmp_path / "model")
    (tmp_path / "model/model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ModelError, match="cannot be loaded by sentence-transformers"):
        load_encoder(tmp_path / "model")


@needs_package
def test_a_run_with_such_an_encoder(tiny: Path, tmp_path: Path) -> None:
    recipe = load(
        tmp_path,
        recipe_text(tmp_path, {"first": 60}),
        f"scores={{paraphrase_similarity: {{encoder: {{path: {tiny}}}}}}}",
        f"evaluate={{sts: {{encoder: {{path: {tiny}}}, data: {tmp_path / 'sts'}}}}}",
        *("select={}", "train={}", "release={}", "duplicates={}"),
    )
    go(recipe)
    release = pq.read_table(tmp_path / "work/release/data").to_pylist()
    encoder = load_encoder(tiny)
    for row in release[::7]:
        one, other = encoder.encode([row["reference"], row["translation"]])
        expected = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert row["paraphrase_similarity"] == pytest.approx(expected, abs=1e-5)
    results = json.loads((tmp_path / "work/evaluate/sts/results.json").read_text())
    assert results["rows"][0]["pairs"] == 40 and results["rows"][0]["pearson"] is not None

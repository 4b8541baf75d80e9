import argparse
import os
import pickle
from pathlib import Path

import pytest
import torch
from nmt_models import write_model

from paranmt.base.errors import ModelError
from paranmt.models.translation.fairseq_checkpoint import check_precision_holds, load_checkpoint
from paranmt.models.translation.fairseq_files import average_checkpoints, read_checkpoint, read_dictionary
from paranmt.models.translation.model_folder import read_model_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "model", updates=0)


def raw(folder: Path) -> dict[str, object]:
    with torch.serialization.safe_globals([argparse.Namespace]):
        return torch.load(folder / "model.pt", weights_only=True)


def change(folder: Path, **settings: object) -> None:
    content = raw(folder)
    content["args"] = argparse.Namespace(**{**vars(content["args"]), **settings})
    torch.save(content, folder / "model.pt")


def rename(folder: Path, old: str, new: str | None) -> None:
    content = raw(folder)
    tensor = content["model"].pop(old)
    if new is not None:
        content["model"][new] = tensor
    torch.save(content, folder / "model.pt")


def refused(folder: Path, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        load_checkpoint(read_model_folder(str(folder)))


class Payload:
    """Unpickled without care, it makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("place", ["top", "args", "model"])
def test_a_checkpoint_that_asks_to_run_something_runs_nothing(
    place: str, folder: Path, tmp_path: Path
) -> None:
    content = raw(folder)
    trap = Payload(tmp_path / "trap")
    if place == "top":
        content["extra_state"] = trap
    elif place == "args":
        content["args"].encoder_layers = trap
    else:
        content["model"]["encoder.version"] = trap
    torch.save(content, folder / "model.pt")
    refused(folder, "tensors and settings only, but it asks for posix.mkdir")
    assert not (tmp_path / "trap").exists()


def test_a_plain_pickle_runs_nothing(folder: Path, tmp_path: Path) -> None:
    (folder / "model.pt").write_bytes(pickle.dumps(Payload(tmp_path / "trap")))
    refused(folder, "model.pt")
    assert not (tmp_path / "trap").exists()


def test_settings_are_never_evaluated(folder: Path, tmp_path: Path) -> None:
    trap = f"__import__('os').mkdir({str(tmp_path / 'trap')!r})"
    change(folder, adaptive_softmax_dropout=trap, lr=trap, eval_bleu=trap, user_dir=str(tmp_path))
    load_checkpoint(read_model_folder(str(folder)))
    assert not (tmp_path / "trap").exists()


def test_nothing_stays_allowed(folder: Path) -> None:
    before = set(torch.serialization.get_safe_globals())
    read_checkpoint(folder / "model.pt")
    assert set(torch.serialization.get_safe_globals()) == before
    assert argparse.Namespace not in before


@pytest.mark.parametrize("size", [0, 10, 1000, 20_000])
def test_a_cut_file(size: int, folder: Path) -> None:
    (folder / "model.pt").write_bytes((folder / "model.pt").read_bytes()[:size])
    refused(folder, "model.pt")


def test_a_file_that_is_not_a_checkpoint(folder: Path) -> None:
    torch.save([1, 2], folder / "model.pt")
    refused(folder, "expected a dict with tensors under 'model'")
    torch.save({"model": {"a": 1}, "args": argparse.Namespace(arch="transformer")}, folder / "model.pt")
    refused(folder, "found a: int")
    torch.save({"model": {"a": torch.zeros(1)}}, folder / "model.pt")
    refused(folder, "no settings")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"arch": "lstm"}, "architecture 'lstm' is not supported"),
        ({"arch": "transformer_lm_gpt"}, "transformer_lm_gpt"),
        ({"adaptive_input": True}, "--adaptive-input"),
        ({"cross_self_attention": True}, "--cross-self-attention"),
        ({"encoder_layers_to_keep": "0,1"}, "--encoder-layers-to-keep"),
        ({"activation_fn": "relu_squared"}, "activation 'relu_squared'"),
        ({"encoder_layers": 3}, "have 3 encoder layers, but its tensors have 2"),
        ({"decoder_attention_heads": 5}, "must divide the dimension 32, it is 5"),
        ({"decoder_attention_heads": "4"}, "must divide"),
        ({"max_source_positions": -1}, "max_source_positions must be"),
        (
            {"source_lang": "de"},
            "source_lang is 'de', but the dictionaries are dict.cs.txt, dict.en.txt",
        ),
        ({"source_lang": "../model/dict.cs"}, "source_lang is"),
        ({"target_lang": None}, "target_lang is None"),
    ],
)
def test_the_error_names_what_is_not_supported(settings: dict[str, object], told: str, folder: Path) -> None:
    change(folder, **settings)
    refused(folder, told)


def test_missing_and_unknown_tensors_are_named(folder: Path) -> None:
    rename(folder, "decoder.layers.1.fc2.bias", None)
    refused(folder, "lacks 1 tensors, the first: decoder.layers.1.fc2.bias")


def test_unknown_tensors_are_named(folder: Path) -> None:
    rename(folder, "encoder.version", "encoder.layers.0.alibi")
    refused(folder, "unsupported architecture, the first: encoder.layers.0.alibi")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_weights_that_are_not_finite(number: float, folder: Path) -> None:
    content = raw(folder)
    content["model"]["decoder.layers.1.fc2.bias"][3] = number
    torch.save(content, folder / "model.pt")
    refused(folder, r"decoder\.layers\.1\.fc2\.bias has values .*it is damaged")


def test_another_models_dictionary(folder: Path) -> None:
    with open(folder / "dict.cs.txt", "a", encoding="utf-8") as file:
        file.write("more 1\n")
    refused(folder, r"encoder.embed_tokens.weight should have shape \(45, 32\), but it has \(44, 32\)")


def test_older_names_and_half_precision_can_be_loaded(folder: Path) -> None:
    now = load_checkpoint(read_model_folder(str(folder)))
    content = raw(folder)
    tensors = content["model"]
    stem = "decoder.layers.0.self_attn"
    for kind in ("weight", "bias"):
        parts = [tensors.pop(f"{stem}.{part}_proj.{kind}") for part in "qkv"]
        tensors[f"{stem}.in_proj_{kind}"] = torch.cat(parts)
    tensors["decoder.embed_out"] = tensors.pop("decoder.output_projection.weight")
    torch.save(content, folder / "model.pt")
    old = load_checkpoint(read_model_folder(str(folder)))
    assert now.architecture == old.architecture and now.tensors.keys() == old.tensors.keys()
    assert all(torch.equal(now.tensors[name], old.tensors[name]) for name in now.tensors)
    content["model"] = {name: tensor.half() for name, tensor in tensors.items()}
    torch.save(content, folder / "model.pt")
    half = load_checkpoint(read_model_folder(str(folder)))
    assert all(tensor.dtype == torch.float32 for tensor in half.tensors.values())


def test_nested_settings_of_newer_versions(folder: Path) -> None:
    now = load_checkpoint(read_model_folder(str(folder)))
    content = raw(folder)
    args = vars(content.pop("args"))
    content["args"] = None
    side = {
        name: {key.partition("_")[2]: value for key, value in args.items() if key.startswith(name)}
        for name in ("encoder", "decoder")
    }
    model = {"_name": "transformer", **side, "max_source_positions": 64, "max_target_positions": 64}
    content["cfg"] = {"model": model, "task": {"source_lang": "cs", "target_lang": "en"}}
    torch.save(content, folder / "model.pt")
    assert load_checkpoint(read_model_folder(str(folder))).architecture == now.architecture


def test_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "dict.cs.txt"
    path.write_text("▁a 12\nb c 3\n", encoding="utf-8")
    assert read_dictionary(path) == ["<s>", "<pad>", "</s>", "<unk>", "▁a", "b c"]
    path.write_text("a 1\nb\n", encoding="utf-8")
    with pytest.raises(ModelError, match="line 2: expected a symbol and a count, found 'b'"):
        read_dictionary(path)
    path.write_text("a 1\na 2\n", encoding="utf-8")
    with pytest.raises(ModelError, match="the symbol 'a' twice"):
        read_dictionary(path)
    path.write_bytes(b"\xff 1\n")
    with pytest.raises(ModelError, match="cannot be read"):
        read_dictionary(path)
    path.unlink()
    os.mkfifo(path)  # reading it would never end
    with pytest.raises(ModelError, match="cannot be read: expected a file"):
        read_dictionary(path)


def test_weights_that_a_precision_does_not_hold() -> None:
    weights = torch.tensor([1.0, 70_000.0])
    check_precision_holds(weights.bfloat16())
    with pytest.raises(ModelError, match="larger than 65,504, which is the most that float16 holds"):
        check_precision_holds(weights.half())


def test_average(tmp_path: Path) -> None:
    tensor = torch.ones(2, 2)
    for number, value in enumerate((1.0, 2.0, 6.0)):
        shared = tensor * value
        content = {
            "cfg": {
                "model": argparse.Namespace(arch="transformer", data="/where/it/was"),
                "task": {"data": "/where"},
            },
            "model": {"a": shared, "b": shared, "n": torch.tensor(number), "encoder.version": torch.ones(1)},
        }
        torch.save(content, tmp_path / f"{number}.pt")
    assert average_checkpoints([tmp_path / f"{number}.pt" for number in range(3)], tmp_path / "mean.pt") == 5
    mean = read_checkpoint(tmp_path / "mean.pt")
    assert torch.equal(mean.tensors["a"], tensor * 3) and mean.tensors["n"] == 2
    assert "encoder.version" not in mean.tensors
    assert mean.model["data"] == "" and mean.task["data"] == ""
    assert len(mean.raw["optimizer_history"]) == 1

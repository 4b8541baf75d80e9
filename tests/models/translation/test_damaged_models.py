"""One bit flipped anywhere in a model's files: an error, or the same model."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import pytest
import torch
from nmt_models import sentences, write_model
from safetensors.torch import load_file, save_file

from paranmt.base.checksums import CHECKSUMS, write_checksums
from paranmt.base.errors import ModelError
from paranmt.models.translation import engines
from paranmt.models.translation.ctranslate2_engine import write_ctranslate2
from paranmt.models.translation.fairseq_checkpoint import load_checkpoint
from paranmt.models.translation.fairseq_files import average_checkpoints
from paranmt.models.translation.model_folder import fetch, read_model_folder
from paranmt.models.translation.torch_engine.network_loading import load_model
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Translator

BITS = 60
Tensors = dict[str, torch.Tensor]


def flipped(path: Path, bits: int = BITS) -> Iterator[int]:
    """Damages one bit after another, drawn by a seed from the whole file; the file is whole in the end."""
    content = path.read_bytes()
    choose = random.Random(f"{path.name} {len(content)}")
    for place in sorted(choose.randrange(8 * len(content)) for _ in range(bits)):
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        yield place
    path.write_bytes(content)


def errors(path: Path, load: Callable[[], Tensors]) -> int:
    """How many flipped bits were an error; with each of the others the tensors must be the same."""
    whole, found = load(), 0
    for place in flipped(path):
        try:
            tensors = load()
        except ModelError as error:
            assert str(path) in str(error) and "\n" not in str(error)
            found += 1
        else:
            assert tensors.keys() == whole.keys(), place
            assert all(torch.equal(tensors[name], whole[name]) for name in whole), place
    return found


def weights(folder: Path) -> Tensors:
    return load_model(read_model_folder(str(folder))).members[0].tensors


def loaded(folder: Path, engine: str) -> Translator:
    options = TranslateOptions(model=str(folder), engine=engine, beam=2, max_length=12, device="cpu")
    return engines.load(engines.resolve(options), folder.parent / "cache", threads=1)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fairseq folder and its CTranslate2 folder, with checksums as `nmt-train` writes them."""
    folder = write_model(tmp_path_factory.mktemp("made") / "m", updates=20)
    (folder / "training.json").write_text("{}")
    (folder / "ctranslate2").mkdir()
    write_ctranslate2(read_model_folder(str(folder)), folder / "ctranslate2")
    for each in (folder / "ctranslate2", folder):
        write_checksums(each, but_for=("training.json",))
    return folder


def test_a_checkpoint_of_fairseq(made: Path, tmp_path: Path) -> None:
    """Its format has checksums of all but what fills the gaps between its parts."""
    shutil.copytree(made, tmp_path / "m", ignore=shutil.ignore_patterns(CHECKSUMS))
    folder = read_model_folder(str(tmp_path / "m"))
    assert errors(tmp_path / "m/model.pt", lambda: load_checkpoint(folder).tensors) > 0.8 * BITS


@pytest.mark.parametrize("is_m2m", [False, True])
def test_weights_of_hugging_face_that_torch_wrote(is_m2m: bool, tmp_path: Path) -> None:
    pytest.importorskip("transformers", reason="needs transformers to make a model")
    from m2m_models import write_m2m
    from marian_models import write_marian

    theirs = write_m2m(tmp_path, is_nllb=True) if is_m2m else write_marian(tmp_path)
    path = tmp_path / "pytorch_model.bin"
    torch.save(theirs.state_dict(), path)
    (tmp_path / "model.safetensors").unlink()
    assert errors(path, lambda: weights(tmp_path)) > 0.8 * BITS


@pytest.mark.parametrize("engine", ["torch", "fairseq", "ctranslate2"])
def test_files_that_we_wrote(engine: str, made: Path, tmp_path: Path) -> None:
    """Every bit of every file that is used is compared with the checksum beside it."""
    shutil.copytree(made, tmp_path / "m")
    folders = [tmp_path / "m", *([tmp_path / "m/ctranslate2"] if engine == "ctranslate2" else [])]
    for folder in folders:
        whole = loaded(folder, engine).translate(sentences(3, 5))
        used = read_model_folder(str(folder)).files
        assert len(used) >= 3
        for name in used:
            for _ in flipped(folder / name, 12):
                with pytest.raises(ModelError, match=name.replace(".", r"\.")):
                    loaded(folder, engine)
        (folder / "training.json").unlink(missing_ok=True)
        assert loaded(folder, engine).translate(sentences(3, 5)) == whole


def test_a_folder_without_one_of_its_files(made: Path, tmp_path: Path) -> None:
    """Without its sentencepiece model, a model's text would be split at spaces."""
    shutil.copytree(made, tmp_path / "m")
    (tmp_path / "m/spm.model").write_text("subwords")
    write_checksums(tmp_path / "m", but_for=("training.json",))
    (tmp_path / "m/spm.model").unlink()
    with pytest.raises(ModelError, match=f"/m has no spm.model, which {CHECKSUMS} lists; fetch or copy"):
        loaded(tmp_path / "m", "torch")
    remote = fsspec.filesystem("memory")
    remote.put(f"{tmp_path}/m/", "/without/", recursive=True)
    try:
        with pytest.raises(ModelError, match=r"^memory:///?without has no spm\.model"):
            fetch(read_model_folder("memory://without"), tmp_path / "cache")
    finally:
        remote.rm("/without", recursive=True)


def test_checksums_that_are_damaged_or_no_longer_wanted(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "ctranslate2", tmp_path / "m")
    (tmp_path / "m/config.json").write_text((tmp_path / "m/config.json").read_text() + "\n")
    with pytest.raises(ModelError, match=rf"config\.json is damaged: .* or remove {CHECKSUMS} if you"):
        loaded(tmp_path / "m", "ctranslate2")
    (tmp_path / "m" / CHECKSUMS).write_text("{")
    with pytest.raises(ModelError, match=f"{CHECKSUMS} cannot be used"):
        loaded(tmp_path / "m", "ctranslate2")
    (tmp_path / "m" / CHECKSUMS).unlink()
    assert loaded(tmp_path / "m", "ctranslate2").translate(sentences(1, 3))[0]


def test_a_folder_that_is_fetched_is_compared_with_its_checksums(made: Path, tmp_path: Path) -> None:
    remote = fsspec.filesystem("memory")
    remote.put(f"{made}/", "/made/", recursive=True)
    try:
        folder = read_model_folder("memory://made/ctranslate2")
        content = bytearray(remote.cat_file("/made/ctranslate2/model.bin"))
        content[len(content) // 2] ^= 1
        remote.pipe("/made/ctranslate2/model.bin", bytes(content))
        with pytest.raises(ModelError, match=r"^memory://.*model\.bin is damaged: its checksum"):
            fetch(folder, tmp_path)
        content[len(content) // 2] ^= 1
        remote.pipe("/made/ctranslate2/model.bin", bytes(content))
        assert loaded(Path(fetch(folder, tmp_path).url), "ctranslate2").translate(sentences(1, 3))[0]
    finally:
        remote.rm("/made", recursive=True)


def test_a_damaged_checkpoint_is_not_averaged(made: Path, tmp_path: Path) -> None:
    for name in ("checkpoint1.pt", "checkpoint2.pt"):
        shutil.copyfile(made / "model.pt", tmp_path / name)
    content = bytearray((tmp_path / "checkpoint1.pt").read_bytes())
    content[len(content) // 2] ^= 1 << 3
    (tmp_path / "checkpoint1.pt").write_bytes(content)
    with pytest.raises(ModelError, match=r"checkpoint1\.pt cannot be read .*the checksum of .* is wrong"):
        average_checkpoints([tmp_path / "checkpoint1.pt", tmp_path / "checkpoint2.pt"], tmp_path / "m.pt")


@pytest.mark.parametrize("way", ["the older format", "no checksums"])
def test_files_without_checksums_are_read(way: str, made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "m", ignore=shutil.ignore_patterns(CHECKSUMS))
    whole = weights(tmp_path / "m")
    content = torch.load(tmp_path / "m/model.pt", weights_only=False)
    torch.serialization.set_crc32_options(way != "no checksums")
    try:
        is_zip = way == "no checksums"
        torch.save(content, tmp_path / "m/model.pt", _use_new_zipfile_serialization=is_zip)
    finally:
        torch.serialization.set_crc32_options(True)
    found = weights(tmp_path / "m")
    assert all(torch.equal(found[name], whole[name]) for name in whole)


@pytest.mark.parametrize("form", ["model.pt", "pytorch_model.bin", "model.safetensors"])
def test_whole_numbers_are_no_weights(form: str, made: Path, tmp_path: Path) -> None:
    """As a quantised model has them, whose scales are elsewhere."""
    name = "encoder.layers.0.fc1.weight"
    if form == "model.pt":
        shutil.copytree(made, tmp_path, dirs_exist_ok=True)
        content = torch.load(tmp_path / form, weights_only=False)
        content["model"][name] = content["model"][name].mul(10).to(torch.int8)
        torch.save(content, tmp_path / form)
    else:
        pytest.importorskip("transformers", reason="needs transformers to make a model")
        from marian_models import as_downloaded, write_marian

        theirs = write_marian(tmp_path)
        tensors = load_file(tmp_path / "model.safetensors")
        tensors[f"model.{name}"] = tensors[f"model.{name}"].mul(10).to(torch.int8)
        save_file(tensors, tmp_path / "model.safetensors")
        if form.endswith(".bin"):
            torch.save(tensors, as_downloaded(tmp_path, theirs))
    told = rf"{form}: expected dense floating-point tensors by name, found .*{name}: Tensor torch\.int8"
    with pytest.raises(ModelError, match=told):
        weights(tmp_path)

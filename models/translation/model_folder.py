"""Which files of a translation model's folder are used, and how they are fetched to this machine."""

import fnmatch
import logging
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Literal

import fsspec

from ...base.checksums import CHECKSUMS, check_files, is_intact, write_checksums
from ...base.documents import LARGEST_JSON, parse_json
from ...base.errors import ModelError, first_line
from ...base.file_locks import locked
from ...base.host_cache import cache_folder
from ...base.streams import file_system, open_raw, reaching
from ...base.whole_files import put_folder, temporary_folder
from ..paraphrasing.control import PARAPHRASER

logger = logging.getLogger(__name__)

_M2M_SUBWORDS = "sentencepiece.bpe.model"
_SUBWORDS = ("spm.model", _M2M_SUBWORDS)
_VOCABULARIES = ("*vocabulary.json", "*vocabulary.txt")
_MARIAN_SUBWORDS = ("source.spm", "target.spm")
_HUGGING_FACE_WEIGHTS = ("model.safetensors", "pytorch_model.bin")  # the first one is used if both are there
_WEIGHT_INDEXES = (
    "model.safetensors.index.json",
    "pytorch_model.bin.index.json",
)  # of weights in several files
_HUB_COMMIT = re.compile(r"hf://[^/@]+/[^/@]+@[0-9a-f]{40}(/[^@]*)?")
_WHICH_COMMIT = (
    "COMMIT is the 40 hex digits of a commit, which the model's page lists under Files and versions"
)
_Copy = Callable[[fsspec.AbstractFileSystem, str, Sequence[str], Path], None]
_verified: set[Path] = set()  # cached folders whose files this process has found intact


@dataclass(frozen=True)
class ModelFolder:
    """A folder with a translation model, and which of its files are used.

    `weights` is the checkpoint or `model.bin`; `vocabularies` are fairseq's dictionaries
    (`dict.<language>.txt`) or the converted model's vocabulary and config; `subwords` is the
    sentencepiece model, None if text is split at spaces. For a Marian model (OPUS-MT, in Hugging Face's
    files) `weights` is `model.safetensors` or `pytorch_model.bin`, and `vocabularies` are its config, its
    vocabularies and both sentencepiece models. The latter are also used by a Marian model that was converted
    to CTranslate2. For M2M-100 (with `vocab.json`) and NLLB-200 (without), which are of the kind `m2m100`,
    `subwords` is `sentencepiece.bpe.model`. `described` are files that are fetched with the model although no
    translation depends on them: what controls a paraphraser.
    """

    url: str
    kind: Literal["fairseq", "ctranslate2", "marian", "m2m100"]
    weights: str
    vocabularies: tuple[str, ...]
    subwords: str | None
    described: tuple[str, ...] = ()

    @property
    def fetched(self) -> list[str]:
        """The names of all files that are fetched, sorted."""
        return sorted([*self.files, *self.described])

    @property
    def files(self) -> list[str]:
        """The names of all files that a translation depends on, sorted."""
        return sorted([self.weights, *self.vocabularies, *([self.subwords] if self.subwords else [])])

    def subwords_path(self) -> Path | None:
        """The sentencepiece model of a local folder."""
        return None if self.subwords is None else Path(self.url) / self.subwords

    @property
    def has_marian_subwords(self) -> bool:
        """Whether each side has a sentencepiece model of its own."""
        return set(_MARIAN_SUBWORDS) <= set(self.vocabularies)


def read_model_folder(url: str) -> ModelFolder:
    """The model in a folder (a path or any fsspec URL); ModelError if there is none.

    A checkpoint file (`….pt`) stands for the model of its folder with these weights. A model on the Hugging
    Face hub (`hf://OWNER/NAME@COMMIT`) is fetched into this machine's cache, and its folder there returned.
    """
    with reaching(url):
        return _read_model_folder(_from_hub(url) if url.startswith("hf://") else url)


def _read_model_folder(url: str) -> ModelFolder:
    chosen = None
    filesystem, path = _located(url)
    if path.endswith(".pt") and filesystem.isfile(path):
        chosen, path, url = os.path.basename(path), os.path.dirname(path), os.path.dirname(url)
    if not filesystem.isdir(path):
        raise ModelError(f"there is no folder {url}; {where_models_come_from(url)}")
    names = sorted(
        os.path.basename(entry["name"].rstrip("/"))
        for entry in filesystem.ls(path, detail=True)
        if entry["type"] == "file"
    )
    local = path if _is_local(filesystem) else url
    described = _described(names)
    subwords = _subwords(url, names)
    if "model.bin" in names and chosen is None:
        vocabularies = _matching(names, _VOCABULARIES)
        if "config.json" not in names or not vocabularies:
            raise ModelError(
                f"{url} has a model.bin but no config.json with a vocabulary beside it: "
                "convert the model again"
            )
        settings = _matching(names, ("config.json", "paranmt.json"))
        if set(_MARIAN_SUBWORDS) <= set(names):
            settings += _MARIAN_SUBWORDS
        files = (*settings, *vocabularies)
        return ModelFolder(local, "ctranslate2", "model.bin", files, subwords, described)
    dictionaries = _matching(names, ("dict.*.txt",))
    if chosen is None and not dictionaries:
        kind = "marian" if set(_MARIAN_SUBWORDS) & set(names) else _hugging_face_kind(filesystem, path, names)
        if kind == "marian":
            return _hugging_face(
                local, names, "marian", "Marian (OPUS-MT)", ("vocab.json", *_MARIAN_SUBWORDS)
            )
        if kind == "m2m_100":
            return _hugging_face(local, names, "m2m100", "M2M-100 or NLLB-200", (_M2M_SUBWORDS,))
        if kind is not None:
            raise ModelError(
                f"{url} has a model of the type {kind!r} in Hugging Face's files; "
                "supported are 'marian' (OPUS-MT) and 'm2m_100' (M2M-100, NLLB-200)"
            )
    if not dictionaries:
        raise ModelError(
            f"{url} has neither dict.<language>.txt nor source.spm and target.spm; put the dictionaries of "
            "fairseq-preprocess beside a fairseq checkpoint, or fetch all files of a Marian (OPUS-MT), "
            "M2M-100 or NLLB-200 model"
        )
    weights = chosen or _checkpoint(url, names)
    return ModelFolder(local, "fairseq", weights, tuple(dictionaries), subwords, described)


def where_models_come_from(url: str) -> str:
    """What to do if a model's folder does not exist, as the end of a message.

    A path `OWNER/NAME` whose OWNER does not exist either may be the name of a model on the Hugging Face hub.
    """
    owner, name = os.path.split(os.path.abspath(url))
    above, owner_name = os.path.split(owner)
    if "://" not in url and owner_name and os.path.isdir(above) and not os.path.isdir(owner):
        hub = f"hf://{owner_name}/{name}@COMMIT"
        return f"if it is a model on the Hugging Face hub, write {hub}; {_WHICH_COMMIT}"
    return (
        "train a model there with `paranmt nmt-train recipe.yaml`, or name another folder, or a model on the "
        f"Hugging Face hub (OPUS-MT, NLLB-200, M2M-100) as hf://OWNER/NAME@COMMIT; {_WHICH_COMMIT}"
    )


def fetch(folder: ModelFolder, cache_dir: Path) -> ModelFolder:
    """The same folder on this machine: a local folder itself, or a copy in the cache, made once a version."""
    filesystem, path = _located(folder.url)
    if _is_local(filesystem):
        return folder
    return read_model_folder(
        str(_copied(filesystem, folder.url, path, folder.fetched, cache_dir, _copy_compared))
    )


def fetch_path(url: str, cache_dir: Path) -> Path:
    """The file or folder of a path or fsspec URL on this machine: a local one itself, or a copy in the cache,
    made once a version. ModelError if it does not exist."""
    filesystem, path = _located(url)
    if _is_local(filesystem):
        return Path(path)
    with reaching(url):
        return _fetched_path(filesystem, url, path.rstrip("/"), cache_dir)


def _fetched_path(filesystem: fsspec.AbstractFileSystem, url: str, path: str, cache_dir: Path) -> Path:
    if filesystem.isfile(path):
        parent, _, name = path.rpartition("/")
        return _copied(filesystem, url, parent, [name], cache_dir) / name
    names = sorted(file[len(path) + 1 :] for file in filesystem.find(path))
    if not names:
        raise ModelError(f"there is no file or folder {url}; correct the path")
    return _copied(filesystem, url, path, names, cache_dir)


def _copied(
    filesystem: fsspec.AbstractFileSystem,
    url: str,
    path: str,
    names: Sequence[str],
    cache_dir: Path,
    copy: _Copy | None = None,
) -> Path:
    """A folder of the cache with copies of these files of the folder `path`; `url` is the folder's URL."""
    versions = "\n".join(f"{name} {filesystem.ukey(f'{path}/{name}')}" for name in names)

    def build(target: Path) -> None:
        (copy or _copy)(filesystem, path, names, target)

    return build_once(cache_dir, f"model-{sha256(f'{url} {versions}'.encode()).hexdigest()[:24]}", build)


def _copy(filesystem: fsspec.AbstractFileSystem, path: str, names: Sequence[str], target: Path) -> None:
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        filesystem.get_file(f"{path}/{name}", str(target / name))


def _copy_compared(
    filesystem: fsspec.AbstractFileSystem, path: str, names: Sequence[str], target: Path
) -> None:
    """Copy a model's files, and compare them with the checksums beside them if we wrote some there."""
    _copy(filesystem, path, names, target)
    there = {file.rpartition("/")[2] for file in filesystem.ls(path, detail=False)}
    if CHECKSUMS in there:
        filesystem.get_file(f"{path}/{CHECKSUMS}", str(target / CHECKSUMS))
        check_files(target, names, there, filesystem.unstrip_protocol(path))


def _from_hub(url: str) -> str:
    """The folder of the cache with the files of a model on the hub; a commit's files never change, so once it
    exists the hub is not asked again."""
    if not _HUB_COMMIT.fullmatch(url):
        raise ModelError(
            f"{url}: expected hf://OWNER/NAME@COMMIT; {_WHICH_COMMIT}; "
            "what a branch or a tag names may change"
        )

    def copy(target: Path) -> None:
        filesystem, path = _located(url)
        try:
            filesystem.info(path)
        except Exception as error:  # of the hub's client, of its HTTP library or of the network
            raise ModelError(
                f"{url} is not in the cache and cannot be fetched ({first_line(error)}); check the name and "
                "the network, or name a folder with the model's files"
            ) from error
        folder = _read_model_folder(url)
        _copy_compared(filesystem, _located(folder.url)[1], folder.fetched, target)

    return str(build_once(cache_folder("models"), f"hub-{sha256(url.encode()).hexdigest()[:24]}", copy))


def check_folder(folder: ModelFolder) -> None:
    """ModelError if a file of a local folder, made by us with checksums, is not the one that was written.

    Folders of the cache were verified when they were looked up.
    """
    if Path(folder.url) not in _verified:
        check_files(Path(folder.url), folder.files)


def digest(folder: ModelFolder) -> str:
    """A hash of a local folder's files: their names and every byte."""
    total = sha256()
    for name in folder.files:
        with open(Path(folder.url) / name, "rb") as file:
            total.update(f"{name} {file_digest(file, 'sha256').hexdigest()}\n".encode())
    return total.hexdigest()


def build_once(cache_dir: Path, name: str, build: Callable[[Path], None]) -> Path:
    """The folder `name` of the cache, which `build` fills if it does not exist yet or is damaged.

    The folder appears whole or not at all, even if processes are killed. Its files have checksums, which each
    process verifies once. If several processes of a host need it at once, one builds it and the others wait.
    On a file system that hosts share without locks, several may build it; all use the first finished result.
    """
    target = cache_dir / name
    if _is_usable(target):
        return target
    cache_dir.mkdir(parents=True, exist_ok=True)
    lock = cache_dir / f".{name}.lock"
    with locked(lock, wait=True):
        try:
            if not _is_usable(target):
                if target.is_dir():
                    logger.warning("%s is damaged; it is made again", target)
                _build(cache_dir, name, build)
                _verified.add(target)
        finally:
            lock.unlink(missing_ok=True)
    return target


def _is_usable(target: Path) -> bool:
    if not target.is_dir():
        return False
    if target not in _verified and is_intact(target):
        _verified.add(target)
    return target in _verified


def _build(cache_dir: Path, name: str, build: Callable[[Path], None]) -> None:
    with temporary_folder(cache_dir) as aside:
        made = aside / "made"
        made.mkdir()
        build(made)
        write_checksums(made)
        put_folder(made, cache_dir / name, is_intact)


def _hugging_face(
    url: str, names: Sequence[str], kind: Literal["marian", "m2m100"], called: str, needs: Sequence[str]
) -> ModelFolder:
    """A folder with the `config.json` and the weights of Hugging Face's, and these other files."""
    weights = _matching(names, (*_HUGGING_FACE_WEIGHTS, *_WEIGHT_INDEXES))
    needed = ("config.json", *needs)
    missing = [name for name in needed if name not in names]
    if not weights:
        missing.append(" or ".join(_HUGGING_FACE_WEIGHTS))
    if missing:
        raise ModelError(
            f"{url} is a model of the kind {called} without {', '.join(missing)}; "
            "fetch all files that Hugging Face's hub has of it"
        )
    files = _matching(names, (*needed, "vocab.json", "target_vocab.json"))
    if weights[0] in _WEIGHT_INDEXES:
        pieces = weight_files(f"{url.rstrip('/')}/{weights[0]}")
        if gone := sorted(set(pieces) - set(names)):
            raise ModelError(
                f"{url} lacks {', '.join(gone)}, which {weights[0]} names; fetch all files of the model"
            )
        files += pieces
    subwords = _M2M_SUBWORDS if kind == "m2m100" else None
    files = [name for name in files if name != subwords]
    return ModelFolder(url, kind, weights[0], tuple(files), subwords, _described(names))


def weight_files(index: str) -> list[str]:
    """The names of the files over which an index of Hugging Face's distributes the weights, sorted."""
    try:
        with open_raw(index) as file:
            content = parse_json(file.read(LARGEST_JSON))
        return sorted({_name_of_weights(name) for name in content["weight_map"].values()})
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ModelError(
            f"{index} cannot be read ({first_line(error)}): expected a weight_map with the names of files "
            "in the same folder"
        ) from error


def _name_of_weights(name: object) -> str:
    if not isinstance(name, str) or not re.fullmatch(r"[\w-][\w.-]*\.(safetensors|bin)", name):
        raise ValueError(f"{name!r} is no name of weights")
    return name


def _hugging_face_kind(filesystem: fsspec.AbstractFileSystem, path: str, names: Sequence[str]) -> str | None:
    """The `model_type` that a folder's `config.json` names; None if there is none."""
    if "config.json" not in names:
        return None
    try:
        settings = parse_json(filesystem.cat_file(f"{path.rstrip('/')}/config.json", 0, LARGEST_JSON))
    except ValueError:
        return None
    kind = settings.get("model_type") if isinstance(settings, dict) else None
    return kind if isinstance(kind, str) else None


def _located(url: str) -> tuple[fsspec.AbstractFileSystem, str]:
    return file_system(url) if "://" in url else fsspec.core.url_to_fs(url)


def _is_local(filesystem: fsspec.AbstractFileSystem) -> bool:
    return isinstance(filesystem, fsspec.implementations.local.LocalFileSystem)


def _matching(names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    return [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


def _described(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(_matching(names, (PARAPHRASER,)))


def _checkpoint(url: str, names: list[str]) -> str:
    if "model.pt" in names:
        return "model.pt"
    checkpoints = _matching(names, ("*.pt",))
    if len(checkpoints) != 1:
        listed = ", ".join(checkpoints) or "none"
        raise ModelError(
            f"{url}: expected model.pt or exactly one *.pt file, found {listed}; "
            "rename the one to use to model.pt"
        )
    return checkpoints[0]


def _subwords(url: str, names: list[str]) -> str | None:
    for name in _SUBWORDS:
        if name in names:
            return name
    models = _matching(names, ("*.model",))
    if len(models) > 1:
        raise ModelError(
            f"{url}: expected one sentencepiece model, found {', '.join(models)}; "
            "rename the one to use to spm.model"
        )
    return models[0] if models else None

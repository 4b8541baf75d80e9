"""Train a translation model on a bitext: subwords, a transformer, the average of its last epochs."""

import dataclasses
import json
import logging
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import sacrebleu
import xxhash

from ... import install
from ...base.checksums import write_checksums
from ...base.errors import RecipeError
from ...base.outputs import check_absent, put_new_folder
from ...base.whole_files import temporary_folder
from . import engines
from .ctranslate2_engine import write_ctranslate2
from .fairseq_files import average_checkpoints
from .model_folder import read_model_folder
from .nmt_options import PRESETS, NmtOptions
from .nmt_text import NmtText, Pair, prepare_text
from .torch_files import is_whole
from .translate_options import TranslateOptions

logger = logging.getLogger(__name__)

REPORT = "training.json"
"""The file of a model's folder that says how it was trained, for people."""

_KEPT = "nmt-"
"""Begins the names of folders with checkpoints; the hash of a training follows."""


@dataclass(frozen=True)
class NmtProgress:
    """A training's progress.

    loss: in nats a target token, without label smoothing; None at first. share: of all updates, from 0 to 1.
    """

    step: Literal["text", "train", "export", "measure"]
    epoch: int = 0
    epochs: int = 0
    updates: int = 0
    loss: float | None = None
    dev_loss: float | None = None
    share: float = 0.0


@dataclass(frozen=True)
class NmtResult:
    """The result of a training. `dev_bleu` is sacreBLEU (0 to 100) at beam 5 on the development pairs."""

    folder: str
    train_pairs: int
    dev_pairs: int
    skipped_pairs: int
    parameters: int
    updates: int
    dev_loss: float
    dev_bleu: float
    seconds: float


def train_nmt(
    pairs: Iterable[Pair],
    out: Path,
    options: NmtOptions,
    progress: Callable[[NmtProgress], None] | None = None,
    scratch: Path | None = None,
    symbols: Sequence[str] = (),
) -> NmtResult:
    """Train on (source, reference) pairs and write the model's folder `out`.

    The folder holds `model.pt`, a `dict.<language>.txt` for both languages, `spm.model`, `training.json`
    (options, sizes, figures), and `ctranslate2/`, the same model for CTranslate2; both folders have checksums
    of their files. It appears when everything is done; a training that is killed leaves at most a hidden
    folder beside it.

    scratch: a folder for checkpoints. With it, a training with the same text and options goes on after the
    last checkpoint of one that was killed, perhaps on another machine; see `clear_checkpoints`. symbols:
    words that are never cut into subwords. RecipeError for options and InputError for pairs that cannot be
    trained with, or if `out` exists.
    """
    _check(options)
    check_absent(out, "folder")
    report = progress or (lambda _: None)
    start = time.monotonic()
    with temporary_folder(out.parent) as aside:
        model = aside / "model"
        (aside / "text").mkdir()
        model.mkdir()
        report(NmtProgress("text"))
        text = prepare_text(
            pairs, aside / "text", options.sizes().vocabulary, options.dev_pairs, options.seed, symbols
        )
        kept = aside if scratch is None else scratch / f"{_KEPT}{_identity(text, options)}"
        checkpoints = kept / "checkpoints"
        last = _train(text, aside, checkpoints, scratch is not None, options, report)
        report(dataclasses.replace(last, step="export"))
        parameters = _assemble(aside, checkpoints, model, text, options)
        report(dataclasses.replace(last, step="measure"))
        bleu = _dev_bleu(model, text, aside, options)
        result = NmtResult(
            folder=str(out),
            train_pairs=text.train_pairs,
            dev_pairs=text.dev_pairs,
            skipped_pairs=text.skipped,
            parameters=parameters,
            updates=last.updates,
            dev_loss=last.dev_loss if last.dev_loss is not None else float("nan"),
            dev_bleu=bleu,
            seconds=round(time.monotonic() - start, 1),
        )
        _write_report(model, result, options)
        for folder in (model / "ctranslate2", model):
            write_checksums(folder, but_for=(REPORT,))
        put_new_folder(model, out)
    return result


def clear_checkpoints(scratch: Path) -> None:
    """Remove the checkpoints that trainings keep in a scratch folder, and nothing else, once none goes on."""
    for kept in scratch.glob(f"{_KEPT}*"):
        if re.fullmatch("[0-9a-f]{16}", kept.name.removeprefix(_KEPT)):
            shutil.rmtree(kept)


def _identity(text: NmtText, options: NmtOptions) -> str:
    """Another whenever the text or an option that decides the result is another."""
    decisive = {**dataclasses.asdict(options), "device": None, "threads": None, "sizes": options.sizes()}
    digest = xxhash.xxh3_64(repr(sorted(decisive.items())).encode())
    for name in sorted(file.name for file in text.folder.iterdir() if file.is_file()):
        digest.update(name.encode())
        with open(text.folder / name, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _check(options: NmtOptions) -> None:
    missing = install.missing("fairseq")
    if missing:
        raise RecipeError(f"training a translation model needs fairseq; {missing}")
    if options.preset not in PRESETS:
        raise RecipeError(f"there is no preset {options.preset!r}; there are: {', '.join(PRESETS)}")
    for name in ("source_language", "target_language"):
        language = getattr(options, name)
        if not language.replace("-", "").replace("_", "").isalnum():
            raise RecipeError(
                f"{name} is {language!r}; it names a file, so use only letters, digits, - and _"
            )
    if options.source_language == options.target_language:
        raise RecipeError(
            f"source and target language are both {options.source_language!r}; "
            "they name two dictionaries, so use different names"
        )


def _train(
    text: NmtText,
    aside: Path,
    checkpoints: Path,
    resumable: bool,
    options: NmtOptions,
    report: Callable[[NmtProgress], None],
) -> NmtProgress:
    """Run fairseq's preprocessing and training in child processes; return the last progress."""
    threads = options.threads or int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    languages = (options.source_language, options.target_language)
    for language, side in zip(languages, ("source", "reference"), strict=True):
        for name in ("train", "dev"):
            os.replace(text.folder / f"{name}.pieces.{side}", text.folder / f"{name}.pieces.{language}")
    for _ in _fairseq("preprocess", _preprocess_options(text, aside, languages), threads):
        pass
    _restore(checkpoints)
    epochs = options.sizes().epochs
    now = NmtProgress("train", epochs=epochs)
    report(now)
    for line in _fairseq("train", _train_options(aside, checkpoints, resumable, options), threads):
        step = _read_progress(line, now, options.max_updates)
        if step is not None:
            now = step
            report(now)
    return now


def _preprocess_options(text: NmtText, aside: Path, languages: tuple[str, str]) -> list[str]:
    source, target = languages
    return [
        f"--source-lang={source}",
        f"--target-lang={target}",
        f"--trainpref={text.folder / 'train.pieces'}",
        f"--validpref={text.folder / 'dev.pieces'}",
        f"--destdir={aside / 'data'}",
        "--joined-dictionary",
    ]


def _train_options(aside: Path, checkpoints: Path, resumable: bool, options: NmtOptions) -> list[str]:
    sizes = options.sizes()
    layers = [
        f"--{side}-{name}={value}"
        for side, count in (("encoder", sizes.encoder_layers), ("decoder", sizes.decoder_layers))
        for name, value in (
            ("layers", count),
            ("embed-dim", sizes.dimension),
            ("ffn-embed-dim", sizes.feed_forward),
            ("attention-heads", sizes.heads),
        )
    ]
    search = [
        "--optimizer=adam",
        "--adam-betas=(0.9, 0.98)",
        "--clip-norm=1.0",
        f"--lr={sizes.learning_rate}",
        "--lr-scheduler=inverse_sqrt",
        f"--warmup-updates={sizes.warmup_updates}",
        f"--dropout={sizes.dropout}",
        "--criterion=label_smoothed_cross_entropy",
        "--label-smoothing=0.1",
        f"--max-tokens={sizes.batch_tokens}",
        f"--max-epoch={sizes.epochs}",
        f"--seed={options.seed}",
    ]
    if options.max_updates is not None:
        search.append(f"--max-update={options.max_updates}")
    keep = [
        f"--save-dir={checkpoints}",
        f"--keep-last-epochs={options.average_last}",
        *(_RESUMABLE if resumable else ("--no-save-optimizer-state",)),
    ]
    logs = ["--log-format=json", "--log-interval=2", "--num-workers=0"]
    on_gpu = engines.resolve(TranslateOptions(engine="fairseq", device=options.device)).device == "cuda"
    device = ["--fp16", "--distributed-world-size=1"] if on_gpu else ["--cpu"]
    task = [f"--source-lang={options.source_language}", f"--target-lang={options.target_language}"]
    shape = ["--arch=transformer", "--share-all-embeddings"]
    return [str(aside / "data"), "--task=translation", *task, *shape, *layers, *search, *keep, *logs, *device]


def _restore(checkpoints: Path) -> None:
    """Leave whole checkpoints alone, the latest one also as that which fairseq goes on after.

    Those at the end of epochs are averaged when training is over. So it goes on before the first of them that
    is damaged or gone, and makes it again. After a kill, or on another host, fairseq's own last one need not
    be a copy of the latest, so it is made again.
    """
    files = {path: _place(path) for path in checkpoints.glob("checkpoint*.pt")}
    damaged = {path for path in files if not is_whole(path)}
    ended = {place[0]: path for path, place in files.items() if place and place[1] == math.inf}
    lost = [
        epoch
        for epoch in range(min(ended, default=1), max(ended, default=0) + 1)
        if ended.get(epoch) in {None, *damaged}
    ]
    end = (min(lost, default=math.inf), math.inf)
    for path, place in files.items():
        if path in damaged or (place is not None and place >= end):
            path.unlink()
    kept = {place: path for path, place in files.items() if place and path.exists()}
    last = checkpoints / "checkpoint_last.pt"
    last.unlink(missing_ok=True)
    if kept:
        shutil.copyfile(kept[max(kept)], last)


def _place(checkpoint: Path) -> tuple[int, float] | None:
    """The epoch in which a checkpoint was written, and after how many updates, or infinity at its end.

    None for the last and the best one, which are copies of others.
    """
    match = re.fullmatch(r"checkpoint_?(\d+)(_\d+)?", checkpoint.stem)
    if match is None:
        return None
    return int(match[1]), math.inf if match[2] is None else int(match[2][1:])


_RESUMABLE = ("--save-interval-updates=1000", "--keep-interval-updates=1")
"""fairseq goes on after the last checkpoint in its folder, if that has the state of the optimizer."""


def _fairseq(tool: str, arguments: list[str], threads: int) -> Iterator[str]:
    """Lines that a tool of fairseq prints in a child process; RuntimeError with the last ones if it fails."""
    command = [sys.executable, "-m", "paranmt.models.translation.nmt_runner", tool, *arguments]
    # On shared processors, threads that wait actively make training ten times slower.
    environment = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ}
    environment |= {"OMP_NUM_THREADS": str(threads), "PYTHONUNBUFFERED": "1"}
    last: deque[str] = deque(maxlen=30)
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        text=True,
        errors="replace",
    )
    try:
        if child.stdout is None:
            raise RuntimeError("the child process has no output to read")
        for line in child.stdout:
            last.append(line)
            yield line
        if child.wait() != 0:
            raise RuntimeError(
                f"fairseq's {tool} ended with {child.returncode}; its last lines:\n{''.join(last)}"
            )
    finally:
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            if stream is not None:
                stream.close()


def _read_progress(line: str, before: NmtProgress, max_updates: int | None) -> NmtProgress | None:
    """The progress after one line of fairseq's log; None if the line reports no progress."""
    kind, _, content = line.rstrip().rpartition(" | ")
    if not content.startswith("{") or not kind.endswith((" | train_inner", " | train", " | valid")):
        return None
    try:
        values = json.loads(content)
    except ValueError:
        return None
    if kind.endswith(" | train_inner"):
        updates = int(values["num_updates"])
        share = float(values["update"]) / before.epochs  # of epochs, with the part of the present one
        return dataclasses.replace(
            before,
            epoch=int(values["epoch"]),
            updates=updates,
            loss=float(values["nll_loss"]) * _NATS,
            share=min(1.0, max(share, updates / max_updates if max_updates else 0.0)),
        )
    if kind.endswith(" | valid"):
        return dataclasses.replace(
            before, epoch=int(values["epoch"]), dev_loss=float(values["valid_nll_loss"]) * _NATS
        )
    return dataclasses.replace(before, epoch=int(values["epoch"]), updates=int(values["train_num_updates"]))


_NATS = 0.6931471805599453  # fairseq's log counts in bits


def _assemble(aside: Path, checkpoints: Path, model: Path, text: NmtText, options: NmtOptions) -> int:
    """Fill the folder `model`: checkpoint, dictionaries, subwords, and the model for CTranslate2.

    Returns the number of parameters.
    """
    places = {path: _place(path) for path in checkpoints.glob("checkpoint*.pt")}
    numbered = {place[0]: path for path, place in places.items() if place and place[1] == math.inf}
    if not numbered:
        numbered = {0: checkpoints / "checkpoint_last.pt"}
    epochs = sorted(numbered)[-options.average_last :]
    parameters = average_checkpoints([numbered[epoch] for epoch in epochs], model / "model.pt")
    for language in (options.source_language, options.target_language):
        shutil.copyfile(aside / "data" / f"dict.{language}.txt", model / f"dict.{language}.txt")
    shutil.copyfile(text.folder / "spm.model", model / "spm.model")
    (model / "ctranslate2").mkdir()
    write_ctranslate2(read_model_folder(str(model)), model / "ctranslate2")
    return parameters


def _dev_bleu(model: Path, text: NmtText, aside: Path, options: NmtOptions) -> float:
    translate_options = engines.resolve(
        TranslateOptions(model=str(model / "ctranslate2"), engine="ctranslate2", device="cpu", beam=5)
    )
    translator = engines.load(translate_options, aside / "cache", options.threads)
    sources, references = zip(*text.dev(), strict=True)
    translations = [candidates[0].text if candidates else "" for candidates in translator.translate(sources)]
    return round(float(sacrebleu.corpus_bleu(translations, [list(references)]).score), 2)


def _write_report(model: Path, result: NmtResult, options: NmtOptions) -> None:
    figures = {name: value for name, value in dataclasses.asdict(result).items() if name != "folder"}
    settings = {**dataclasses.asdict(options), **dataclasses.asdict(options.sizes())}
    report = json.dumps({"options": settings, "result": figures}, indent=2, sort_keys=True)
    (model / REPORT).write_text(report + "\n", encoding="utf-8")

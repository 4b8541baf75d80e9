"""The fast engine on a CPU: a CTranslate2 model, or a fairseq checkpoint converted once into the cache."""

import json
import math
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import ctranslate2

from ..errors import ModelError, RecipeError
from .batching import most_rows, translate_in_batches
from .ctranslate2_export import VERSION, export_ctranslate2
from .fairseq_checkpoint import load_checkpoint
from .model_folder import ModelFolder, build_once, digest
from .subwords import Subwords
from .translator import Candidate, TranslateOptions

_END = "</s>"
_PADDING = "<blank>"
# What a CTranslate2 model does not tell of itself; exported models carry it in paranmt.json.
_LIMITS = "paranmt.json"
_FAIRSEQ_LIMITS = {"source_positions": 1024, "target_positions": 1024}
# At a penalty of exactly 0 CTranslate2 stops at the first finished hypothesis, which is another search.
_LEAST_PENALTY = 1e-6


class CTranslate2Translator:
    """CTranslate2's beam search behind the protocol of `Translator`, with fairseq's end of a sentence.

    A hypothesis still open at `max_length` is ended there, as fairseq does: its end symbol is added
    and counted with its real log-probability. Costs are those of the model scoring the finished
    candidate, so both engines give one cost to one text; the rank is ours, log_prob / n_tokens **
    length_penalty.
    """

    def __init__(self, model: Path, subwords: Subwords, options: TranslateOptions, threads: int) -> None:
        self._options = options
        self._subwords = subwords
        limits = _limits(model)
        self._source_positions = limits["source_positions"]
        self._max_length = min(options.max_length, limits["target_positions"] - 1)
        symbols = _target_symbols(model)
        # As in fairseq, padding is no word, and a beam is never wider than the words there are.
        self._beam = min(options.beam, len(symbols) - 1)
        self._never = [[_PADDING]] if _PADDING in symbols else None
        try:
            self._engine = ctranslate2.Translator(
                str(model),
                device=options.device,
                compute_type=options.precision,
                inter_threads=1,
                intra_threads=threads,
            )
        except (RuntimeError, ValueError) as error:
            raise ModelError(
                f"CTranslate2 cannot load {model} on {options.device} with {options.precision}: {error}"
            ) from error

    def translate(self, sentences: Sequence[str], n_best: int = 1) -> list[list[Candidate]]:
        return translate_in_batches(
            self._subwords.encode(sentences),
            lambda rows: self._decode(rows, n_best),
            longest=self._source_positions,
            batch_tokens=int(self._options.batch_tokens),
            max_rows=most_rows(self._options),
        )

    def _decode(self, rows: list[list[str]], n_best: int) -> list[list[Candidate]]:
        results = self._engine.translate_batch(
            rows,
            beam_size=self._beam,
            num_hypotheses=self._beam,
            length_penalty=max(self._options.length_penalty, _LEAST_PENALTY),
            max_decoding_length=self._max_length,
            max_input_length=0,
            suppress_sequences=self._never,
            return_end_token=True,
        )
        finished = []
        for result in results:
            cut = any(tokens[-1:] != [_END] for tokens in result.hypotheses)
            # Ending a cut hypothesis changes its rank, so then all of the beam is scored again.
            finished.append(
                [
                    _without_end(tokens)
                    for tokens in (result.hypotheses if cut else result.hypotheses[:n_best])
                ]
            )
        pairs = [(row, tokens) for row, beams in zip(rows, finished, strict=True) for tokens in beams]
        candidates = iter(self._score(pairs, len(rows)))
        ranked = []
        for beams in finished:
            found = [next(candidates) for _ in beams]
            found.sort(key=lambda one: -one.log_prob / one.n_tokens**self._options.length_penalty)
            ranked.append(found[:n_best])
        return ranked

    def _score(self, pairs: list[tuple[list[str], list[str]]], batch: int) -> list[Candidate]:
        """The candidates of (source tokens, translation tokens), `batch` at a time."""
        candidates = []
        for start in range(0, len(pairs), batch):
            some = pairs[start : start + batch]
            scored = self._engine.score_batch(
                [row for row, _ in some], [tokens for _, tokens in some], max_input_length=0
            )
            for (_, tokens), result in zip(some, scored, strict=True):
                log_probs = tuple(result.log_probs)
                candidates.append(
                    Candidate(self._subwords.decode(tokens), math.fsum(log_probs), len(log_probs), log_probs)
                )
        return candidates


def load(
    folder: ModelFolder, options: TranslateOptions, cache_dir: Path, threads: int | None = None
) -> CTranslate2Translator:
    """A translator over a local folder of either kind; `options` are resolved.

    threads: of one translation; by default OMP_NUM_THREADS, or all processors. Results are the same
    bit by bit only for the same number.
    """
    _check_precision(options)
    threads = threads or int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    path = converted(folder, cache_dir) if folder.kind == "fairseq" else Path(folder.url)
    return CTranslate2Translator(path, Subwords(folder.subwords_path()), options, threads)


def converted(folder: ModelFolder, cache_dir: Path) -> Path:
    """The CTranslate2 model of a local fairseq folder, in the cache under the hash of its files."""

    def convert(out: Path) -> None:
        write_ctranslate2(folder, out)

    return build_once(cache_dir, f"ctranslate2-{VERSION}-{digest(folder)[:24]}", convert)


def write_ctranslate2(folder: ModelFolder, out: Path) -> None:
    """Write a local fairseq folder as a CTranslate2 folder that stands alone, subwords included."""
    checkpoint = load_checkpoint(folder)
    export_ctranslate2(checkpoint, out)
    if folder.subwords is not None:
        shutil.copyfile(Path(folder.url) / folder.subwords, out / "spm.model")
    encoder, decoder = checkpoint.architecture.encoder, checkpoint.architecture.decoder
    limits = {"source_positions": encoder.positions, "target_positions": decoder.positions}
    (out / _LIMITS).write_text(json.dumps(limits) + "\n", encoding="utf-8")


def _without_end(tokens: list[str]) -> list[str]:
    return tokens[:-1] if tokens[-1:] == [_END] else tokens


def _limits(model: Path) -> dict[str, int]:
    path = model / _LIMITS
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else _FAIRSEQ_LIMITS


def _target_symbols(model: Path) -> list[str]:
    """The decoder's symbols, from the vocabulary beside the model."""
    for name in ("shared_vocabulary", "target_vocabulary"):
        for path, read in ((model / f"{name}.json", json.loads), (model / f"{name}.txt", str.splitlines)):
            if path.is_file():
                return list(read(path.read_text(encoding="utf-8")))
    raise ModelError(
        f"{model} has no shared_vocabulary or target_vocabulary (json or txt); convert the model again"
    )


def _check_precision(options: TranslateOptions) -> None:
    supported = ctranslate2.get_supported_compute_types(options.device)
    if options.precision not in supported:
        can = ", ".join(sorted(supported & {"float32", "float16", "bfloat16", "int8"}))
        raise RecipeError(
            f"translate.precision is {options.precision}; CTranslate2 on this {options.device} can do {can}"
        )

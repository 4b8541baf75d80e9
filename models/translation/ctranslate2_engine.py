"""The fast engine on a CPU: a CTranslate2 model, or another kind converted once into the cache."""

import json
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import ctranslate2

from ...errors import ModelError, RecipeError
from ...streams import first_line
from .batching import Budget, forced_candidates, in_batches, within_memory
from .ctranslate2_export import VERSION, export_ctranslate2
from .model_folder import ModelFolder, build_once, digest
from .options import TranslateOptions
from .subwords import MarianSubwords, Pieces, Subwords
from .torch_engine.loading import load_model
from .translator import Candidate

_END = "</s>"
_PADDING = "<blank>"
# What a CTranslate2 model does not tell of itself; exported models carry it in this file.
_TOLD = "paranmt.json"
# At a penalty of exactly 0 CTranslate2 stops at the first finished hypothesis, which is another search.
_LEAST_PENALTY = 1e-6

Tokens = Sequence[str]


@dataclass(frozen=True)
class Told:
    """What the engine must know of a model beside its weights; by default as fairseq's models are.

    Positions are tokens at the most, end symbols counted. never: a symbol that every search must leave
    out, because the model was not trained to avoid it: Marian's padding.
    """

    source_positions: int = 1024
    target_positions: int = 1024
    never: str | None = None


class CTranslate2Translator:
    """CTranslate2's beam search behind the protocol of `Translator`, by fairseq's rules.

    A hypothesis still open at `max_length` is ended there: its end symbol is added and counted with its
    real log-probability, by a second pass of the model over the finished candidate.

    CTranslate2 leaves out what it must not produce *before* the softmax, so that all else becomes likelier
    than the model says; fairseq does so after it. Hence the search is free, and its own sums are the
    costs. Where it did what it must not (an empty translation, padding) the sentence is searched again
    without that, and the second pass says what its candidates cost.
    """

    def __init__(self, model: Path, subwords: Pieces, options: TranslateOptions, threads: int) -> None:
        self._budget = Budget.of(options)
        self._length_penalty = options.length_penalty
        self._subwords = subwords
        self._told = _told(model)
        self._max_length = min(options.max_length, self._told.target_positions - 1)
        symbols = _target_symbols(model)
        # As in fairseq, padding is no word, and a beam is never wider than the words there are.
        self._beam = min(options.beam, len(symbols) - 1)
        self._padding = self._told.never or (_PADDING if _PADDING in symbols else None)
        if self._padding not in (None, *symbols):
            raise ModelError(f"{model / _TOLD} names {self._padding!r}, which the vocabulary does not have")
        # Batches with a thread each are a third faster than one batch on all threads, and their results do
        # not depend on how many threads there are. A GPU has one batch at a time.
        at_once = threads if options.device == "cpu" else 1
        self._each = ThreadPoolExecutor(at_once).map if at_once > 1 else map
        try:
            self._engine = ctranslate2.Translator(
                str(model),
                device=options.device,
                compute_type=options.precision,
                inter_threads=at_once,
                intra_threads=1,
            )
            # What is wrong with its config shows with the first sentence only.
            self._engine.translate_batch([symbols[-1:]], max_decoding_length=1, max_input_length=0)
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelError(
                f"CTranslate2 cannot load {model} on {options.device} with {options.precision}: "
                f"{first_line(error)}"
            ) from error
        self.halvings = 0

    def translate(
        self, sentences: Sequence[str], n_best: int = 1, *, token_log_probs: bool = False
    ) -> list[list[Candidate]]:
        rows = self._subwords.encode(sentences)

        def decode(some: list[Tokens]) -> list[list[Candidate]]:
            return self._decode(some, n_best, token_log_probs)

        found, halvings = within_memory(
            self._budget,
            lambda budget: in_batches(rows, decode, budget, self._told.source_positions, self._each),
        )
        self.halvings += halvings
        return [candidates or [] for candidates in found]

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        """As `Translator.score`."""
        sources, targets = self._subwords.encode(sentences), self._subwords.encode_targets(translations)
        longest = self._told.source_positions, self._told.target_positions
        found, halvings = forced_candidates(
            translations, sources, targets, self._force, self._budget, longest, self._each
        )
        self.halvings += halvings
        return found

    def _decode(self, rows: list[Tokens], n_best: int, token_log_probs: bool) -> list[list[Candidate]]:
        results, biased = self._search(rows)
        unknown = [
            number
            for number, result in enumerate(results)
            if token_log_probs or number in biased or _is_cut(result)
        ]
        costed = self._second_pass(unknown, rows, results, n_best)
        ranked = []
        for number, result in enumerate(results):
            found = costed[number] if number in costed else self._costed_by_search(result, n_best)
            found.sort(key=lambda one: -one.log_prob / one.n_tokens**self._length_penalty)
            ranked.append(found[:n_best])
        return ranked

    def _search(self, rows: list[Tokens]) -> tuple[list[ctranslate2.TranslationResult], set[int]]:
        """The hypotheses of each row, and the rows whose sums are not what the model says of them."""
        if self._told.never is not None:
            return self._translate_batch(rows, free=False), set(range(len(rows)))
        results = self._translate_batch(rows, free=True)
        astray = [number for number, result in enumerate(results) if self._is_astray(result)]
        if astray:
            again = self._translate_batch([rows[number] for number in astray], free=False)
            for number, result in zip(astray, again, strict=True):
                results[number] = result
        return results, set(astray)

    def _translate_batch(self, rows: list[Tokens], free: bool) -> list[ctranslate2.TranslationResult]:
        """free: also to end at once, and to say padding."""
        return self._engine.translate_batch(
            rows,
            beam_size=self._beam,
            num_hypotheses=self._beam,
            length_penalty=max(self._length_penalty, _LEAST_PENALTY),
            min_decoding_length=0 if free else 1,
            max_decoding_length=self._max_length,
            max_input_length=0,
            suppress_sequences=None if free or self._padding is None else [[self._padding]],
            return_end_token=True,
            return_scores=True,
        )

    def _is_astray(self, result: ctranslate2.TranslationResult) -> bool:
        """Whether a free search did what it must not.

        An empty hypothesis that is not in the list changed nothing: then the list is full without it.
        """
        return any(tokens == [_END] or self._padding in tokens for tokens in result.hypotheses)

    def _costed_by_search(self, result: ctranslate2.TranslationResult, n_best: int) -> list[Candidate]:
        penalty = max(self._length_penalty, _LEAST_PENALTY)
        return [
            Candidate(
                self._subwords.decode(_without_end(tokens)), score * len(tokens) ** penalty, len(tokens), ()
            )
            for tokens, score in zip(result.hypotheses[:n_best], result.scores[:n_best], strict=True)
        ]

    def _second_pass(
        self,
        numbers: Sequence[int],
        rows: list[Tokens],
        results: Sequence[ctranslate2.TranslationResult],
        n_best: int,
    ) -> dict[int, list[Candidate]]:
        """Candidates of these rows with what the model says of them, as many at a time as there are rows."""
        pairs = [
            (number, _without_end(tokens))
            for number in numbers
            # Ending a cut hypothesis changes its rank, so then all of the beam is scored.
            for tokens in results[number].hypotheses[: None if _is_cut(results[number]) else n_best]
        ]
        found: dict[int, list[Candidate]] = {number: [] for number in numbers}
        for start in range(0, len(pairs), len(rows)):
            some = pairs[start : start + len(rows)]
            forced = self._force([rows[number] for number, _ in some], [tokens for _, tokens in some])
            for (number, tokens), row in zip(some, forced, strict=True):
                text = self._subwords.decode(tokens)
                found[number].append(Candidate.of(text, row))
        return found

    def _force(self, sources: Sequence[Tokens], targets: Sequence[Tokens]) -> list[list[float]]:
        """Log-probabilities of the target tokens and the end symbol after them."""
        scored = self._engine.score_batch(sources, targets, max_input_length=0)
        return [list(one.log_probs) for one in scored]


def load(
    folder: ModelFolder, options: TranslateOptions, cache_dir: Path, threads: int | None = None
) -> CTranslate2Translator:
    """A translator over a local folder of any kind; `options` are resolved.

    threads: batches translated at the same time, a thread each, on a CPU; by default OMP_NUM_THREADS, or
    as many as there are processors. Results do not depend on it.
    """
    _check_precision(options)
    threads = threads or int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    path = Path(folder.url) if folder.kind == "ctranslate2" else converted(folder, cache_dir)
    marian = folder.has_marian_subwords
    subwords = MarianSubwords(Path(folder.url)) if marian else Subwords(folder.subwords_path())
    return CTranslate2Translator(path, subwords, options, threads)


def converted(folder: ModelFolder, cache_dir: Path) -> Path:
    """The CTranslate2 model of a local fairseq or Marian folder, in the cache under the hash of its files."""

    def convert(out: Path) -> None:
        write_ctranslate2(folder, out)

    return build_once(cache_dir, f"ctranslate2-{VERSION}-{digest(folder)[:24]}", convert)


def write_ctranslate2(folder: ModelFolder, out: Path) -> None:
    """Write a local fairseq or Marian folder as a CTranslate2 folder that stands alone, subwords included."""
    model = load_model(folder)
    export_ctranslate2(model, out)
    if folder.subwords is not None:
        shutil.copyfile(Path(folder.url) / folder.subwords, out / "spm.model")
    if folder.has_marian_subwords:
        for name in ("source.spm", "target.spm"):
            shutil.copyfile(Path(folder.url) / name, out / name)
    architecture = model.members[0].architecture
    begins_from_padding = model.symbols.start == model.symbols.pad
    told = Told(
        architecture.encoder.positions,
        architecture.decoder.positions,
        model.text.symbols()[1][model.symbols.pad] if begins_from_padding else None,
    )
    (out / _TOLD).write_text(json.dumps(asdict(told)) + "\n", encoding="utf-8")


def _without_end(tokens: list[str]) -> list[str]:
    return tokens[:-1] if tokens[-1:] == [_END] else tokens


def _is_cut(result: ctranslate2.TranslationResult) -> bool:
    """Whether a hypothesis was still open at the limit."""
    return any(tokens[-1:] != [_END] for tokens in result.hypotheses)


def _told(model: Path) -> Told:
    path = model / _TOLD
    if not path.is_file():
        return Told()
    content = _json(path)
    try:
        told = Told(**content)
        numbers = (told.source_positions, told.target_positions)
        if not all(type(number) is int and number > 1 for number in numbers):
            raise TypeError("positions are numbers over 1")
        if not isinstance(told.never, str | None):
            raise TypeError("`never` is a symbol")
    except TypeError as error:
        raise ModelError(f"{path} is damaged ({error}); convert the model again") from None
    return told


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({first_line(error)}); convert the model again") from None


def _target_symbols(model: Path) -> list[str]:
    """The decoder's symbols, from the vocabulary beside the model."""
    for name in ("shared_vocabulary", "target_vocabulary"):
        for path, read in ((model / f"{name}.json", _json), (model / f"{name}.txt", _lines)):
            if path.is_file():
                symbols = read(path)
                if not isinstance(symbols, list) or len(symbols) < 2 or {str} != set(map(type, symbols)):
                    raise ModelError(f"{path}: expected a list of symbols; convert the model again")
                return symbols
    raise ModelError(
        f"{model} has no shared_vocabulary or target_vocabulary (json or txt); convert the model again"
    )


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({first_line(error)}); convert the model again") from None


def _check_precision(options: TranslateOptions) -> None:
    supported = ctranslate2.get_supported_compute_types(options.device)
    if options.precision not in supported:
        can = ", ".join(sorted(supported & {"float32", "float16", "bfloat16", "int8"}))
        raise RecipeError(
            f"translate.precision is {options.precision}; CTranslate2 on this {options.device} can do {can}"
        )

"""The fast engine for CPUs: a CTranslate2 model, or a model of another kind converted once into the cache."""

import json
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ctranslate2

from ...base.documents import read_document, read_json
from ...base.errors import ModelError, RecipeError, first_line
from .batching import Budget, forced_candidates, in_batches, within_memory
from .ctranslate2_export import VERSION, export_ctranslate2
from .ctranslate2_weights import check_weights
from .languages import language_tokens
from .model_folder import ModelFolder, build_once, digest
from .subwords import MarianSubwords, Pieces, Subwords
from .torch_engine.network_loading import load_model
from .translator import Candidate

if TYPE_CHECKING:
    from .translate_options import TranslateOptions

_END = "</s>"
_PADDING = "<blank>"
# Exported models state in this file what CTranslate2's own files do not.
_LIMITS = "paranmt.json"
# With a penalty of exactly 0 CTranslate2 stops at the first finished hypothesis, which is a different search.
_LEAST_PENALTY = 1e-6

Tokens = Sequence[str]


@dataclass(frozen=True)
class ModelLimits:
    """What the engine must know about a model apart from its weights. The defaults fit fairseq's models.

    Positions: the most tokens of a sentence, including the end symbol. never: a symbol that every search must
    exclude, because the model was not trained to avoid it (Marian's padding).
    """

    source_positions: int = 1024
    target_positions: int = 1024
    never: str | None = None


class CTranslate2Translator:
    """CTranslate2's beam search behind the protocol of `Translator`, by fairseq's rules.

    A hypothesis that is still open at `max_length` is ended there: its end symbol is added and counted with
    its real log-probability, which a second pass of the model over the finished candidate computes.

    CTranslate2 excludes symbols *before* the softmax, so all other symbols become likelier than in the model;
    fairseq excludes them after it. So the first search excludes nothing, and its own sums are the costs. If
    it produced something forbidden (an empty translation, padding), the sentence is searched again with that
    excluded, and the second pass computes the costs of its candidates.

    begin: the token before every translation, for a model that begins with its language's. It is no part of
    the translation, and its log-probability no part of the cost. Where the end symbol is among the most
    probable words after it, CTranslate2 goes on with a hypothesis less than the beam.
    """

    def __init__(
        self,
        model: Path,
        subwords: Pieces,
        options: "TranslateOptions",
        threads: int,
        begin: str | None = None,
    ) -> None:
        self._budget = Budget.of(options)
        self._length_penalty = options.length_penalty
        self._subwords = subwords
        self._limits = _read_limits(model)
        self._begin = [] if begin is None else [begin]
        self._max_length = min(options.max_length, self._limits.target_positions - 1 - len(self._begin))
        symbols = _target_symbols(model)
        # As in fairseq, padding is not a word, and a beam is never wider than the number of words.
        self._beam = min(options.beam, len(symbols) - 1)
        self._padding = self._limits.never or (_PADDING if _PADDING in symbols else None)
        if self._padding not in (None, *symbols):
            raise ModelError(f"{model / _LIMITS} names {self._padding!r}, which the vocabulary does not have")
        # One batch a thread is a third faster than one batch on all threads, and the results do not depend on
        # the number of threads. On a GPU there is one batch at a time.
        at_once = threads if options.device == "cpu" else 1
        self._map_batches = ThreadPoolExecutor(at_once).map if at_once > 1 else map
        try:
            self._engine = ctranslate2.Translator(
                str(model),
                device=options.device,
                compute_type=options.precision,
                inter_threads=at_once,
                intra_threads=1,
            )
            # Errors in the model's config appear only with the first sentence.
            self._engine.translate_batch([symbols[-1:]], max_decoding_length=1, max_input_length=0)
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelError(
                f"CTranslate2 cannot load {model} on {options.device} with {options.precision}: "
                f"{first_line(error)}"
            ) from error
        check_weights(model / "model.bin")
        self.halvings = 0

    def translate(
        self, sentences: Sequence[str], n_best: int = 1, *, token_log_probs: bool = False
    ) -> list[list[Candidate]]:
        rows = self._subwords.encode(sentences)

        def decode(batch: list[Tokens]) -> list[list[Candidate]]:
            return self._decode(batch, n_best, token_log_probs)

        ranked, halvings = within_memory(
            self._budget,
            lambda budget: in_batches(rows, decode, budget, self._limits.source_positions, self._map_batches),
        )
        self.halvings += halvings
        return [candidates or [] for candidates in ranked]

    def score(self, sentences: Sequence[str], translations: Sequence[str]) -> list[Candidate | None]:
        """See `Translator.score`."""
        sources, targets = self._subwords.encode(sentences), self._subwords.encode_targets(translations)
        longest = self._limits.source_positions, self._limits.target_positions - len(self._begin)
        scored, halvings = forced_candidates(
            translations, sources, targets, self._force, self._budget, longest, self._map_batches
        )
        self.halvings += halvings
        return scored

    def _decode(self, rows: list[Tokens], n_best: int, token_log_probs: bool) -> list[list[Candidate]]:
        results, biased = self._search(rows)
        without_costs = [
            number
            for number, result in enumerate(results)
            if token_log_probs or number in biased or _is_cut(result)
        ]
        forced = self._second_pass(without_costs, rows, results, n_best)
        ranked = []
        for number, result in enumerate(results):
            candidates = forced[number] if number in forced else self._candidates_of_search(result, n_best)
            candidates.sort(
                key=lambda candidate: -candidate.log_prob / candidate.n_tokens**self._length_penalty
            )
            ranked.append(candidates[:n_best])
        return ranked

    def _search(self, rows: list[Tokens]) -> tuple[list[ctranslate2.TranslationResult], set[int]]:
        """The hypotheses of each row, and the rows whose sums are not the log-probabilities of the model."""
        if self._limits.never is not None:
            return self._translate_batch(rows, free=False), set(range(len(rows)))
        results = self._translate_batch(rows, free=True)
        forbidden = [number for number, result in enumerate(results) if self._is_forbidden(result)]
        if forbidden:
            repeated = self._translate_batch([rows[number] for number in forbidden], free=False)
            for number, result in zip(forbidden, repeated, strict=True):
                results[number] = result
        return results, set(forbidden)

    def _translate_batch(self, rows: list[Tokens], free: bool) -> list[ctranslate2.TranslationResult]:
        """free: the search may produce empty translations and padding too."""
        return self._engine.translate_batch(
            rows,
            target_prefix=[self._begin] * len(rows) if self._begin else None,
            beam_size=self._beam,
            num_hypotheses=self._beam,
            length_penalty=max(self._length_penalty, _LEAST_PENALTY),
            min_decoding_length=0 if free else 1 + len(self._begin),
            max_decoding_length=self._max_length + len(self._begin),
            max_input_length=0,
            suppress_sequences=None if free or self._padding is None else [[self._padding]],
            return_end_token=True,
            return_scores=True,
        )

    def _is_forbidden(self, result: ctranslate2.TranslationResult) -> bool:
        """Whether a free search produced something forbidden.

        An empty hypothesis that is not in the list changed nothing, because the list is full without it.
        """
        return any(tokens == [*self._begin, _END] or self._padding in tokens for tokens in result.hypotheses)

    def _candidates_of_search(self, result: ctranslate2.TranslationResult, n_best: int) -> list[Candidate]:
        penalty, begun = max(self._length_penalty, _LEAST_PENALTY), len(self._begin)
        found = None if self._is_reordered(result) else n_best
        return [
            Candidate(
                self._subwords.decode(self._words(tokens)),
                score * len(tokens) ** penalty,  # CTranslate2 counts the token of the language
                len(tokens) - begun,
                (),
            )
            for tokens, score in zip(result.hypotheses[:found], result.scores[:found], strict=True)
        ]

    def _second_pass(
        self,
        numbers: Sequence[int],
        rows: list[Tokens],
        results: Sequence[ctranslate2.TranslationResult],
        n_best: int,
    ) -> dict[int, list[Candidate]]:
        """Candidates of these rows with the model's log-probabilities, computed for `len(rows)` at a time."""
        pairs = [
            (number, self._words(tokens))
            for number in numbers
            for tokens in results[number].hypotheses[
                : None if self._is_reordered(results[number]) else n_best
            ]
        ]
        candidates: dict[int, list[Candidate]] = {number: [] for number in numbers}
        for start in range(0, len(pairs), len(rows)):
            batch = pairs[start : start + len(rows)]
            forced = self._force([rows[number] for number, _ in batch], [tokens for _, tokens in batch])
            for (number, tokens), log_probs in zip(batch, forced, strict=True):
                text = self._subwords.decode(tokens)
                candidates[number].append(Candidate.of(text, log_probs))
        return candidates

    def _force(self, sources: Sequence[Tokens], targets: Sequence[Tokens]) -> list[list[float]]:
        """Log-probabilities of the target tokens and the end symbol after them."""
        begun = len(self._begin)
        targets = [[*self._begin, *target] for target in targets] if begun else targets
        scored = self._engine.score_batch(sources, targets, max_input_length=0)
        return [list(result.log_probs)[begun:] for result in scored]

    def _is_reordered(self, result: ctranslate2.TranslationResult) -> bool:
        """Whether our order of the hypotheses may differ from CTranslate2's.

        Ending a cut hypothesis changes its rank; and CTranslate2's ranks count the token of the language.
        """
        return bool(self._begin) or _is_cut(result)

    def _words(self, tokens: list[str]) -> list[str]:
        """The tokens of a hypothesis that are its text."""
        return tokens[len(self._begin) : -1 if tokens[-1:] == [_END] else None]


def load(
    folder: ModelFolder, options: "TranslateOptions", cache_dir: Path, threads: int | None = None
) -> CTranslate2Translator:
    """A translator over a local folder of any kind; `options` are resolved.

    threads: how many batches to translate at the same time on a CPU, one a thread; by default
    OMP_NUM_THREADS, or the number of processors. Results do not depend on it.
    """
    _check_precision(options)
    threads = threads or int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    path = Path(folder.url) if folder.kind == "ctranslate2" else converted(folder, cache_dir)
    begin = language_tokens(folder, options)
    subwords: Pieces
    if folder.has_marian_subwords:
        subwords = MarianSubwords(Path(folder.url), begin.source)
    else:
        subwords = Subwords(folder.subwords_path(), begin.source)
    return CTranslate2Translator(path, subwords, options, threads, begin.target)


def converted(folder: ModelFolder, cache_dir: Path) -> Path:
    """The CTranslate2 model of a local folder of another kind, in the cache under the hash of its files."""

    def convert(out: Path) -> None:
        write_ctranslate2(folder, out)

    return build_once(cache_dir, f"ctranslate2-{VERSION}-{digest(folder)[:24]}", convert)


def write_ctranslate2(folder: ModelFolder, out: Path) -> None:
    """Write a local folder of another kind as a CTranslate2 folder that stands alone, subwords included."""
    model = load_model(folder)
    export_ctranslate2(model, out)
    if folder.subwords is not None:
        shutil.copyfile(Path(folder.url) / folder.subwords, out / "spm.model")
    if folder.has_marian_subwords:
        for name in ("source.spm", "target.spm"):
            shutil.copyfile(Path(folder.url) / name, out / name)
    architecture = model.members[0].architecture
    begins_from_padding = model.symbols.start == model.symbols.pad
    limits = ModelLimits(
        architecture.encoder.positions,
        architecture.decoder.positions,
        model.text.symbols()[1][model.symbols.pad] if begins_from_padding else None,
    )
    (out / _LIMITS).write_text(json.dumps(asdict(limits)) + "\n", encoding="utf-8")


def _is_cut(result: ctranslate2.TranslationResult) -> bool:
    """Whether a hypothesis was still open at the limit."""
    return any(tokens[-1:] != [_END] for tokens in result.hypotheses)


def _read_limits(model: Path) -> ModelLimits:
    path = model / _LIMITS
    if not path.is_file():
        return ModelLimits()
    content = _json(path)
    try:
        limits = ModelLimits(**content)
        numbers = (limits.source_positions, limits.target_positions)
        if not all(type(number) is int and number > 1 for number in numbers):
            raise TypeError("positions must be numbers over 1")
        if not isinstance(limits.never, str | None):
            raise TypeError("`never` must be a symbol")
    except TypeError as error:
        raise ModelError(f"{path} is damaged ({error}); convert the model again") from None
    return limits


def _json(path: Path) -> Any:
    try:
        return read_json(path)
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
        return read_document(path).decode("utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read ({first_line(error)}); convert the model again") from None


def _check_precision(options: "TranslateOptions") -> None:
    supported = ctranslate2.get_supported_compute_types(options.device)
    if options.precision not in supported:
        choices = ", ".join(sorted(supported & {"float32", "float16", "bfloat16", "int8"}))
        raise RecipeError(
            f"translate.precision is {options.precision}; "
            f"CTranslate2 on this {options.device} supports {choices}"
        )

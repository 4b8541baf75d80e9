"""Translating text outside a workspace: lines in, candidates out, block by block."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import IO, Literal

from ...base.errors import RecipeError
from ...base.host_cache import cache_folder
from ...base.streams import LONGEST_LINE, numbered_lines, utf8_lines
from ...models.translation.engines import load, resolve
from ...models.translation.translate_options import TranslateOptions
from ...models.translation.translator import Candidate

Format = Literal["tsv", "jsonl", "text"]

_BLOCK = 2_000  # sentences that are sorted by length and translated together, before any is written


@dataclass(frozen=True)
class Translated:
    """A line of the input, counted from 1, with its candidates, best first; none if translating it failed."""

    line: int
    source: str
    candidates: tuple[Candidate, ...]


def translate_lines(
    lines: Iterable[str], options: TranslateOptions, n_best: int = 1, *, token_log_probs: bool = False
) -> Iterator[Translated]:
    """The `n_best` translations of every line, in order. ModelError or RecipeError before the first line.

    token_log_probs: see `Translator.translate`.
    """
    options = resolve(options)
    if not 1 <= n_best <= options.beam:
        raise RecipeError(f"--n-best: expected 1 to {options.beam} (the beam), got {n_best}")
    translator = load(options, cache_folder("models"))
    numbered = enumerate(lines, start=1)
    while block := list(islice(numbered, _BLOCK)):
        sources = [source for _, source in block]
        lists = translator.translate(sources, n_best, token_log_probs=token_log_probs)
        for (line, source), candidates in zip(block, lists, strict=True):
            yield Translated(line, source, tuple(candidates))


def read_sentences(path: str) -> Iterator[str]:
    """The lines of a UTF-8 file, plain or compressed, local or at a URL; "-" is the standard input."""
    if path == "-":
        return (line for _, line in utf8_lines("the standard input", enumerate(_standard_input(), start=1)))
    return (line for _, line in utf8_lines(path, numbered_lines(path)))


def _standard_input() -> Iterator[bytes]:
    while line := sys.stdin.buffer.readline(LONGEST_LINE + 2):
        yield line.removesuffix(b"\n").removesuffix(b"\r")


def write_translated(translated: Iterable[Translated], out: IO[str], form: Format) -> int:
    """Write translations and return how many sentences have none.

    tsv: line, rank, log-probability, tokens, translation. jsonl: one object per line of the input. text: the
    best translation alone, or an empty line.
    """
    failed = 0
    for sentence in translated:
        failed += not sentence.candidates
        for text in _lines(sentence, form):
            out.write(text + "\n")
    return failed


def _lines(sentence: Translated, form: Format) -> Sequence[str]:
    if form == "text":
        return [_one_line(sentence.candidates[0].text) if sentence.candidates else ""]
    if form == "jsonl":
        return [json.dumps(asdict(sentence), ensure_ascii=False)]
    return [
        f"{sentence.line}\t{rank}\t{item.log_prob:.6f}\t{item.n_tokens}\t{_one_line(item.text)}"
        for rank, item in enumerate(sentence.candidates, start=1)
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split()) if any(sign in text for sign in "\t\n\r") else text

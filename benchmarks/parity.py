"""Compares the torch engine with fairseq's generator in float32, and its other precisions with float32.

    python benchmarks/parity.py MODEL SOURCES --sentences 1000

Each line is one comparison, and its last column says whether it holds; the exit code is 1 if any does not.
A comparison with fairseq requires for every sentence the same set of candidates and the same best one, the
same order except for ranks closer than 1e-5, at least 99.5 % identical lists, and token log-probabilities
within 5e-5. A comparison of precisions requires the same best translation for 99 % of the sentences, and a
BLEU that differs by at most 0.1 (against the float32 translations, or against --references). It also prints
how many costs fall into another decile. If two candidates around the last place of a list are closer than
1e-5, either of them may be in it.

The same weights are also compared in a pre-norm transformer: its translations are nonsense, and both engines
must produce the same nonsense.
"""

import argparse
import gzip
import math
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from paranmt.models.translation.engines import load, resolve
from paranmt.models.translation.fairseq_files import read_checkpoint
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate

TIE = 1e-5
TOKEN = 5e-5


@dataclass
class Difference:
    """The differences between two lists of n-best lists."""

    sentences: int = 0
    identical: int = 0
    tops: int = 0  # best candidates that differ by more than a tie
    sets: int = 0  # lists with a candidate that the other lacks, by more than a tie
    orders: int = 0  # lists in another order, by more than a tie
    token: float = 0.0  # the largest difference of a token's log-probability

    @property
    def holds(self) -> bool:
        """Whether the differences are within the limits."""
        exact = self.tops == self.sets == self.orders == 0
        return exact and self.identical >= 0.995 * self.sentences and self.token <= TOKEN


def compare(ours: list[list[Candidate]], theirs: list[list[Candidate]], penalty: float) -> Difference:
    """Compare sentence by sentence. Candidates are equal if their texts and numbers of tokens are."""
    difference = Difference()
    for our_list, their_list in zip(ours, theirs, strict=True):
        left = {(candidate.text, candidate.n_tokens): candidate for candidate in our_list}
        right = {(candidate.text, candidate.n_tokens): candidate for candidate in their_list}
        difference.sentences += 1
        difference.identical += list(left) == list(right) and len(our_list) == len(their_list)
        last = min((_rank(candidate, penalty) for candidate in (*our_list, *their_list)), default=0.0)
        unmatched = [candidate for name, candidate in left.items() if name not in right]
        unmatched += [candidate for name, candidate in right.items() if name not in left]
        above_last = any(_rank(candidate, penalty) > last + TIE for candidate in unmatched)
        difference.sets += above_last or len(our_list) != len(their_list)
        places = list(zip(our_list, their_list, strict=False))
        gaps = [abs(_rank(a, penalty) - _rank(b, penalty)) for a, b in places if a.text != b.text]
        difference.orders += any(gap > TIE for gap in gaps)
        difference.tops += bool(places and places[0][0].text != places[0][1].text and gaps[0] > TIE)
        for name in left.keys() & right.keys():
            for a, b in zip(left[name].token_log_probs, right[name].token_log_probs, strict=True):
                difference.token = max(difference.token, abs(a - b))
    return difference


def main() -> None:
    """Compare and print; exit code 1 if a comparison does not hold."""
    options = _arguments()
    sentences = _read(options.sources)[: options.sentences]
    base = TranslateOptions(model=options.model, device=options.device, precision="float32")
    print(f"{'comparison':52} sentences identical sets order  top   token  holds")
    results = [
        _against_fairseq(
            f"beam {beam}, length penalty {penalty}", replace(base, beam=beam, length_penalty=penalty), some
        )
        for beam, penalty, some in _grid(options, sentences)
    ]
    for limit in (1, 5):
        few = sentences[: options.sentences // 4]
        results.append(
            _against_fairseq(f"beam 5, cut at {limit} tokens", replace(base, beam=5, max_length=limit), few)
        )
    with tempfile.TemporaryDirectory() as made:
        norms = replace(base, model=_pre_norm(options.model, Path(made)), beam=5, max_length=40)
        results.append(_against_fairseq("pre-norm, beam 5, cut at 40 tokens", norms, sentences))
    results.append(_batches(replace(base, beam=5), sentences[: options.sentences // 4]))
    for second_model in options.ensemble:
        results.append(_ensemble(replace(base, beam=5), second_model, sentences[: options.sentences // 4]))
    references = _read(options.references)[: options.sentences] if options.references else None
    for precision in options.precisions:
        results.append(_precision(replace(base, beam=options.beams[-1]), precision, sentences, references))
    raise SystemExit(0 if all(results) else 1)


def _grid(options: argparse.Namespace, sentences: list[str]) -> list[tuple[int, float, list[str]]]:
    """All beams with length penalty 1; the other penalties with beam 12, or the largest beam below it."""
    cells = [(beam, 1.0, sentences) for beam in options.beams]
    middle = max([beam for beam in options.beams if beam <= 12], default=options.beams[0])
    return cells + [(middle, penalty, sentences) for penalty in (0.6, 2.0)]


def _against_fairseq(name: str, options: TranslateOptions, sentences: list[str]) -> bool:
    ours, theirs = (
        load(resolve(replace(options, engine=engine)), Path(".benchmark-cache")).translate(
            sentences, options.beam
        )
        for engine in ("torch", "fairseq")
    )
    return _report(name, compare(ours, theirs, options.length_penalty))


def _pre_norm(model: str, made: Path) -> str:
    """A folder with the model's weights in a transformer that normalises first."""
    folder = read_model_folder(model)
    content = read_checkpoint(Path(folder.url) / folder.weights)
    settings = {**content.model, **content.task, "task": "translation"}
    tensors = dict(content.tensors)
    for side in ("encoder", "decoder"):
        settings[f"{side}_normalize_before"] = True
        like = tensors[f"{side}.layers.0.self_attn_layer_norm.weight"]
        tensors |= {
            f"{side}.layer_norm.weight": torch.ones_like(like),
            f"{side}.layer_norm.bias": torch.zeros_like(like),
        }
    shutil.copytree(folder.url, made, dirs_exist_ok=True)
    args = argparse.Namespace(**settings)
    torch.save({"args": args, "model": tensors, "extra_state": {}}, made / folder.weights)
    return str(made)


def _batches(options: TranslateOptions, sentences: list[str]) -> bool:
    """Whether the other sentences of a batch affect a translation."""
    torch_options = replace(options, engine="torch")
    small, large = (
        load(resolve(replace(torch_options, batch_tokens=tokens)), Path(".benchmark-cache"))
        for tokens in (64, 8192)
    )
    ours, theirs = large.translate(sentences, options.beam), small.translate(sentences, options.beam)
    return _report("torch against itself, batches of 64 and 8,192 tokens", compare(ours, theirs, 1.0))


def _ensemble(options: TranslateOptions, second_model: str, sentences: list[str]) -> bool:
    name = f"ensemble with {second_model[-30:]}, beam {options.beam}"
    return _against_fairseq(name, replace(options, model=(str(options.model), second_model)), sentences)


def _precision(
    options: TranslateOptions, precision: str, sentences: list[str], references: Sequence[str] | None
) -> bool:
    """The best translations of a precision, compared with those of float32."""
    import sacrebleu

    exact, rough = (
        load(resolve(replace(options, engine="torch", precision=name)), Path(".benchmark-cache")).translate(
            sentences
        )
        for name in ("float32", precision)
    )
    pairs = [(a[0], b[0]) for a, b in zip(exact, rough, strict=True) if a and b]
    same = sum(a.text == b.text for a, b in pairs) / len(pairs)
    costs = [abs(a.log_prob / a.n_tokens - b.log_prob / b.n_tokens) for a, b in pairs if a.text == b.text]
    moved = np.mean(_decile([a for a, _ in pairs]) != _decile([b for _, b in pairs]))
    wanted = references or [ranked[0].text if ranked else "" for ranked in exact]
    scores = [
        sacrebleu.corpus_bleu([ranked[0].text if ranked else "" for ranked in lists], [list(wanted)]).score
        for lists in (exact, rough)
    ]
    holds = same >= 0.99 and (references is None or abs(scores[0] - scores[1]) <= 0.1)
    print(
        f"{precision} against float32, beam {options.beam}: {same:.1%} of best translations the same, their "
        f"costs within {max(costs, default=math.nan):.1e}, {moved:.1%} of costs in another decile, "
        f"BLEU {scores[0]:.2f} and {scores[1]:.2f}  "
        f"{'yes' if holds else 'NO'}",
        flush=True,
    )
    return holds


def _decile(candidates: list[Candidate]) -> np.ndarray:
    """The tenth, 0 to 9, into which each cost falls."""
    costs = [-candidate.log_prob / candidate.n_tokens for candidate in candidates]
    return np.argsort(np.argsort(costs, kind="stable")) * 10 // len(costs)


def _rank(candidate: Candidate, penalty: float) -> float:
    return candidate.log_prob / candidate.n_tokens**penalty


def _report(name: str, difference: Difference) -> bool:
    print(
        f"{name:52} {difference.sentences:9} {difference.identical / difference.sentences:9.1%} "
        f"{difference.sets:4} {difference.orders:5} {difference.tops:4} {difference.token:.1e}  "
        f"{'yes' if difference.holds else 'NO'}",
        flush=True,
    )
    return difference.holds


def _read(path: str) -> list[str]:
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="the folder of a fairseq checkpoint")
    parser.add_argument("sources", help="a text file, plain or gz")
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument(
        "--beams", type=lambda text: [int(beam) for beam in text.split(",")], default=[1, 5, 12, 50]
    )
    parser.add_argument("--ensemble", action="append", default=[], metavar="FOLDER", help="a second model")
    parser.add_argument(
        "--precisions",
        type=lambda text: text.split(",") if text else [],
        default=["float16", "bfloat16"] if torch.cuda.is_available() else [],
    )
    parser.add_argument("--references", help="a text file with one reference per line, for BLEU")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


if __name__ == "__main__":
    main()

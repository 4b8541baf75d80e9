"""The speed of every score, as a stage that reads, joins and writes parts, on one core.

    python benchmarks/scores.py REFERENCES TRANSLATIONS [--opusfilter PYTHON]

Both files have a sentence per line, plain or gz; they are repeated until there are enough pairs. Each round
measures everything once, and the table has the medians, in pairs per second of processor time:

- each score whose model need not be trained, on parts of --rows pairs, with the stage's reading and writing;
- the six string scores together, as the one job that computes their six stages;
- CPython's tokenising of the same text, `re.findall` on both sides;
- perplexity beside KenLM's own program `query` on the same tokens, which is built if --query is not given;
- the comparable filters of OpusFilter, if --opusfilter names a Python that has the package.
"""

import argparse
import gzip
import itertools
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from functools import partial
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # before torch is imported

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from processor_time import child_seconds, own_seconds

from paranmt import install
from paranmt.filters import SCORES
from paranmt.filters.contamination import Contamination, EvaluationSet
from paranmt.filters.idf import TranslationIdf
from paranmt.filters.perplexity import LanguageModelSpec, Perplexity
from paranmt.filters.profanity import Profanity
from paranmt.filters.reference_probability import ClassifierSpec, ReferenceProbability
from paranmt.filters.score import Score
from paranmt.filters.similarity import ParaphraseSimilarity
from paranmt.models import language_model
from paranmt.models.training.classifier import CandidateLists, ClassifierOptions, train_classifier
from paranmt.tokens.columns import lower_tokens, spaced_tokens
from paranmt.transforms.beam.task_work import Task, in_common
from paranmt.transforms.storage.dataset import part_file, write_part
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.works.scoring import ScorePart

STRINGS = (
    "reference_length",
    "translation_length",
    "unigram_overlap",
    "bigram_overlap",
    "trigram_overlap",
    "sentence_bleu",
)
FINDALL, QUERY, TOGETHER = "re.findall, both sides", "KenLM's query", "the six string scores"
_OPUSFILTER = """
import json, sys, time
from opusfilter.filters import LengthFilter, SimilarityFilter
pairs = list(zip(*(open(path, encoding="utf-8").read().split("\\n")[:-1] for path in sys.argv[1:])))
seconds = {}
for filter in LengthFilter(unit="word"), SimilarityFilter(unit="word"):
    began = time.process_time()
    assert sum(1 for _ in filter.score(pairs)) == len(pairs)
    seconds["OpusFilter's " + type(filter).__name__] = time.process_time() - began
print(json.dumps(seconds))
"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("references", type=Path)
    parser.add_argument("translations", type=Path)
    parser.add_argument(
        "--scores", type=lambda text: text.split(","), metavar="NAME,…", help="the scores (default: all)"
    )
    parser.add_argument("--rows", type=int, default=100_000, help="pairs per part (default: 100,000)")
    parser.add_argument("--parts", type=int, default=2, help="parts per round (default: 2)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dimension", type=int, default=300, help="of the word vectors (default: 300)")
    parser.add_argument("--query", type=Path, help="KenLM's program `query`")
    parser.add_argument("--opusfilter", help="a Python in which OpusFilter is installed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rounds = measure(Path(folder), options)
    pairs = options.rows * options.parts
    speeds = {name: pairs / statistics.median(seconds) for name, seconds in rounds.items()}
    print("| measured | pairs/s | range |\n|---|---|---|")
    for name, seconds in rounds.items():
        print(f"| {name} | {speeds[name]:,.0f} | {pairs / max(seconds):,.0f}–{pairs / min(seconds):,.0f} |")
    print("\n| ratio | median | range |\n|---|---|---|")
    for numerator, denominator in ratios(rounds):
        values = [b / a for a, b in zip(rounds[numerator], rounds[denominator], strict=True)]
        spread = f"{min(values):.2f}–{max(values):.2f}"
        print(f"| {numerator} over {denominator} | {statistics.median(values):.2f} | {spread} |")
    print(f"\npeak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


def ratios(measured: dict[str, list[float]]) -> list[tuple[str, str]]:
    """The comparisons that make sense."""
    compared = [
        (TOGETHER, FINDALL),
        ("perplexity", QUERY),
        ("both lengths", "OpusFilter's LengthFilter"),
        ("unigram_overlap", "OpusFilter's SimilarityFilter"),
    ]
    return [pair for pair in compared if set(pair) <= measured.keys()]


def measure(folder: Path, options: argparse.Namespace) -> dict[str, list[float]]:
    """The seconds of each measurement, by round."""
    references, translations = (
        repeated(path, options.rows * options.parts) for path in (options.references, options.translations)
    )
    scores = all_scores(folder, references, options.dimension)
    if options.scores:
        if unknown := set(options.scores) - scores.keys():
            raise SystemExit(f"error: not among the scores ({', '.join(scores)}): {', '.join(unknown)}")
        scores = {name: scores[name] for name in options.scores}
    workspace = Workspace(str(folder / "workspace"))
    tasks = write_inputs(workspace, references, translations, options.rows)
    both = [*references, *translations]
    tokens = folder / "tokens.txt"
    tokens.write_bytes(
        b"\n".join(spaced_tokens(pa.array(translations)).cast(pa.large_binary()).to_pylist()) + b"\n"
    )
    for name, lines in (("references", references), ("translations", translations)):
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    query = [options.query or built_query(folder), "-b", "-l", "lazy", "-v", "sentence", folder / "lm"]
    words = re.compile(r"\w+|[^\w\s]")
    rounds: dict[str, list[float]] = defaultdict(list)
    for number in range(options.rounds + 1):
        seconds = {
            name: own_seconds(partial(run_stages, workspace, tasks, {name: score}, str(number)))
            for name, score in scores.items()
        }
        strings = {name: scores[name] for name in STRINGS if name in scores}
        if len(strings) == len(STRINGS):
            seconds[TOGETHER] = own_seconds(
                partial(run_stages, workspace, tasks, strings, f"{number}-together")
            )
        if {"reference_length", "translation_length"} <= seconds.keys():
            seconds["both lengths"] = seconds["reference_length"] + seconds["translation_length"]
        seconds[FINDALL] = own_seconds(lambda: [words.findall(text) for text in both])
        seconds[QUERY] = child_seconds(query, tokens)
        if options.opusfilter:
            command = [options.opusfilter, "-c", _OPUSFILTER, folder / "references", folder / "translations"]
            seconds |= json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        if number:  # the first round compiles and loads
            for name, value in seconds.items():
                rounds[name].append(value)
    return rounds


def repeated(path: Path, count: int) -> list[str]:
    """`count` sentences: those of the file, again and again."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    return list(itertools.islice(itertools.cycle(lines), count))


def all_scores(folder: Path, references: list[str], dimension: int) -> dict[str, Score]:
    """Every score without a model, and those whose models are a trigram model of the references, random
    vectors of their words, a classifier after one epoch, or a hundredth of them as an evaluation set.
    """
    distinct = pa.array(sorted(set(references)))
    language_model.train(spaced_tokens(distinct).cast(pa.large_binary()).to_pylist(), folder / "lm")
    words = pc.unique(pc.list_flatten(pc.split_pattern(lower_tokens(distinct), " "))).to_pylist()
    choose = np.random.default_rng(1)
    with open(folder / "vectors.txt", "w", encoding="utf-8") as file:
        for word in filter(None, words):
            file.write(f"{word} {' '.join(f'{x:.3f}' for x in choose.normal(size=dimension))}\n")
    one_each = CandidateLists(distinct, distinct, np.arange(len(distinct) + 1))
    options = ClassifierOptions("avg", dimension, 1, "random", 0.0, "words", 1)
    train_classifier(one_each, one_each, options)[0].save(folder / "classifier")
    (folder / "set.txt").write_text("\n".join(distinct.to_pylist()[::100]) + "\n", encoding="utf-8")
    (folder / "words.txt").write_text("damn\nbloody hell\n", encoding="utf-8")
    given: dict[str, Score] = {
        "contamination": Contamination(sets=(EvaluationSet("set", str(folder / "set.txt")),)),
        "perplexity": Perplexity(lm=LanguageModelSpec(path=str(folder / "lm"))),
        "reference_probability": ReferenceProbability(
            classifier=ClassifierSpec(path=str(folder / "classifier"))
        ),
        "paraphrase_similarity": ParaphraseSimilarity(vectors=str(folder / "vectors.txt")),
        "translation_idf": TranslationIdf(frequencies=str(folder / "references")),
        "profanity": Profanity(words=str(folder / "words.txt")),
    }
    plain = {name: kind() for name, kind in SCORES.items() if not (kind.model_kind or kind.is_given)}
    return {name: score for name in SCORES if (score := given.get(name) or plain.get(name))}


def write_inputs(
    workspace: Workspace, references: list[str], translations: list[str], rows: int
) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Write the parts of `ingest` and `translate`; their names, and their files by stage."""
    tasks = []
    for start in range(0, len(references), rows):
        part = f"corpus/file-{start // rows:05}"
        ids = pa.array([f"corpus/file:{record}" for record in range(start + 1, start + rows + 1)])
        reference, translation = (pa.array(side[start : start + rows]) for side in (references, translations))
        write_part(
            workspace,
            "ingest",
            part,
            "k",
            pa.table({"pair_id": ids, "source": reference, "reference": reference}),
        )
        outcome = {
            "translation": translation,
            "translation_log_prob": pa.array(np.full(rows, -12.0, np.float32)),
            "translation_tokens": pa.array(np.full(rows, 20, np.int32)),
        }
        write_part(workspace, "translate", part, "k", pa.table({"pair_id": ids, **outcome}))
        tasks.append((part, tuple((stage, part_file(stage, part, "k")) for stage in ("ingest", "translate"))))
    return tasks


def run_stages(
    workspace: Workspace,
    tasks: list[tuple[str, tuple[tuple[str, str], ...]]],
    scores: dict[str, Score],
    key: str,
) -> None:
    """Do the parts of the stages of some scores in one job."""
    works = [ScorePart(f"score/{name}", name, score) for name, score in scores.items()]
    for part, inputs in tasks:
        with in_common():
            for work in works:
                work(workspace, Task(part, key, inputs))


def built_query(folder: Path) -> Path:
    """KenLM's program `query`, built from its source."""
    print("building KenLM's query …", file=sys.stderr)
    install.build_kenlm(folder / "kenlm", folder, ("query",), module=False)
    return folder / "kenlm" / "bin" / "query"


if __name__ == "__main__":
    main()

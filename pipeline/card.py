"""The dataset card: the release's README.md, with the header that the Hugging Face hub reads."""

import inspect
import re
from collections.abc import Iterable, Sequence

import yaml

from ..columns import decile_name
from .release_info import ReleaseInfo, ScoreFacts, SelectionFacts, rejects_by_reason, type_name

DATA_FILES = "data/train-*.parquet"

# Identifiers that the hub knows; any other licence is `other` there, and spelt out in the card.
_HUB_LICENCES = frozenset(
    "apache-2.0 mit bsd-2-clause bsd-3-clause cc cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 "
    "cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0 "
    "cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 gfdl gpl-2.0 gpl-3.0 lgpl-3.0 "
    "mpl-2.0 odbl odc-by pddl unlicense".split()
)

_SIZES = (
    (10**3, "n<1K"),
    (10**4, "1K<n<10K"),
    (10**5, "10K<n<100K"),
    (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"),
    (10**8, "10M<n<100M"),
    (10**9, "100M<n<1B"),
)

CITATION = """\
@inproceedings{wieting-gimpel-2018-paranmt,
  title = {{ParaNMT-50M}: Pushing the Limits of Paraphrastic Sentence Embeddings with Millions of
           Machine Translations},
  author = {Wieting, John and Gimpel, Kevin},
  booktitle = {Proceedings of the 56th Annual Meeting of the Association for Computational
               Linguistics (Volume 1: Long Papers)},
  pages = {451--462},
  year = {2018}
}"""


def dataset_card(info: ReleaseInfo) -> str:
    """README.md of a release: the hub's YAML header, then Markdown.

    Every `python` block runs as it stands in the release's folder.
    """
    header = yaml.safe_dump(hub_header(info), sort_keys=False, allow_unicode=True, width=110)
    sections = [
        _introduction(info),
        _loading(info),
        _columns(info),
        _scores(info),
        _provenance(info),
        _funnel(info),
        _selections(info.selections),
        _making(info),
        _limits(info),
        f"## Citation\n\nThe method is that of ParaNMT-50M:\n\n{_block(CITATION, 'bibtex')}",
    ]
    return f"---\n{header}---\n\n" + "\n\n".join(section for section in sections if section) + "\n"


def hub_header(info: ReleaseInfo) -> dict[str, object]:
    """What the hub reads: languages, licence, size, and one configuration for each decile and selection.

    A configuration filters by row-group statistics, so `decile_10` fetches about a tenth of the
    bytes. There is no `dataset_info`: the files say their types themselves, and a stated number of
    rows would make `load_dataset(…, filters=…)` fail its check of sizes.
    """
    languages = dict.fromkeys(["en", *(corpus.source_language for corpus in info.corpora)])
    size = next((name for limit, name in _SIZES if info.pairs < limit), "n>1T")
    if 10**9 <= info.pairs < 10**12:
        size = "1B<n<10B" if info.pairs < 10**10 else "10B<n<100B" if info.pairs < 10**11 else "100B<n<1T"
    return {
        "pretty_name": info.name,
        "language": list(languages),
        **_hub_licence(info.licences, all(corpus.licence for corpus in info.corpora)),
        "task_categories": ["sentence-similarity", "text-generation"],
        "tags": ["paraphrase", "back-translation", "sentence-embeddings"],
        "size_categories": [size],
        "configs": _configurations(info),
    }


def _hub_licence(licences: Sequence[str], complete: bool) -> dict[str, str]:
    if len(licences) == 1 and complete:
        name = re.sub(r"[^a-z0-9.]+", "-", licences[0].lower()).strip("-")
        if name in _HUB_LICENCES:
            return {"license": name}
        return {"license": "other", "license_name": name or "see-card"}
    return {"license": "other", "license_name": "mixed-see-card" if licences else "not-stated"}


def _configurations(info: ReleaseInfo) -> list[dict[str, object]]:
    configurations: dict[str, list[list[object]]] = {"default": []}
    for decile in _best_first(info.primary):
        configurations[f"decile_{decile}"] = [[decile_name(info.primary_score), "==", decile]]
    for selection in info.selections:
        taken = selection.name in configurations
        name = f"selection_{selection.name}" if taken else selection.name
        configurations[name] = [[selection.name, "==", True]]
    return [
        {
            "config_name": name,
            "data_files": [{"split": "train", "path": DATA_FILES}],
            **({"filters": filters} if filters else {}),
        }
        for name, filters in configurations.items()
    ]


def _best_first(primary: ScoreFacts) -> Iterable[int]:
    return range(10, 0, -1) if primary.higher_is_better else range(1, 11)


def _introduction(info: ReleaseInfo) -> str:
    languages = " and ".join(dict.fromkeys(_escape(corpus.source_language) for corpus in info.corpora))
    best = next(iter(_best_first(info.primary)))
    size = sum(file.bytes for file in info.files.values())
    selections = f", and {_count(len(info.selections), 'selection')}" if info.selections else ""
    return (
        f"# {_escape(info.name)}\n\n"
        f"{_count(info.pairs, 'pair')} of English sentences and their machine-made paraphrases: "
        f"`reference` is human English from a bitext, `translation` is the machine translation of its "
        f"`source` ({languages}). Each pair comes with {_count(len(info.scores), 'score')}, the decile of "
        f"each{selections}: choose your own thresholds instead of trusting ours.\n\n"
        f"{_count(len(info.files), 'Parquet file')}, {_megabytes(size)}, ordered by "
        f"`{decile_name(info.primary_score)}`, decile {best} first. A row group ends where a decile does, so "
        f"reading one decile fetches about a tenth of the bytes, from a disk or over the web."
    )


def _loading(info: ReleaseInfo) -> str:
    column = decile_name(info.primary_score)
    best = next(iter(_best_first(info.primary)))
    selected = ""
    if info.selections:
        names = [str(entry["config_name"]) for entry in _configurations(info)][11:]
        selected = (
            f" The selections are configurations too: {', '.join(map(_code, names))}; the others are "
            f"`default` (everything) and `decile_1` to `decile_10`."
        )
    return "\n\n".join(
        [
            "## Loading it",
            f"Run these in the folder this card lies in; for `datasets`, the release's name on the hub does "
            f"as well as the folder.{selected}",
            _block(
                f"from pathlib import Path\n\n"
                f"from datasets import load_dataset\n\n"
                f'best = load_dataset(str(Path.cwd()), "decile_{best}", split="train")\n'
                f"print(best.num_rows, best[:1])",
                "python",
            ),
            _block(
                "import duckdb\n\n"
                f'print(duckdb.sql("""\n    select reference, translation, {info.primary_score}\n'
                f"    from '{DATA_FILES}'\n    where {column} = {best}\n    limit 5\n"
                '"""))',
                "python",
            ),
            _block(
                "import polars as pl\n\n"
                f'pairs = pl.scan_parquet("{DATA_FILES}")\n'
                f'best = pairs.filter(pl.col("{column}") == {best})\n'
                f'print(best.select("reference", "translation").collect())',
                "python",
            ),
            _block(
                "import pandas as pd\n\n"
                f'best = pd.read_parquet("data", filters=[("{column}", "==", {best})])\n'
                f'print(best[["reference", "translation"]])',
                "python",
            ),
        ]
    )


def _columns(info: ReleaseInfo) -> str:
    scores = {score.name for score in info.scores}
    rows = [
        [
            _code(column.name),
            _escape(type_name(column.type)),
            _escape(column.unit),
            "See below." if column.name in scores else _escape(column.meaning),
        ]
        for column in info.columns
    ]
    return "## Columns\n\n" + _table(["column", "type", "unit", "what it is"], rows)


def _scores(info: ReleaseInfo) -> str:
    entries = []
    for score in info.scores:
        direction = "higher" if score.higher_is_better else "lower"
        unit = f"; unit: {_escape(score.unit)}" if score.unit else ""
        entries.append(
            f"**{_code(score.name)}** ({direction} is better{unit}). {_prose(score.doc)}\n\n"
            f"{score.n:,} pairs have it, {score.nulls:,} do not."
        )
    cuts = _table(
        ["least value of decile", *map(str, range(2, 11))],
        [[_code(s.name), *(f"{cut:.4g}" for cut in s.cuts)] for s in info.scores if len(s.cuts) == 9],
        numbers_from=1,
    )
    text = (
        "Decile 1 is the lowest tenth of all pairs that have the score, decile 10 the highest. Deciles rank "
        "the pairs of this corpus and say nothing of another. Equal values are told apart by a seeded hash "
        "of `pair_id`, so the same value can lie in two deciles."
    )
    return "\n\n".join(["## Scores", *entries, "### Deciles", text, cuts])


def _provenance(info: ReleaseInfo) -> str:
    rows = [
        [
            _code(corpus.corpus),
            _escape(corpus.domain or "not stated"),
            _escape(corpus.source_language),
            f"{corpus.pairs:,}",
            _escape(corpus.licence or "not stated"),
        ]
        for corpus in info.corpora
    ]
    return (
        "## Where the sentences come from, and their licences\n\n"
        + _table(["corpus", "domain", "source language", "pairs", "licence"], rows)
        + "\n\nEach pair keeps the licence of its corpus: the column `licence` holds it, so a part that you "
        "may use is one filter away. A licence here is what whoever built this release stated; nothing "
        "checked it."
    )


def _funnel(info: ReleaseInfo) -> str:
    rows_in = sum(corpus.rows_in for corpus in info.corpora)
    rejects = rejects_by_reason(info.corpora)
    done = info.translation
    rows = [
        ["rows in", f"{rows_in:,}"],
        *([f"rejected: {_escape(reason)}", f"{count:,}"] for reason, count in rejects.items()),
        ["pairs", f"{info.pairs:,}"],
        ["translated by the model", f"{done.translated:,}"],
        ["existing translations", f"{done.existing:,}"],
        ["translation failed (null)", f"{done.failed:,}"],
        *([f"selected: {_code(s.name)}", f"{s.selected:,}"] for s in info.selections),
    ]
    return "## From rows to pairs\n\n" + _table(["", "count"], rows, numbers_from=1)


def _selections(selections: Sequence[SelectionFacts]) -> str:
    if not selections:
        return ""
    text = [
        "## Selections",
        "Boolean columns: a starting point, not a judgement. A null score selects nothing.",
    ]
    for selection in selections:
        sampled = ""
        if selection.sample is not None:
            sampled = f" Of them a sample of at most {selection.sample:,} was asked for, by seeded hash."
        text.append(f"**{_code(selection.name)}** selects {_count(selection.selected, 'pair')}:")
        text.append(_block(selection.where.strip(), "sql"))
        text.append(
            f"The condition holds for {_count(selection.passed, 'pair')} and is null for "
            f"{selection.null:,}.{sampled}"
        )
        if selection.clauses:
            rows = [[_code(c.clause), f"{c.dropped:,}", f"{c.null:,}"] for c in selection.clauses]
            text.append(_table(["clause, by itself", "drops", "is null for"], rows, numbers_from=1))
    return "\n\n".join(text)


def _making(info: ReleaseInfo) -> str:
    recipe = yaml.safe_dump(dict(info.recipe), sort_keys=False, allow_unicode=True, width=110)
    text = [
        "## How it was made",
        "With `paranmt`, from this recipe; `manifest.json` has the same in machine-readable form, with the "
        "checksum of every file.",
        _block(recipe.strip(), "yaml"),
    ]
    if info.models:
        rows = [
            [_escape(m.role), _escape(m.name), _code(m.hash), _escape(m.licence or "not stated")]
            for m in info.models
        ]
        text.append(_table(["used for", "model", "hash", "licence"], rows))
    if info.packages:
        versions = ", ".join(f"{_escape(name)} {_escape(version)}" for name, version in info.packages.items())
        text.append(f"Versions: {versions}.")
    return "\n\n".join(text)


def _limits(info: ReleaseInfo) -> str:
    nulls = max((score.nulls for score in info.scores), default=0)
    points = [
        "Translations are a machine's: some say something else than their reference, drop or add facts, copy "
        "names wrongly, or are not English at all. No person has read these pairs one by one.",
        "Many pairs with a high similarity are exact or near copies; for paraphrases worth learning from, "
        "bound the overlap from above as well as the similarity from below.",
        "The sentences are those of the corpora, with their profanity, prejudices and errors of alignment.",
        "Equal sentences in the corpora stay: nothing was deduplicated, and nothing was checked against the "
        "test sets you may want to evaluate on.",
        "Deciles and thresholds belong to this corpus; a score's value does not carry over to another model.",
    ]
    if info.translation.failed:
        points.append(f"{_count(info.translation.failed, 'pair')} could not be translated and hold nulls.")
    if nulls:
        points.append(
            f"Up to {_count(nulls, 'pair')} lack some score: a pair whose reference the language model was "
            f"trained on is `held_out` and has no perplexity. An encoder that was trained on the corpus "
            "scores all pairs, those it was trained on too."
        )
    return "## Known limits\n\n" + "\n".join(f"- {point}" for point in points)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers_from: int | None = None) -> str:
    """A Markdown table; columns from `numbers_from` on are set to the right."""
    align = ["---:" if numbers_from is not None and i >= numbers_from else "---" for i in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, align, *rows])


def _escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line: a corpus's name brings no markup into the card."""
    return re.sub(r"([\\`*\[\]<>|~&$]|\b_|_\b)", r"\\\1", " ".join(text.split()))


def _code(text: str) -> str:
    """Text as code on one line, fit for a table's cell too."""
    line = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def _block(text: str, language: str) -> str:
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _prose(doc: str) -> str:
    """A docstring as Markdown: our own words, of which only `<` could be taken for markup."""
    return inspect.cleandoc(doc).replace("<", "&lt;")


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _megabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{max(size, 1e4) / 1e6:,.2f} MB"

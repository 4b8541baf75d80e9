"""The dataset card: the README.md of a release, with the header that the Hugging Face hub reads."""

import inspect
import re
from typing import Any

import yaml
from markupsafe import Markup

from ...base.dataset_columns import decile_name
from ...base.templates import environment
from ..manifest.release_summary import ReleaseSummary, rejects_by_reason
from .examples import first_selection

DATA_FILES = "data/train-*.parquet"

VALUES_SHOWN = 12
"""How many values of a score without deciles are listed."""

# The licences that the hub knows. Any other is `other` in the header, and named in the card.
_HUB_LICENCES = frozenset(
    "apache-2.0 mit bsd-2-clause bsd-3-clause cc cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 "
    "cc-by-sa-3.0 cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0 "
    "cc-by-nc-nd-4.0 cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 gfdl gpl-2.0 gpl-3.0 lgpl-3.0 "
    "mpl-2.0 odbl odc-by pddl unlicense".split()
)

# The limits of the hub's size categories: "n<1K", "1K<n<10K", …, "n>1T".
_SIZE_LIMITS = "1K 10K 100K 1M 10M 100M 1B 10B 100B 1T".split()

PARANMT = """\
@inproceedings{wieting-gimpel-2018-paranmt,
  title = {{ParaNMT-50M}: Pushing the Limits of Paraphrastic Sentence Embeddings with Millions of
           Machine Translations},
  author = {Wieting, John and Gimpel, Kevin},
  booktitle = {Proceedings of the 56th Annual Meeting of the Association for Computational
               Linguistics (Volume 1: Long Papers)},
  pages = {451--462},
  year = {2018}
}"""


def dataset_card(release: ReleaseSummary) -> str:
    """The README.md of a release: the hub's YAML header, then Markdown.

    Every `python` block works unchanged in the release's folder.
    """
    return templates.get_template("card.md.jinja").render(
        release=release,
        header=as_yaml(hub_header(release)),
        recipe=as_yaml(without_nulls(dict(release.recipe))).strip(),
        deciles=[decile_name(name) for name in (score.name for score in release.scores)],
        selection=first_selection(release),
        selection_configurations=list(_configurations(release))[11:],
        best=_deciles_best_first(release)[0],
        sources=[corpus.source_language for corpus in release.corpora if corpus.source_language],
        without_source=[corpus.corpus for corpus in release.corpora if not corpus.source_language],
        primary_decile=decile_name(release.primary_score),
        rows_in=sum(corpus.rows_in for corpus in release.corpora),
        rejects=rejects_by_reason(release.corpora),
        keep=release.keep,
        further=sum(corpus.further for corpus in release.corpora),
        bytes=sum(file.bytes for file in release.files.values()),
        most_nulls=max((score.nulls for score in release.scores), default=0),
        scores={score.name: score for score in release.scores},
        values_shown=VALUES_SHOWN,
        data_files=DATA_FILES,
        paranmt=PARANMT,
        citation=citation(release),
    )


def citation(release: ReleaseSummary) -> str:
    """The BibTeX entry of a release."""
    key = re.sub(r"[^a-z0-9]+", "-", release.name.lower()).strip("-") or "paraphrases"
    fields = {
        "title": f"{{{_bibtex(release.name)}}}",  # the second pair of braces keeps its capitals
        "author": " and ".join(map(_bibtex, release.authors)),
        "year": (release.date_published or "")[:4],
        "howpublished": _bibtex(release.url or ""),
        "note": f"{_count(release.pairs, 'pair')}, recipe {release.recipe_hash}",
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", ",\n".join(lines), "}"])


def _bibtex(text: str) -> str:
    """Text for a field of BibTeX, on one line."""
    return re.sub(r"([&%$#_])", r"\\\1", re.sub(r"[{}\\]", "", " ".join(text.split())))


def without_nulls(value: Any) -> Any:
    """A recipe without the keys that have no value, for people to read."""
    if isinstance(value, dict):
        kept = {key: without_nulls(inner) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner is not None and inner != {}}
    return [without_nulls(inner) for inner in value] if isinstance(value, list | tuple) else value


def hub_header(release: ReleaseSummary) -> dict[str, object]:
    """The hub's header: languages, licence, size, and one configuration for each decile and selection.

    A configuration filters by row-group statistics, so `decile_10` fetches about a tenth of the bytes.
    There is no `dataset_info`: the files already contain their types, and with a number of rows
    `load_dataset(…, filters=…)` would fail its check of sizes.
    """
    return {
        "pretty_name": release.name,
        "language": release.languages,
        **hub_licence(release),
        "task_categories": ["sentence-similarity", "text-generation"],
        "tags": ["paraphrase", "back-translation", "sentence-embeddings"],
        "size_categories": [_size_category(release.pairs)],
        "configs": [
            {
                "config_name": name,
                "data_files": [{"split": "train", "path": DATA_FILES}],
                **({"filters": filters} if filters else {}),
            }
            for name, filters in _configurations(release).items()
        ],
    }


def hub_licence(release: ReleaseSummary) -> dict[str, str]:
    """The licence in the hub's header: `other` with a name, unless all pairs have one that the hub knows."""
    licences = release.licences
    if len(licences) == 1 and all(corpus.licence for corpus in release.corpora):
        name = re.sub(r"[^a-z0-9.]+", "-", licences[0].lower()).strip("-")
        if name in _HUB_LICENCES:
            return {"license": name}
        return {"license": "other", "license_name": name or "see-card"}
    return {"license": "other", "license_name": "mixed-see-card" if licences else "not-stated"}


def _size_category(pairs: int) -> str:
    power = len(str(pairs)) - 3  # 1 for thousands
    if power <= 0:
        return f"n<{_SIZE_LIMITS[0]}"
    if power >= len(_SIZE_LIMITS):
        return f"n>{_SIZE_LIMITS[-1]}"
    return f"{_SIZE_LIMITS[power - 1]}<n<{_SIZE_LIMITS[power]}"


def _configurations(release: ReleaseSummary) -> dict[str, list[list[object]]]:
    """The filters of each configuration: everything, the ten deciles, the selections."""
    configurations: dict[str, list[list[object]]] = {"default": []}
    for decile in _deciles_best_first(release):
        configurations[f"decile_{decile}"] = [[decile_name(release.primary_score), "==", decile]]
    for selection in release.selections:
        is_taken = selection.name in configurations
        configurations[f"selection_{selection.name}" if is_taken else selection.name] = [
            [selection.name, "==", True]
        ]
    return configurations


def _deciles_best_first(release: ReleaseSummary) -> range:
    return range(10, 0, -1) if release.primary.higher_is_better else range(1, 11)


def as_yaml(value: object) -> str:
    """A value as YAML, its keys in their order."""
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)


def _escaped(value: object) -> str:
    """Markdown that shows a text literally, on one line; applied to everything that a template prints.

    So the name of a corpus cannot bring markup into the card. Values that are already `Markup` are unchanged.
    """
    if isinstance(value, Markup):
        return value
    return re.sub(r"([\\`*\[\]<>|~&$]|\b_|_\b)", r"\\\1", " ".join(str(value).split()))


def _code(text: str) -> Markup:
    """Text as code on one line, which also works in a cell of a table."""
    line = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (_longest_run_of_backticks(line) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return Markup(f"{fence}{pad}{line}{pad}{fence}")


def _block(text: str, language: str) -> Markup:
    """Text as a code block."""
    fence = "`" * max(3, _longest_run_of_backticks(text) + 1)
    return Markup(f"{fence}{language}\n{text}\n{fence}")


def _longest_run_of_backticks(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def _prose(doc: str) -> Markup:
    """A docstring as Markdown. We wrote it, so only `<` could be mistaken for markup."""
    return Markup(inspect.cleandoc(doc).replace("<", "&lt;"))


def _prose_line(doc: str) -> Markup:
    """A docstring as one line of Markdown, for a cell of a table."""
    return Markup(" ".join(_prose(doc).split()).replace("|", "\\|"))


def _words(n: int) -> str:
    """A small number as a word, to begin a title."""
    return ["No", "One", "Two", "Three", "Four", "Five"][n] if n <= 5 else str(n)


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _megabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{max(size, 1e4) / 1e6:,.2f} MB"


templates = environment("paranmt.pipeline.release", _escaped)
templates.filters |= {
    "block": _block,
    "code": _code,
    "count": _count,
    "megabytes": _megabytes,
    "number": "{:,}".format,
    "percent": "{:.0%}".format,
    "prose_line": _prose_line,
    "words": _words,
}

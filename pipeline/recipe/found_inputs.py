"""Entries of `bitext` for unknown files, by their first rows: formats, languages and sides."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import pyarrow as pa

from ...base.dataset_columns import column_problem
from ...base.errors import InputError
from ...base.streams import (
    COMPRESSIONS,
    LONGEST_LINE,
    LineReader,
    file_system,
    open_raw,
    open_stream,
    reaching,
    reading,
)
from ...filters import SCORES
from ...filters.language import LANGUAGES, likeliest_language
from ...transforms.bitexts.input_file import InputFile
from ...transforms.bitexts.inputs import BitextInput, input_files
from ...transforms.bitexts.readers import read_records
from ...transforms.bitexts.readers.parquet import PARQUET, score_columns, text_columns
from ...transforms.bitexts.readers.reader import Place

SAMPLE = 200
"""How many rows of a file are looked at."""

MOST_LINES = 1_000_000
"""How many lines of a file are counted at most."""

_HEAD_BYTES = 1 << 20
_LONGEST = 2_000  # characters of a sample's sentence
_TMX_LANGUAGE = re.compile(rb"""<tuv\s[^>]*?lang\s*=\s*["']([A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*)["']""")
_WORDS = re.compile(r"([._-]*)([a-z0-9]+)")
_ENDINGS = ("tsv", "txt", "tmx", "parquet")


Key = Place | Mapping[str, Place]
"""The value of a key of an entry."""


@dataclass(frozen=True)
class FoundInput:
    """An entry of `bitext`, by its keys, and how many pairs and rejects its first rows give."""

    keys: Mapping[str, Key]
    pairs: int
    rejects: int

    @property
    def scores(self) -> Mapping[str, Place]:
        """Where the scores are that come with the pairs, by name."""
        scores = self.keys.get("scores", {})
        return scores if isinstance(scores, Mapping) else {}


@dataclass(frozen=True)
class _Lines:
    """A file with a sentence a line. stem: its name without endings and without languages.

    lines: as many as there are, but not more than MOST_LINES.
    """

    path: str
    stem: str
    lines: int
    language: str

    @property
    def length(self) -> str:
        """The number of lines for messages."""
        return f"{self.lines:,}{' or more' * (self.lines == MOST_LINES)} lines"


def found_inputs(paths: Sequence[str], reference_language: str = "en") -> list[FoundInput]:
    """An entry for each bitext in these files. Files with a sentence a line are paired by their names.

    A second text in the language of the references is taken as a translation. InputError if the files do
    not show what they are: it says what was found, and what is expected.
    """
    if missing := [path for path in paths if not _is_file(path)]:
        raise InputError(f"there is no file {', '.join(missing)}; correct the paths")
    entries: list[dict[str, Key]] = []
    sides: list[_Lines] = []
    for path in paths:
        found = _entry(path, reference_language)
        if isinstance(found, _Lines):
            sides.append(found)
        else:
            entries.append(found)
    entries += _moses(sides, reference_language)
    names = _names([str(entry.pop("corpus")) for entry in entries])
    other: dict[str, Key] = {} if reference_language == "en" else {"reference_language": reference_language}
    return [_tried({"corpus": name, **entry, **other}) for name, entry in zip(names, entries, strict=True)]


def _entry(path: str, reference_language: str) -> dict[str, Key] | _Lines:
    with open_raw(path) as raw, reading(path):
        is_parquet = raw.read(4) == b"PAR1"
    corpus: dict[str, Key] = {"corpus": _stem(path)}
    if is_parquet:
        named: dict[Place, list[str]] = {name: _cells(path, name) for name in text_columns(path)}
        sides = _sides(path, named, reference_language)
        scores = _scores({name: name for name in score_columns(path)})
        return corpus | {"format": "parquet", "path": path} | sides | scores
    with open_stream(path) as stream, reading(path):
        head = stream.read(_HEAD_BYTES)
    if b"<tmx" in head[:4096].lower():
        return corpus | {"format": "tmx", "path": path} | _tmx_languages(path, head, reference_language)
    rows = [line.split("\t") for line in _first_lines(path)]
    if not rows:
        raise InputError(
            f"{path} has no lines with text in its first {_HEAD_BYTES:,} bytes; leave it out, or write its "
            "entry by hand"
        )
    width = Counter(map(len, rows)).most_common(1)[0][0]
    if width == 1:
        language = _language([row[0] for row in rows])
        if language is None:
            raise InputError(f"{path}: no language is known for its first lines; write its entry by hand")
        return _Lines(path, _stem(path), _count_lines(path), language)
    whole = [row for row in rows if len(row) == width]
    columns: dict[Place, list[str]] = {
        number: list(column) for number, column in enumerate(zip(*whole, strict=True), start=1)
    }
    sides = _sides(path, columns, reference_language)
    is_header = not any(" " in cell or _is_number(cell) for cell in rows[0])
    names = rows[0] if is_header else [""] * width
    scores = _scores(
        {place: name for place, name in enumerate(names, start=1) if _has_scores(columns[place][is_header:])}
    )
    is_czeng = width in (4, 6) and (sides.get("source"), sides["reference"]) == (width - 1, width)
    if is_czeng and _is_number(whole[-1][1]):
        return (
            corpus | {"format": "czeng", "path": path, "source_language": sides["source_language"]} | scores
        )
    header: dict[str, Key] = {"header": True} if is_header else {}
    return corpus | {"format": "tsv", "path": path} | sides | scores | header


def _sides(path: str, columns: Mapping[Place, list[str]], reference_language: str) -> dict[str, Key]:
    """Where each side is, by the languages of columns."""
    languages = {place: language for place, texts in columns.items() if (language := _language(texts))}
    english = [place for place, language in languages.items() if language == reference_language]
    others = [place for place, language in languages.items() if language != reference_language]
    if len(others) > 1 or len(english) > 2 or len(english) + len(others) < 2 or not english:
        found = ", ".join(f"{place} {language}" for place, language in languages.items()) or "none"
        raise InputError(
            f"{path}: expected a column in {reference_language} and one in another language, or two in "
            f"{reference_language}; found: {found}; write its entry by hand"
        )
    sides: dict[str, Key] = {}
    if others:
        sides |= {"source_language": languages[others[0]], "source": others[0]}
    return sides | dict(zip(("reference", "translation"), english, strict=False))


def _scores(columns: Mapping[Place, str]) -> dict[str, Key]:
    """The key for columns of scores, by the names that the file has for them, where these can be used."""
    scores: dict[str, Place] = {}
    for place, name in columns.items():
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        if column_problem(plain, {*scores, *SCORES}) is not None:
            number = len(scores) + 1 if isinstance(place, str) else place
            plain = "given_score" if len(columns) == 1 else f"given_score_{number}"
        scores[plain] = place
    return {"scores": scores} if scores else {}


def _has_scores(cells: Sequence[str]) -> bool:
    """Whether the cells that are not empty are numbers, and some have a fraction: unlike ids and counts."""
    numbers = [cell for cell in cells if cell.strip()]
    return all(map(_is_number, numbers)) and not all(float(cell).is_integer() for cell in numbers)


def _tmx_languages(path: str, head: bytes, reference_language: str) -> dict[str, Key]:
    tags = Counter(tag.decode().lower() for tag in _TMX_LANGUAGE.findall(head))
    others = [tag for tag, _ in tags.most_common() if _primary(tag) != reference_language]
    if len(others) != 1 or len(tags) < 2:
        raise InputError(
            f"{path}: expected segments in {reference_language} and one other language, got "
            f"{', '.join(tags) or 'none'}; write its entry by hand"
        )
    return {"source_language": _primary(others[0])}


def _moses(sides: Sequence[_Lines], reference_language: str) -> list[dict[str, Key]]:
    """Entries for files with a sentence a line: each source, its reference and each of its translations."""
    english = [side for side in sides if side.language == reference_language]
    entries: list[dict[str, Key]] = []
    used = set()
    for source in sides:
        if source in english:
            continue
        same_length = [side for side in english if side.lines == source.lines]
        references = [side for side in same_length if side.stem == source.stem] or same_length
        if len(references) != 1:
            files = ", ".join(f"{side.path} ({side.length})" for side in english) or "none"
            raise InputError(
                f"{source.path} ({source.length}, {source.language}): expected one file in "
                f"{reference_language} with as many lines, and the same name but for the language; there "
                f"are: {files}; write its entry by hand"
            )
        (reference,) = references
        prefixes = tuple(source.stem + separator for separator in "._-")
        translations = [side for side in same_length if side.stem.startswith(prefixes)]
        used |= {reference, *translations}
        several = sum(side.stem == source.stem for side in sides) > 2
        corpus = f"{source.stem}.{source.language}" if several else source.stem
        entry: dict[str, Key] = {
            "corpus": corpus,
            "format": "moses",
            "source_language": source.language,
            "source": source.path,
            "reference": reference.path,
        }
        entries += [entry | {"corpus": side.stem, "translation": side.path} for side in translations] or [
            entry
        ]
    if unused := [side.path for side in english if side not in used]:
        raise InputError(
            f"{', '.join(unused)}: expected a file in another language with as many lines, and the same name "
            "but for the language; give it too, or leave this one out"
        )
    return entries


def _tried(keys: dict[str, Key]) -> FoundInput:
    """The entry, after its first rows were read by it."""
    (file, *_) = input_files(BitextInput(**keys))  # type: ignore[arg-type]
    batch = next(read_records(file, _LONGEST, SAMPLE), None)
    if batch is None or not len(batch.pairs):
        raise InputError(f"{file.paths[0]}: none of its first rows is a pair; write its entry by hand")
    return FoundInput(keys, len(batch.pairs), len(batch.rejects))


def _is_file(path: str) -> bool:
    fs, name = file_system(path)
    with reaching(path):
        return bool(fs.isfile(name))


def _first_lines(path: str) -> list[str]:
    with LineReader(path, LONGEST_LINE) as reader:
        lines = reader.read(_HEAD_BYTES, _HEAD_BYTES)
    texts = (line.decode("utf-8", "replace") for line in lines if line.strip())
    return list(islice(texts, SAMPLE))


def _count_lines(path: str) -> int:
    """The number of lines, but not more than MOST_LINES."""
    count, last = 0, b"\n"
    with open_stream(path) as stream, reading(path):
        while count < MOST_LINES and (block := stream.read(_HEAD_BYTES)):
            count += block.count(b"\n")
            last = block[-1:]
    return min(count + (last != b"\n"), MOST_LINES)


def _cells(path: str, column: str) -> list[str]:
    """The first texts of a column of a Parquet file."""
    file = InputFile(
        corpus="", name="", format="parquet", paths=(path,), sides=("reference",), fields=(column,)
    )
    block = next(PARQUET.read(file, _LONGEST), None)
    return [] if block is None else [text.decode() for text in block.sides[0][:SAMPLE]]


def _language(texts: Sequence[str]) -> str | None:
    """The language of more than half of the texts that look like sentences, if these are most of them."""
    sentences = [text for text in texts if " " in text.strip()]
    if 2 * len(sentences) <= len(texts):
        return None
    language, count = Counter(likeliest_language(pa.array(sentences)).to_pylist()).most_common(1)[0]
    return language if 2 * count > len(sentences) else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _primary(tag: str) -> str:
    return re.split("[-_]", tag)[0].lower()


def _stem(path: str) -> str:
    """The name of a file without endings and languages, as a corpus may be called.

    >>> _stem("data/WMT10.google-base.en.gz"), _stem("train.cs-en.tsv.zst"), _stem("cs.txt")
    ('wmt10.google-base', 'train', 'bitext')
    """
    name = os.path.basename(path).lower()
    for suffix in COMPRESSIONS:
        name = name.removesuffix(suffix)
    words = _WORDS.findall(re.sub(r"[^a-z0-9._-]", "", name))
    kept = (separator + word for separator, word in words if word not in LANGUAGES and word not in _ENDINGS)
    return "".join(kept).lstrip("._-") or "bitext"


def _names(stems: Sequence[str]) -> list[str]:
    """A name for each corpus; numbers tell equal ones apart."""
    short = [stem[:56] for stem in stems]
    earlier = [short[:position].count(stem) for position, stem in enumerate(short)]
    return [
        stem if short.count(stem) == 1 else f"{stem}.{before + 1}"
        for stem, before in zip(short, earlier, strict=True)
    ]

"""TMX: translation units in XML, read as a stream.

We use expat directly. It builds no tree, so memory use does not grow with the file, and it opens nothing
outside the file. A file that declares entities is refused, so nothing expands.
"""

from collections.abc import Iterator, Sequence
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from ....base.errors import InputError
from ....base.streams import open_stream, reading
from ...storage.file_hashes import HashCache
from ..input_file import InputFile
from .reader import BLOCK_ROWS, Fault, FileSample, RawBlock, Reader, Row

_CHUNK = 1 << 16
_END = b"</tu>"
_LONGEST_TAG = 4 << 20  # the most bytes that expat may buffer for one tag or comment
_SHOWN = 10  # languages of a unit that a reject may mention
# Native codes of the document that a unit comes from (TMX 1.4b, section 4): not text, unlike <hi>. Text to be
# translated in a code (<sub>: a footnote, a title) is not part of the sentence around it.
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})


def read_tmx(file: InputFile, limit: int) -> Iterator[RawBlock]:
    """Blocks of translation units; a record is a <tu>. limit: the most bytes of a segment that are kept.

    A language tag finds its exact tag first, then longer ones (cs finds cs-CZ); case does not matter. Inline
    codes are left out; the text between them is kept.
    """
    path = file.paths[0]
    units = _Units(file, limit)
    fed = 0
    with open_stream(path) as stream:
        while True:
            with reading(path, units.reached):
                chunk = stream.read1(_CHUNK)
            fed += len(chunk)
            units.feed(chunk, fed)
            if len(units.records) >= BLOCK_ROWS or (units.records and not chunk):
                yield units.take()
            if not chunk:
                return


class _Units:
    """Collects units as expat reports their pieces."""

    def __init__(self, file: InputFile, limit: int) -> None:
        self._file = file
        self._limit = limit
        self._wanted = [str(field).lower().replace("_", "-") for field in file.fields]
        self._count = 0
        self._clear()
        self._root_seen = False
        self._languages: dict[str, bytes] = {}  # the unit's first segment in each language; b"" if not wanted
        self._language: str | None = None
        self._segment: list[str] | None = None  # pieces of the segment that is open
        self._length = 0
        self._codes = 0  # inline codes that are open
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._entity_declared
        self._parser.SkippedEntityHandler = self._entity_skipped

    def reached(self) -> str:
        return f"after unit {self._count:,}"

    def feed(self, chunk: bytes, fed: int) -> None:
        """Parse the next bytes of the file; none at its end. fed: how many bytes that makes in total."""
        path = self._file.paths[0]
        try:
            self._parser.Parse(chunk, not chunk)
        except (expat.ExpatError, LookupError, ValueError) as error:
            # LookupError, ValueError: an encoding that does not exist, or has several bytes per character.
            message = f"{path}: not well-formed XML, {self.reached()}: {error}; fix the file there"
            raise InputError(message) from error
        if fed - self._parser.CurrentByteIndex > _LONGEST_TAG:
            raise InputError(f"{path}: has a tag of more than {_LONGEST_TAG:,} bytes, {self.reached()}")

    def take(self) -> RawBlock:
        """The units collected since the last call."""
        block = RawBlock(self.records, self.sides, self.faults)
        self._clear()
        return block

    def _clear(self) -> None:
        self.records: list[int] = []
        self.sides: tuple[list[bytes], ...] = tuple([] for _ in self._wanted)
        self.faults: dict[int, Fault] = {}

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._root_seen:
            self._root_seen = True
            if name != "tmx":
                raise InputError(
                    f"{self._file.paths[0]}: expected <tmx> as the outermost element, got <{name[:40]}>"
                )
        if name == "tu":
            self._languages = {}
        elif name == "tuv":
            tag = attributes.get("xml:lang", attributes.get("lang", ""))
            self._language = tag.lower().replace("_", "-")
        elif name == "seg":
            self._segment, self._length, self._codes = [], 0, 0
        elif name in _CODES and self._segment is not None:
            self._codes += 1

    def _text(self, text: str) -> None:
        if self._segment is not None and self._codes == 0 and self._length <= self._limit:
            self._segment.append(text)
            self._length += len(text)

    def _end(self, name: str) -> None:
        if name == "tu":
            self._finish()
        elif name == "seg" and self._segment is not None:
            self._keep("".join(self._segment).encode("utf-8"))
            self._segment = None
        elif name == "tuv":
            self._language = None
        elif name in _CODES and self._segment is not None:
            self._codes -= 1

    def _keep(self, segment: bytes) -> None:
        language = self._language
        if language is None or language in self._languages:
            return
        if any(language == wanted or language.startswith(wanted + "-") for wanted in self._wanted):
            self._languages[language] = segment
        elif len(self._languages) < _SHOWN:
            self._languages[language] = b""

    def _finish(self) -> None:
        self._count += 1
        for side, wanted, column in zip(self._file.sides, self._wanted, self.sides, strict=True):
            segment = self._of_language(wanted)
            if segment is None and side != "translation":
                languages = ", ".join(sorted(self._languages)) or "nothing"
                detail = f"no segment in {wanted[:40]}; the unit has {languages[:200]}"
                self.faults.setdefault(len(self.records), Fault(side, f"empty_{side}", detail))
            column.append(segment or b"")
        self.records.append(self._count)

    def _of_language(self, wanted: str) -> bytes | None:
        if wanted in self._languages:
            return self._languages[wanted]
        longer = (tag for tag in self._languages if tag.startswith(wanted + "-") and tag not in self._wanted)
        return next((self._languages[tag] for tag in longer), None)

    def _entity_declared(self, name: str, *declaration: object) -> None:
        raise InputError(
            f"{self._file.paths[0]}: declares the entity {name[:40]!r}; entities are not supported: "
            "replace them with their text"
        )

    def _entity_skipped(self, name: str, is_parameter: int) -> None:
        # Only the DTD, which is not read, could define this entity: it stays as written.
        if not is_parameter:
            self._text(f"&{name};")


def _count(file: InputFile, cache: HashCache) -> int:
    """How often a unit ends, which is close to the number of units and found much faster."""
    count, tail = 0, b""
    with open_stream(file.paths[0]) as stream, reading(file.paths[0]):
        while chunk := stream.read(_CHUNK):
            data = tail + chunk
            count += data.count(_END)
            tail = data[-(len(_END) - 1) :]
    return count


def _write(file: InputFile, rows: Sequence[Row]) -> FileSample:
    def side(language: object, text: bytes) -> str:
        return f"<tuv xml:lang={quoteattr(str(language))}><seg>{escape(text.decode())}</seg></tuv>"

    units = (
        "<tu>" + "".join(side(field, text) for field, text in zip(file.fields, row, strict=True)) + "</tu>\n"
        for row in rows
    )
    start = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header/><body>\n'
    return FileSample(((start + "".join(units) + "</body></tmx>\n").encode(),))


TMX = Reader(read=read_tmx, write=_write, places="languages", count=_count)

"""JSON files of a release as typed objects: sealed with a hash of themselves, and checked before use."""

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from ...base.documents import parse_json
from ...base.errors import InputError
from ...base.terminal import printable_cell
from ...transforms.storage.content_hash import seal, unseal
from ..recipe.problems import problems_of, shown
from ..recipe.section import strict_adapter

T = TypeVar("T")


class TypedJson(Generic[T]):
    """A format of files that hold a dataclass.

    kind: the dataclass. format, version: of the format. stated: for an object, what a file says beside its
    fields; it must follow from them. check: ValueError for an object that its types allow, but its readers do
    not.
    """

    def __init__(
        self,
        kind: type[T],
        format: str,
        version: int,
        stated: Callable[[T], dict[str, Any]] = lambda value: {},
        check: Callable[[T], None] = lambda value: None,
    ) -> None:
        self._adapter = strict_adapter(kind)
        self._fields = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
        self._format = {"format": format, "format_version": version}
        self._stated = stated
        self._check = check

    def content(self, value: T) -> dict[str, Any]:
        """An object as JSON values."""
        return {**self._format, **self._stated(value), **self._adapter.dump_python(value, mode="json")}

    def text(self, value: T) -> bytes:
        """The file of an object."""
        return to_json(seal(self.content(value)))

    def is_foreign(self, text: bytes) -> bool:
        """Whether a text is JSON that another program wrote; damaged JSON may be of any."""
        try:
            content = parse_json(text)
        except ValueError:
            return False
        return not isinstance(content, dict) or content.get("format") != self._format["format"]

    def parse(self, text: bytes, name: str) -> T:
        """The object of a file. name: how errors call the file.

        InputError if it is not such a file, was changed, or is not as paranmt writes it.
        """
        format, version = self._format.values()
        try:
            content = parse_json(text)
        except ValueError as error:
            raise InputError(f"{name} is not JSON: {error}") from None
        if not isinstance(content, dict) or content.get("format") != format:
            raise InputError(f"{name} is not a file of the format {format!r}")
        if (found := content.get("format_version")) != version:
            raise InputError(
                f"{name} has version {shown(found)} of the format; this program knows version {version}"
            )
        try:
            content = unseal(content)
        except ValueError as error:
            raise InputError(f"{name} is damaged or was edited: {error}; fetch it again") from None
        try:
            return self._read(content)
        except ValueError as error:
            message = printable_cell(f"{name} is not as paranmt writes it: {error}; fetch it again")
            raise InputError(message) from None

    def _read(self, content: dict[str, Any]) -> T:
        """The object with this content. ValueError says what is wrong with it."""
        data = {key: value for key, value in content.items() if key in self._fields}
        try:
            value = self._adapter.validate_json(json.dumps(data))
        except ValidationError as error:
            problem = problems_of(error, data, self._adapter.json_schema)[0]
            raise ValueError(f"{'.'.join(map(str, problem.place))}: {problem.message}") from None
        assert value is not None, "it is an object"
        self._check(value)
        expected = self.content(value)
        for key in (*content, *expected):
            if content.get(key) != expected.get(key):
                raise ValueError(f"{key}: it does not agree with the rest")
        return value


def to_json(content: Mapping[str, object]) -> bytes:
    """A JSON object as a release has it."""
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()

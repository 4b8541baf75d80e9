"""Options of commands that are fields of a dataclass: what a field says is not written again for its option.

A command has one parameter for all of them, which is annotated with the fields:

    options: Annotated[Given, from_fields(TranslateOptions, "beam", "engine", "device")]

`with_field_options` turns it into the options `--beam`, `--engine` and `--device`. Their types, bounds,
names to choose from, defaults and help are those of the fields. The parameter holds the values that were
given. All fields of a runner, and of a target of `launch render`, are options (`CommandOptions`).
"""

import functools
import inspect
import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

from ...base.bounds import bounds_of
from ...base.field_docs import field_docs
from ...base.names import NameIn
from .command_options import check_number, given_options

if TYPE_CHECKING:
    from ...pipeline.recipe.document import Data

Given = Mapping[str, "Data"]
"""The values of options that were given, by field."""

_METAVARS: Mapping[object, str] = {int: "N", float: "NUMBER"}
_SENTENCE = re.compile(r".*?\.(?=\s|$)", re.DOTALL)


@dataclass(frozen=True)
class AsOption:
    """Marks a field in its type: how its option is written, where the field's name does not say it."""

    metavar: str
    flag: str | None = None


@dataclass(frozen=True)
class FieldOption:
    """The option that sets a field of a dataclass.

    spellings, metavar: how it is written; by default as the field's `AsOption` says, or else its name with
    dashes, and its name in capitals, `N` or `NUMBER`. help: what the field means to this command, if that is
    not what it means elsewhere; in it, `{help}` is what it means elsewhere. repeats: whether the option can
    be given several times.
    """

    kind: type
    name: str
    spellings: tuple[str, ...] = ()
    metavar: str | None = None
    help: str | None = None
    repeats: bool = False

    @property
    def flags(self) -> tuple[str, ...]:
        """The option as it is written in a command."""
        flag = None if self._mark is None else self._mark.flag
        return self.spellings or (flag or f"--{self.name.replace('_', '-')}",)

    @property
    def parameter(self) -> inspect.Parameter:
        """The parameter of a command that is this option, as Typer takes it; None if it is not given."""
        value: Any = _value_type(get_type_hints(self.kind)[self.name])
        metavar = self.metavar or (None if self._mark is None else self._mark.metavar)
        if metavar is None and value is not bool:
            metavar = _METAVARS.get(value, self.name.upper())
        own = f"{{field {self.kind.__module__}.{self.kind.__qualname__}.{self.name}}}"
        help = (self.help or "{help}").replace("{help}", own)
        if self.repeats:
            value, help = list[str], help if self.help else f"{help} Can be repeated."
        option = typer.Option(
            *self.flags, metavar=metavar, help=help, show_default=False, autocompletion=self._starting
        )
        annotation = Annotated[value | None, option]
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
        )

    @property
    def _hint(self) -> Any:
        return get_type_hints(self.kind, include_extras=True)[self.name]

    @property
    def _mark(self) -> AsOption | None:
        marks = getattr(self._hint, "__metadata__", ())
        return next((mark for mark in marks if isinstance(mark, AsOption)), None)

    def _starting(self, incomplete: str) -> list[str]:
        """The names that a shell offers after what has been typed."""
        return [name for name in _names(self._hint) if name.startswith(incomplete)]

    def check(self, value: Any) -> None:
        """RecipeError, which names the option, for a number that is out of the field's bounds."""
        bounds = bounds_of(self.kind).get(self.name)
        if bounds is not None:
            check_number(self.flags[0], value, bounds)


def from_fields(kind: type, *names: str) -> tuple[FieldOption, ...]:
    """The options that set these fields of a dataclass."""
    return tuple(FieldOption(kind, name) for name in names)


class CommandOptions:
    """Options of which each field, but for `beam_options`, is one of a command; numbers are checked."""

    def __post_init__(self) -> None:
        for option in self.field_options():
            option.check(getattr(self, option.name))

    @classmethod
    def field_options(cls) -> tuple[FieldOption, ...]:
        """The option of each field."""
        lists = {name for name, hint in get_type_hints(cls).items() if hint == tuple[str, ...]}
        return tuple(
            FieldOption(cls, field.name, repeats=field.name in lists)
            for field in fields(cls)  # type: ignore[arg-type]
            if field.name != "beam_options"
        )

    @classmethod
    def flags(cls) -> dict[str, str]:
        """The flag of each option → the field it sets."""
        return {option.flags[0]: option.name for option in cls.field_options()}


def with_field_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters that are annotated with fields are the options of these fields."""
    signature = inspect.signature(command, eval_str=True)
    chosen = {name: _fields_of(each.annotation) for name, each in signature.parameters.items()}

    @functools.wraps(command)
    def wrapped(**values: Any) -> None:
        for name, options in chosen.items():
            if options:
                given = given_options({option.name: values.pop(option.name) for option in options})
                for option in options:
                    option.check(given.get(option.name))
                values[name] = given
        command(**values)

    parameters = [
        each
        for name, own in signature.parameters.items()
        for each in [option.parameter for option in chosen[name]]
        or [own.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
    ]
    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {each.name: each.annotation for each in parameters}
    return wrapped


def field_help(kind: type, name: str) -> str:
    """The first sentence of a field's documentation, the values that it does not name, and the default."""
    documented = [base for base in kind.__mro__ if is_dataclass(base) and name in field_docs(base)]
    text = _sentence(field_docs(documented[0])[name])
    (default,) = (field.default for field in fields(kind) if field.name == name)
    names = _names(get_type_hints(kind, include_extras=True)[name])
    if any(value not in text for value in names if value != default):
        listed = f"{', '.join(names[:-1])} or {names[-1]}"
        text = f"{text}: {listed}" if text[0].isupper() else f"{listed}; {text}"
    is_shown = isinstance(default, int | float | str) and not isinstance(default, bool) and default != ""
    return f"{text}.  [default: {default}]" if is_shown and "by default" not in text else f"{text}."


def _sentence(doc: str) -> str:
    found = _SENTENCE.match(doc)
    sentence = doc if found is None else found.group()
    return " ".join(sentence.split()).removesuffix(".")


def _fields_of(annotation: Any) -> tuple[FieldOption, ...]:
    """The fields that the annotation of a parameter names, or nothing."""
    found: list[FieldOption] = []
    for each in getattr(annotation, "__metadata__", ()):
        found += [each] if isinstance(each, FieldOption) else each if isinstance(each, tuple) else []
    return tuple(found)


def _value_type(hint: Any) -> Any:
    """The type of one value of a field: without None, and text for what a command cannot say otherwise."""
    kinds = [each for each in _kinds(hint) if each is not types.NoneType]
    (kind,) = kinds if len(kinds) == 1 else (str,)
    return kind if kind in (int, float, bool) else str


def _kinds(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _names(hint: Any) -> tuple[str, ...]:
    """The values of a text that must be one of some names."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    for mark in getattr(hint, "__metadata__", ()):
        if isinstance(mark, NameIn):
            return mark.names
    return tuple(name for part in get_args(hint) for name in _names(part))

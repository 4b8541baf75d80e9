"""Options of commands that are fields of a dataclass: what a field says is not written again for its option.

A command has one parameter for all of them, which is annotated with the fields:

    options: Annotated[Given, from_fields(TranslateOptions, "beam", "engine", "device")]

`with_field_options` turns it into the options `--beam`, `--engine` and `--device`. Their types, bounds,
defaults and help are those of the fields. The parameter holds the values that were given.
"""

import functools
import inspect
import re
import types
from collections.abc import Callable, Mapping, Sequence
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
class FieldOption:
    """The option that sets a field of a dataclass.

    spellings: how it is written, by default the field's name with dashes. metavar: by default the name in
    capitals, or `N` or `NUMBER`. help: what the field means to this command, if that is not what it means
    elsewhere. repeats: whether the option can be given several times.
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
        return self.spellings or (f"--{self.name.replace('_', '-')}",)

    @property
    def parameter(self) -> inspect.Parameter:
        """The parameter of a command that is this option."""
        value = _value_type(get_type_hints(self.kind)[self.name])
        metavar = self.metavar
        if metavar is None and value is not bool:
            metavar = _METAVARS.get(value, self.name.upper())
        help = self.help or f"{{field {self.kind.__module__}.{self.kind.__qualname__}.{self.name}}}"
        if self.repeats:
            value, help = list[str], help if self.help else f"{help} Can be repeated."
        return parameter(self.name, value, self.flags, metavar, help)

    def check(self, value: Any) -> None:
        """RecipeError, which names the option, for a number that is out of the field's bounds."""
        bounds = bounds_of(self.kind).get(self.name)
        if bounds is not None:
            check_number(self.flags[0], value, bounds)


def from_fields(kind: type, *names: str) -> tuple[FieldOption, ...]:
    """The options that set these fields of a dataclass."""
    return tuple(FieldOption(kind, name) for name in names)


def parameter(
    name: str, value: Any, flags: Sequence[str], metavar: str | None, help: str
) -> inspect.Parameter:
    """A parameter of a command, as Typer takes it. It is None if the option is not given."""
    option = typer.Option(*flags, metavar=metavar, help=help, show_default=False)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[value | None, option]
    )


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
    if is_shown and "by default" not in text:
        text += f"; by default {default:,}" if isinstance(default, int) else f"; by default {default}"
    return f"{text}."


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
    return ()

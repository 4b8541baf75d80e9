"""Commands that are imported when they are used, and help whose lists of names come from tables."""

import re
from dataclasses import dataclass
from importlib import import_module
from typing import Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from ..options.field_options import field_help, with_field_options
from .console import ending

_FIELD = re.compile(r"\{field ([\w.]+)\.(\w+)\.(\w+)\}")
_NAMES = re.compile(r"\{names of ([\w.]+)\.(\w+)\}")


class NamesInHelp(TyperCommand):
    """A command in whose help `{names of models.evaluation.evaluation_kinds.EVALUATIONS}` is a list of names.

    What is named is a dict, or a Literal, in a module of this package. Help that is the documentation of a
    field is read when it is shown, too.
    """

    def format_options(self, *arguments: Any, **named: Any) -> None:
        for option in self.params:
            if getattr(option, "help", None):
                help = _FIELD.sub(_field, option.help)  # type: ignore[attr-defined]
                option.help = _NAMES.sub(_names, help)  # type: ignore[attr-defined]
        super().format_options(*arguments, **named)


@dataclass(frozen=True)
class ImportedLater:
    """Stands for a command, or a group of them, until it is used: other commands do not wait for its imports.

    place: the function, such as `commands.train_command.train`, or the Typer application of a group.
    """

    place: str

    def __call__(self) -> None:
        """The command without its options, which only its module knows."""

    def command(self, name: str) -> Any:
        """The command itself."""
        module, _, function = self.place.rpartition(".")
        found = getattr(import_module(f"..{module}", __package__), function)
        if isinstance(found, typer.Typer):
            return typer.main.get_group(found)
        app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
        app.command(name, cls=NamesInHelp)(ending(with_field_options(found)))
        return typer.main.get_command(app)


def imported(command: Any) -> Any:
    """The command that another one stands for, or the command itself."""
    later = getattr(command.callback, "__wrapped__", None)
    return later.command(command.name) if isinstance(later, ImportedLater) else command


class CommandsInGroups(TyperGroup):
    """Commands whose help has a heading for each `rich_help_panel`, in the order of their first command."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, None if command is None else imported(command), rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                summary = command.get_short_help_str(formatter.width)
                groups.setdefault(getattr(command, "rich_help_panel", None) or "Commands", []).append(
                    (name, summary)
                )
        width = max(len(name) for rows in groups.values() for name, _ in rows)
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in rows])


def _names(match: re.Match[str]) -> str:
    module, table = match.groups()
    found = getattr(import_module(f"...{module}", __package__), table)
    *most, last = get_args(found) or found
    return f"{', '.join(most)} or {last}"


def _field(match: re.Match[str]) -> str:
    module, kind, name = match.groups()
    return field_help(getattr(import_module(module), kind), name)

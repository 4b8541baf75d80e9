"""The generated parts of docs/reference/: what the code says about its commands, keys, columns and scores."""

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, get_args, get_origin

import pyarrow as pa
import typer

from paranmt.base.dataset_columns import DatasetColumn, decile_column, release_columns, selection_column
from paranmt.filters import SCORES
from paranmt.launch.cli import app
from paranmt.launch.display.help import imported
from paranmt.launch.runners import RUNNERS
from paranmt.pipeline.recipe.recipe import DEFAULT_SCORES
from paranmt.pipeline.recipe.schema import recipe_schema

Schema = dict[str, Any]

_ALIKE = {"tune": "train", "scores.encoder": "train.encoder"}
"""Sections that have keys of another one, which are not repeated."""


# Commands


@dataclass(frozen=True)
class Option:
    """An argument or an option of a command, as its row of the table."""

    names: tuple[str, ...]
    value: str
    default: str
    meaning: str


def commands() -> str:
    """Every command with its arguments and options, below the headings of `paranmt --help`."""
    root = typer.main.get_command(app)
    parts = ["## paranmt", _options_table(_option(each, root) for each in root.params)]
    for heading, group in _groups(root).items():
        parts.append(f"## {heading}")
        parts += [_command(name, command, summary) for name, command, summary in group]
    runs = [_code(name) for name, command in all_commands() if _has_runner(command)]
    parts.append("## Runner options")
    parts.append(
        f"{', '.join(runs)} take these options. [At scale](../scale.md#which-runner) explains the runners."
    )
    return "\n\n".join([*parts, _options_table(runner_options())])


def command_options(command: Any) -> list[Option]:
    """The arguments and options of a command, but for those of a runner, which several have."""
    names = {name for option in runner_options() for name in option.names if _has_runner(command)}
    options = [_option(each, command) for each in command.params]
    return [option for option in options if not set(option.names) & names]


def runner_options() -> list[Option]:
    """`--runner`, the options of every runner, and those for Beam."""
    run = imported(typer.main.get_command(app).commands["run"])
    flags = {"--runner", "beam_options", *(flag for runner in RUNNERS.values() for flag in runner.flags())}
    return [_option(each, run) for each in run.params if set(each.opts) & flags]


def all_commands() -> Iterator[tuple[str, Any]]:
    """Every command by its name, such as `launch render slurm`."""
    for group in _groups(typer.main.get_command(app)).values():
        yield from ((name, command) for name, command, _ in group)


def _has_runner(command: Any) -> bool:
    return any("--runner" in each.opts and each.metavar == "RUNNER" for each in command.params)


def _groups(root: Any) -> dict[str, list[tuple[str, Any, str]]]:
    groups: dict[str, list[tuple[str, Any, str]]] = {}
    for name, command in root.commands.items():
        heading = groups.setdefault(command.rich_help_panel, [])
        heading += _leaves(name, command, command.short_help)
    return groups


def _leaves(name: str, command: Any, summary: str) -> Iterator[tuple[str, Any, str]]:
    command = imported(command)
    if not hasattr(command, "commands"):
        yield name, command, summary
        return
    for part, each in command.commands.items():
        yield from _leaves(f"{name} {part}", each, each.short_help)


def _command(name: str, command: Any, summary: str) -> str:
    before, _, after = inspect.cleandoc(command.help or summary).partition("\b\n")
    examples, _, rest = after.partition("\n\n")
    parts = [f"### paranmt {name}", _text(before)]
    if examples:
        parts.append(f"```\n{inspect.cleandoc(examples)}\n```")
    parts += [_text(paragraph) for paragraph in rest.split("\n\n") if paragraph.strip()]
    parts.append(_options_table(command_options(command)))
    if _has_runner(command):
        parts.append("It also takes the [options of a runner](#runner-options).")
    return "\n\n".join(parts)


def _option(parameter: Any, command: Any) -> Option:
    with typer.Context(command) as context:
        command.get_help(context)  # fills in the documentation of fields
    is_argument = parameter.param_type_name == "argument"
    names = (parameter.metavar or parameter.name.upper(),) if is_argument else tuple(parameter.opts)
    meaning, default = _split_default(parameter.help or "")
    if parameter.required:
        default = "required"
    elif parameter.default is not None and parameter.default is not False:
        default = _written(parameter.default)
    return Option(names, _value(parameter, is_argument), default, meaning)


def _split_default(help: str) -> tuple[str, str]:
    """The meaning and the default that the end of a help text names."""
    found = re.fullmatch(r"(.*?)[;,] by default ([^.;]+(?:\.\d[^.;]*)?)\.( Can be repeated\.)?", help, re.S)
    return (f"{found[1]}.{found[3] or ''}", found[2].removeprefix("there are ")) if found else (help, "")


def _value(parameter: Any, is_argument: bool) -> str:
    annotation = parameter.type_descriptor.annotation
    if inspect.isclass(annotation) and issubclass(annotation, Enum):
        return _choices([each.value for each in annotation])
    if get_origin(annotation) is Literal:
        return _choices(get_args(annotation))
    if is_argument or annotation is bool:
        return ""
    return _code(str(parameter.metavar or parameter.name.upper()))


def _options_table(options: Iterable[Option]) -> str:
    rows = [
        [", ".join(map(_code, each.names)), each.value, _cell(each.default), _cell(each.meaning)]
        for each in options
    ]
    return _table(["option", "value", "default", "meaning"], rows)


# Recipe keys


@dataclass(frozen=True)
class Section:
    """Keys of a recipe that stand in the same place, such as `translate.search`; the top has an empty place.

    members: what the place can hold, by its type, objective or kind; one without a name if it is one thing.
    """

    place: str
    members: Mapping[str, Schema]


@dataclass
class Key:
    """A key with one meaning. kinds: the schema that it has in each member of its section."""

    name: str
    meaning: str
    kinds: dict[str, Schema]
    is_required: bool


def recipe_keys() -> str:
    """Every key of a recipe with its type, default and meaning."""
    schema = recipe_schema()
    sections = {section.place: section for section in sections_of(schema)}
    return "\n\n".join(_section(section, sections, schema) for section in sections.values())


def sections_of(schema: Schema) -> list[Section]:
    """The sections of a recipe, each once, in the order of its keys."""
    found: dict[str, Section] = {}
    _find("", {"": schema}, schema, found)
    top = list(schema["properties"])
    return sorted(found.values(), key=lambda each: top.index(each.place.split(".")[0]) if each.place else -1)


def _find(place: str, members: Mapping[str, Schema], schema: Schema, found: dict[str, Section]) -> None:
    """Add a section and those below it, unless the same was found in another place."""
    if any(section.members == members for section in found.values()):
        return
    found[place] = Section(place, members)
    keys = {key: each for member in members.values() for key, each in member["properties"].items()}
    for key in sorted(keys, key=lambda key: key not in _ALIKE.values()):
        below = _members(keys[key], schema)
        if below:
            _find(f"{place}.{key}".lstrip("."), below, schema, found)


def _members(content: Schema, schema: Schema) -> dict[str, Schema]:
    """The sections that a key can hold, also as the items of a list or as entries with names."""
    names = dict.fromkeys(re.findall(r'"\$ref": "#/\$defs/([^"]+)"', json.dumps(content)))
    return {_member_name(schema["$defs"][name]): schema["$defs"][name] for name in names}


def _member_name(member: Schema) -> str:
    """What tells a section from the others in its place: `avg` of the encoders, for example."""
    for key in ("score", "type", "kind", "objective"):
        value = member["properties"].get(key, {})
        if "const" in value:
            return str(value["const"])
        if key == "objective" and "enum" in value:
            return " or ".join(value["enum"])
    return ""


def _section(section: Section, sections: Mapping[str, Section], schema: Schema) -> str:
    parts = [f"## {section.place or 'The recipe'} {{ #{_anchor(section.place)} }}"]
    alike = sections[_ALIKE[section.place]] if section.place in _ALIKE else None
    if len(section.members) > 1 and alike is None:
        parts.append(_members_table(section))
    elif len(section.members) == 1:
        parts += [_text(each["description"].split("\n\n")[0]) for each in section.members.values()]
    there = [] if alike is None else [(key.name, kind) for key in _keys(alike) for kind in key.kinds.values()]
    keys = _keys(section)
    new = [key for key in keys if any((key.name, kind) not in there for kind in key.kinds.values())]
    parts.append(_keys_table(new, section, sections, schema))
    if alike is not None:
        names = ", ".join(dict.fromkeys(_code(key.name) for key in keys if key not in new))
        parts.append(f"The other keys are those of [{alike.place}](#{_anchor(alike.place)}): {names}.")
    return "\n\n".join(parts)


def _members_table(section: Section) -> str:
    """What a section can be: the value of the key that chooses, and what it means."""
    choices = [key.name for key in _keys(section) if any("const" in kind for kind in key.kinds.values())]
    rows = []
    for name, member in section.members.items():
        shown = f"[{_code(name)}](columns.md#{name})" if name in SCORES else _code(name)
        rows.append([shown, _cell(_first_sentence(member["description"]))])
    return _table([_code(choices[0]), "what it is"], rows)


def _keys(section: Section) -> list[Key]:
    """The keys of a section, those of all its members first."""
    found: dict[tuple[str, str], Key] = {}
    for name, member in section.members.items():
        for key, content in member["properties"].items():
            meaning = content.get("description", "")
            is_required = key in member.get("required", ())
            each = found.setdefault((key, meaning), Key(key, meaning, {}, is_required))
            each.kinds[name] = content
    return sorted(found.values(), key=lambda key: len(key.kinds) < len(section.members))


def _keys_table(keys: list[Key], section: Section, sections: Mapping[str, Section], schema: Schema) -> str:
    several = len(section.members) > 1
    rows = []
    for key in keys:
        types = _by_member({name: _type(kind, sections, schema) for name, kind in key.kinds.items()})
        if all("const" in kind for kind in key.kinds.values()) and several:
            types = "one of the names above"
        defaults = "required" if key.is_required else _by_member(_defaults(key))
        row = [_code(key.name), types, defaults, _cell(key.meaning)]
        if several:
            row.append(_owners(key, section))
        rows.append(row)
    return _table(["key", "type", "default", "meaning", *(["of"] if several else [])], rows)


def _owners(key: Key, section: Section) -> str:
    others = [_code(name) for name in section.members if name not in key.kinds]
    if len(others) <= 3 < len(key.kinds):
        return f"all but {', '.join(others)}" if others else "all"
    return "all" if not others else ", ".join(map(_code, key.kinds))


def _by_member(values: Mapping[str, str]) -> str:
    """A value that all members share, or each with its members."""
    members: dict[str, list[str]] = {}
    for name, value in values.items():
        members.setdefault(value, []).append(name)
    if len(members) == 1:
        return next(iter(members))
    return "; ".join(f"{value or 'none'} ({', '.join(names)})" for value, names in members.items())


def _defaults(key: Key) -> dict[str, str]:
    return {name: _default(kind.get("default")) for name, kind in key.kinds.items()}


def _default(value: object) -> str:
    """A default as a recipe has it; empty if there is none or its section says it."""
    return "" if value in (None, "", [], {}) or isinstance(value, dict) else _code(_written(value))


def _type(content: Schema, sections: Mapping[str, Section], schema: Schema) -> str:
    """What a key can be, in words."""
    below = _members(content, schema)
    if below:
        place = next(place for place, section in sections.items() if section.members == below)
        several = {"array": "a list of ", "object": "names, each with "}.get(content.get("type", ""), "")
        text = "text or " if {"type": "string"} in content.get("anyOf", ()) else ""
        return f"{text}{several}[{place}](#{_anchor(place)})"
    if "anyOf" in content:
        return " or ".join(_type(each, sections, schema) for each in content["anyOf"] if each != _NULL)
    if "const" in content or "enum" in content:
        return _choices(content.get("enum", [content.get("const")]))
    if content.get("type") == "array":
        items = content.get("items") or content["prefixItems"][0]
        return f"a list of {_type(items, sections, schema)}"
    if content.get("type") == "object":
        return f"names, each with {_type(content['additionalProperties'], sections, schema)}"
    if content.get("type") in ("integer", "number"):
        return _number(content)
    return {"string": "text", "boolean": "`true` or `false`"}[content["type"]]


def _number(content: Schema) -> str:
    """A kind of number with its bounds, but for those that only keep out what no machine can hold."""
    what = {"integer": "whole number", "number": "number"}[content["type"]]
    low, high = content.get("minimum"), content.get("maximum")
    above, below = content.get("exclusiveMinimum"), content.get("exclusiveMaximum")
    bounds = []
    if low is not None and high is not None and -_HUGE < low and high < _HUGE:
        return f"{what} from {low:,} to {high:,}"
    if low is not None and low > -_HUGE:
        bounds.append(f"at least {low:,}")
    if above is not None:
        bounds.append(f"above {above:,}")
    if high is not None and high < _HUGE:
        bounds.append(f"at most {high:,}")
    if below is not None:
        bounds.append(f"below {below:,}")
    return ", ".join([what, *bounds])


# The release's columns, and the scores


def columns() -> str:
    """The columns of every release, with those of a score's decile and of a selection."""
    every = release_columns((), candidates=True, duplicates=True)
    others = (decile_column("SCORE"), selection_column("SELECTION", "the condition `where` of the recipe"))
    return _columns_table([*every, *others])


def scores() -> str:
    """Every score: its type, unit and direction, whether recipes have it by default, and its definition."""
    return "\n\n".join(_score(name, kind) for name, kind in SCORES.items())


def _score(name: str, kind: Any) -> str:
    better = {True: "higher is better", False: "lower is better", None: "neither end is better"}
    facts = [
        _arrow_type(kind.dtype),
        kind.unit,
        better[kind.higher_is_better],
        "with deciles" if kind.has_deciles else "no deciles",
        *(["in every recipe without `scores`"] if name in DEFAULT_SCORES else []),
        f"uses {kind.model_kind.replace('_', ' ')}" if kind.model_kind else "",
    ]
    doc = [_text(paragraph) for paragraph in inspect.cleandoc(kind.__doc__).split("\n\n")]
    return "\n\n".join([f"### {name}", "; ".join(fact for fact in facts if fact) + ".", *doc])


def _columns_table(rows: Iterable[DatasetColumn]) -> str:
    cells = [[_code(each.name), _arrow_type(each.type), each.unit, _cell(each.meaning)] for each in rows]
    return _table(["column", "type", "unit", "meaning"], cells)


def _arrow_type(type: pa.DataType) -> str:
    return {"float": "float32"}.get(str(type), "list of structs" if pa.types.is_nested(type) else str(type))


# Markdown


_NULL = {"type": "null"}
_HUGE = 1e9
_PAGE = re.compile(r"\bdocs/([\w-]+)\.md\b")


def _anchor(place: str) -> str:
    return place.replace(".", "-") or "the-recipe"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _text(doc: str) -> str:
    """A paragraph of documentation as Markdown: what is not code means itself; pages are links."""
    parts = re.split(r"(`[^`]+`)", " ".join(doc.split()))
    escaped = [
        part if part.startswith("`") else re.sub(r"([*\[\]])", r"\\\1", part.replace("<", "&lt;"))
        for part in parts
    ]
    return _PAGE.sub(r"[docs/\1.md](../\1.md)", "".join(escaped))


def _cell(doc: str) -> str:
    return re.sub(r"\|(?=[^`]*(?:`[^`]*`[^`]*)*$)", r"\\|", _text(doc))


def _code(text: str) -> str:
    return f"`{text}`"


def _choices(values: Iterable[object]) -> str:
    *most, last = [_code(_written(value)) for value in values]
    return f"{', '.join(most)} or {last}" if most else last


def _first_sentence(doc: str) -> str:
    found = re.match(r".*?(?<!et al)[.](?=\s|$)", " ".join(doc.split()))
    return found[0] if found else doc


def _written(value: object) -> str:
    """A value as it is typed, in a recipe or in a command."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:_}" if value >= 10_000 else str(value)
    return str(value)

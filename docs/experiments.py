"""Writes the parts of docs/experiments.md that come from the tables' definitions and from stored results.

`make experiments` runs it. docs/results/ has a file for each table, as `paranmt reproduce` wrote it.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from paranmt.base.outputs import is_unchanged
from paranmt.launch.display.console import markdown_table
from paranmt.launch.display.evaluation_text import evaluation_text
from paranmt.models.evaluation.table import Row, Table
from paranmt.papers.paper_table import PaperTable, Supervision
from paranmt.papers.paper_tables import TABLES

FOLDER = Path(__file__).resolve().parent
PAGE, RESULTS = FOLDER / "experiments.md", FOLDER / "results"

_UNSHOWN = {"median", "seeds", "pairs"}
_MOST_SETS = 12
_LINE = 90

T = TypeVar("T")
_HOLDS = {"holds": "hold", "does not hold": "do not hold", "within noise": "are within noise"}


def written(page: str, results: Path = RESULTS) -> str:
    """The page with its generated parts as they follow from the definitions and the results."""
    files = {file.stem: file for file in results.glob("*.json")}
    if unknown := files.keys() - TABLES.keys():
        raise SystemExit(f"{results} has results of no table: {', '.join(sorted(unknown))}")
    if changed := [str(file) for file in files.values() if not is_unchanged(file)]:
        raise SystemExit(f"not as `paranmt reproduce` wrote them: {', '.join(changed)}")
    stored = {name: json.loads(files[name].read_text("utf-8")) for name in TABLES if name in files}
    notes = _by_tables((note, name) for name, each in stored.items() for note in each["setting"])
    shared = {note: names for note, names in notes.items() if len(names) > 1}
    sections = [_section(TABLES[name], each, shared) for name, each in stored.items()]
    parts = [*_verdicts(stored.values()), *_all_data(stored), *_shared_notes(shared), *sections]
    return _with_part(_with_part(page, "list of tables", _list()), "results", "\n\n".join(parts))


def _with_part(page: str, name: str, text: str) -> str:
    """The page with a text between the two comments that mark a part."""
    start, end = f"<!-- {name}: written by `make experiments` -->", f"<!-- end of {name} -->"
    if page.count(start) != 1 or page.count(end) != 1:
        raise SystemExit(f"expected {start} and {end} once in {PAGE}")
    before, _, rest = page.partition(start)
    return f"{before}{start}\n{text}\n{end}{rest.partition(end)[2]}"


def _list() -> str:
    rows = [[f"`{table.name}`", table.title, _roles(table), _trainings(table)] for table in TABLES.values()]
    return markdown_table(["name", "what it compares", "data", "training runs"], rows)


def _roles(table: PaperTable) -> str:
    """The roles of its data; those of which the data has corpora with names say so."""
    named = {source.role for system in table.systems for source in system.sources if source.corpus}
    return ", ".join(f"`{role}` with names" if role in named else f"`{role}`" for role in table.roles)


def _trainings(table: PaperTable) -> str:
    """How many trainings a row has with one seed."""
    usual, tuned = set(), set()
    for system in table.systems:
        task, choices = system.task, max(1, len(system.choices))
        weights = len(task.grid or "1") * len(task.heads or "1") if isinstance(task, Supervision) else 1
        tuned.add(choices * max(1, len(system.grid)) * weights)
        if not system.is_oracle:
            usual.add(choices)
    return _range(usual) + (f", with `--grid` {_range(tuned)}" if tuned != usual else "")


def _range(counts: Collection[int]) -> str:
    """The lowest and the highest count, or the only one."""
    return " to ".join(f"{count:,}" for count in dict.fromkeys((min(counts), max(counts))))


def _verdicts(stored: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """How many of all claims hold."""
    found = Counter(row["verdict"] for results in stored for row in results["claims"]["rows"])
    if total := sum(found[verdict] for verdict in _HOLDS):
        counts = ", ".join(f"{found[verdict]} {words}" for verdict, words in _HOLDS.items() if found[verdict])
        yield f"Of {total} claims that were tested, {counts}."


def _all_data(stored: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The data of all tables, each once."""
    data = _by_tables(
        (_data(each), name) for name, results in stored.items() for each in results["origin"]["data"]
    )
    rows = [[*each, _codes(names)] for each, names in data.items()]
    if rows:
        yield markdown_table(["role", "data", "size", "xxh3", "tables"], rows)


def _data(data: Mapping[str, Any]) -> tuple[str, ...]:
    corpus = f", {data['corpus']}" if data["corpus"] else ""
    return f"`{data['role']}`{corpus}", _codes(data["names"]), data["size"], f"`{data['hash'][:16]}`"


def _shared_notes(shared: Mapping[str, list[str]]) -> Iterator[str]:
    """What holds for several tables."""
    if shared:
        yield "\n".join(f"- {note} ({_codes(names)})" for note, names in shared.items())


def _by_tables(pairs: Iterable[tuple[T, str]]) -> dict[T, list[str]]:
    """Things with the tables that have them."""
    found: dict[T, list[str]] = {}
    for thing, table in pairs:
        found.setdefault(thing, []).append(table)
    return found


def _section(table: PaperTable, results: Mapping[str, Any], shared: Collection[str]) -> str:
    """What is shown of the results of a table. shared: notes that are said once for several tables."""
    origin, systems = results["origin"], Table.from_json(results["systems"])
    finished = [row for row in systems.rows if row.values["seeds"]]
    groups = {row.values["group"] for row in finished}
    absent = [row.values for row in systems.rows if not row.values["seeds"]]
    left_out = dict.fromkeys(
        f"{row['system']}{f' ({group})' if group else ''}"
        if (group := row["group"]) in groups
        else str(group)
        for row in absent
    )
    notes = [note for note in results["setting"] if note not in shared]
    if left_out:
        notes.append(f"rows that were not run: {'; '.join(left_out)}")
    parts = [
        f"### `{table.name}`: {table.title}",
        f"{_code_and_date(origin)} {_counts(finished)}",
        f"```\n{_in_lines(origin['command'])}\n```",
        _text(replace(systems, rows=finished)),
        *_claims(Table.from_json(results["claims"])),
        *_sets(Table.from_json(results["sets"])),
        *_distances(Table.from_json(results["distances"])),
        "\n".join(f"- {note}" for note in notes),
    ]
    return "\n\n".join(part for part in parts if part)


def _in_lines(command: str) -> str:
    """A command in lines that a page has room for."""
    first, *options = re.split(r" (?=--)", command)
    lines = [first]
    for option in options:
        if len(lines[-1]) + len(option) < _LINE:
            lines[-1] += f" {option}"
        else:
            lines[-1] += " \\"
            lines.append(f"    {option}")
    return "\n".join(lines)


def _code_and_date(origin: Mapping[str, Any]) -> str:
    commit = f", commit {origin['commit']}" if origin["commit"] else ""
    return f"{origin['date']}, paranmt {origin['version']}{commit}."


def _counts(rows: Collection[Row]) -> str:
    """How many seeds and pairs the rows have."""
    seeds, pairs = (
        {count for row in rows if isinstance(count := row.values[name], int) and count}
        for name in ("seeds", "pairs")
    )
    return f"{_range(seeds)} seeds" + (
        f", each on {_range(pairs)} pairs." if pairs else ". Nothing was trained."
    )


def _claims(claims: Table) -> Iterator[str]:
    """The claims that were tested."""
    if tested := [row for row in claims.rows if row.values["verdict"] in _HOLDS]:
        yield _text(replace(claims, rows=tested))


def _sets(sets: Table) -> Iterator[str]:
    """Single sets and systems, those that are fewer in columns; only the means of years if there are many."""
    names = list(dict.fromkeys(str(row.values["set"]) for row in sets.rows))
    if len(names) > _MOST_SETS:
        names = [name for name in names if len(name.split()) == 1]
    rows = {(str(row.values["system"]), str(row.values["set"])): row.values for row in sets.rows}
    systems = list(dict.fromkeys(system for system, name in rows if rows[system, name]["ours"] is not None))
    if not systems:
        return
    is_wide = len(names) < len(systems)
    across, down = (names, systems) if is_wide else (systems, names)
    columns = {column.name: column for column in sets.columns}
    heads = ["", *(head for name in across for head in (f"{name}, paper", "ours"))]
    lines = []
    for label in down:
        keys = [(label, name) if is_wide else (name, label) for name in across]
        figures = [rows.get(key, {}) for key in keys]
        lines.append(
            [label, *(columns[one].text(each.get(one)) for each in figures for one in ("paper", "ours"))]
        )
    yield markdown_table(heads, lines, right=heads[1:])


def _distances(distances: Table) -> Iterator[str]:
    rows = [row for row in distances.rows if row.values["ours"] is not None]
    if rows:
        yield distances.caption
        yield _text(replace(distances, rows=rows))


def _text(table: Table) -> str:
    return evaluation_text(_without(table, _UNSHOWN), markdown=True)


def _without(table: Table, names: set[str]) -> Table:
    columns = [column for column in table.columns if column.name not in names]
    kept = {column.name for column in columns}
    rows = [
        Row({name: value for name, value in row.values.items() if name in kept}, row.note)
        for row in table.rows
    ]
    return replace(table, columns=columns, rows=rows)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), encoding="utf-8")

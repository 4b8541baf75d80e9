"""The site: it is built without a warning and without a network, and its reference has everything once."""

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

import paranmt
from paranmt.base.dataset_columns import release_columns
from paranmt.filters import SCORES
from paranmt.launch.cli import app
from paranmt.launch.display.help import imported
from paranmt.pipeline.recipe.schema import recipe_schema

ROOT = Path(__file__).resolve().parents[2]

if not (ROOT / "mkdocs.yml").exists():
    pytest.skip("no docs beside the tests: they run against a wheel", allow_module_level=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. Any warning ends the build, and whatever asks for a network gets none."""
    folder = tmp_path_factory.mktemp("site")
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    program = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    done = subprocess.run(
        program,
        cwd=ROOT,
        env={**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("reference")


class Addresses(HTMLParser):
    """What a page makes a browser fetch, and where its links lead."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.links: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "srcset", "data", "action", "poster") or (name, tag) == ("href", "link"):
                self.fetched.append(value or "")
            elif (name, tag) == ("href", "a"):
                self.links.append(value or "")


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 15
    for page in pages:
        for address in Addresses(page).fetched:
            assert not re.match(r"[a-z]+:|//", address) or address.startswith("data:"), f"{page}: {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(\s*[\"']?(https?:)?//|@import", style.read_text("utf-8")), style


def test_pictures_are_small_and_fetch_nothing() -> None:
    for picture in (ROOT / "docs/img").iterdir():
        assert picture.stat().st_size <= 150_000, picture
        if picture.suffix == ".svg":
            assert not re.search(r"url\(\s*[\"']?\w+:|href|@import|@font-face", picture.read_text("utf-8")), (
                picture
            )


def test_a_terminal_is_drawn_as_it_is_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    terminal = importlib.import_module("terminal")
    output = "one\r\na bar\r\n50 %\r\x1b[2K\x1b[1A\x1b[2Ktwo\r\n\x1b[31mred\x1b[0m\r\n"
    assert terminal.screen(output) == "one\ntwo\n\x1b[31mred\x1b[0m\n"
    drawn = terminal.terminal_svg("paranmt run", output, 20, "a <title>")
    assert re.findall(r"<text[^>]*>([^<\n]+)</text>", drawn) == [
        "$&#160;paranmt&#160;run",
        "one",
        "two",
        "red",
    ]
    assert "<title>a &lt;title&gt;</title>" in drawn and "@font-face" not in drawn


def test_every_page_is_there_and_no_program(site: Path) -> None:
    docs = {file.relative_to(ROOT / "docs").with_suffix(".html") for file in (ROOT / "docs").rglob("*.md")}
    outside = {Path(f"{name}.html") for name in ("index", "contributing", "changelog", "security", "404")}
    assert {file.relative_to(site) for file in site.rglob("*.html")} == docs | outside
    assert not [*site.rglob("*.py"), *site.rglob("results/*")]


def test_pages_from_outside_have_links_of_the_site(site: Path) -> None:
    """mkdocs has checked the links to pages; what is no page is no link."""
    home = Addresses(site / "index.html").links
    assert {"your-bitext.html", "changelog.html", "encoders.html#averages-from-public-data-alone"} <= set(
        home
    )
    for page in ("index.html", "contributing.html", "papers.html"):
        assert not [link for link in Addresses(site / page).links if re.search(r"\.(py|yaml|md)\b", link)]
    assert "contributing.html#adding-to-it" in Addresses(site / "choosing.html").links


def test_generated_parts_are_on_the_site(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert "<!-- generated: " not in page.read_text("utf-8"), page
    assert 'id="paranmt-run"' in (site / "reference/commands.html").read_text("utf-8")
    assert 'id="translate-search"' in (site / "reference/recipe-keys.html").read_text("utf-8")
    assert 'id="trigram_overlap"' in (site / "reference/columns.html").read_text("utf-8")
    assert "Kubernetes" in (site / "status.html").read_text("utf-8")


# The reference: everything is there once


def leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    command = imported(command)
    if not hasattr(command, "commands"):
        yield name, command
        return
    for part, each in command.commands.items():
        yield from leaves(f"{name} {part}", each)


def rows(text: str, name: str) -> list[list[str]]:
    """The rows of tables for a name: their cells, the fourth of which is the meaning."""
    lines = re.findall(rf"^\| `{re.escape(name)}`(?:, `[^`]+`)* \|.*$", text, re.M)
    return [re.split(r"(?<!\\) \| ", line[2:-2]) for line in lines]


def test_every_command_and_option_is_documented_once(reference: ModuleType) -> None:
    *sections, runner = re.split(r"^##+ ", reference.commands(), flags=re.M)
    assert rows(runner, "--runner"), "the options of runners have a section of their own"
    by_name = {section.partition("\n")[0]: section for section in sections}
    count = 0
    for name, command in leaves("paranmt", typer.main.get_command(app)):
        section = by_name[name]
        assert re.search(rf"^{name}\b", section.partition("```")[2].strip(), re.M), f"{name} has an example"
        for each in command.params:
            is_option = each.param_type_name == "option"
            label = each.opts[0] if is_option else each.metavar or each.name.upper()
            found = rows(section, label)
            if not found and "runner-options" in section:
                found = rows(runner, label)
            assert len(found) == 1, f"{name} {label}"
            assert re.search(r"\w{2}", found[0][3]), f"{name} {label} has no meaning"
            count += is_option
    assert count > 250


def words(text: str) -> list[str]:
    return re.findall(r"\w+", re.sub(r"\]\([^)]*\)|&lt;", "", text))


def test_every_recipe_key_is_documented_once(reference: ModuleType) -> None:
    page = reference.recipe_keys()
    schema = recipe_schema()
    count = 0
    for section, content in {"": schema, **schema["$defs"]}.items():
        for key, kind in content["properties"].items():
            meaning = words(kind.get("description", ""))
            found = [row for row in rows(page, key) if words("".join(row[3:4])) == meaning]
            assert meaning and found, f"{section}.{key} is not documented"
            count += 1
    assert count > 600
    for part in page.split("\n## "):
        documented = re.findall(r"^\| (`\w+` \|.*)$", part, re.M)
        assert len(documented) == len(set(documented)), part.partition("\n")[0]


def test_a_key_has_its_type_and_default(reference: ModuleType) -> None:
    page = reference.recipe_keys()
    assert rows(page, "beam")[0][1:3] == ["whole number from 1 to 50", "`12`"]
    assert ["a list of [bitext](#bitext)", "required"] in [row[1:3] for row in rows(page, "bitext")]
    (hidden,) = rows(page, "hidden")
    assert hidden[2] == "`[512]` (nli); `[50]` (relatedness); none (classification)"
    (brevity,) = rows(page, "brevity")
    assert brevity[1:3] == ["`paper` or `shorter_only`", "`paper`"] and brevity[-1] == "`sentence_bleu`"


def test_every_column_and_score_is_documented_once(reference: ModuleType) -> None:
    table = reference.columns()
    for column in release_columns((), candidates=True, duplicates=True):
        assert len(rows(table, column.name)) == 1, column.name
    page = reference.scores()
    assert re.findall(r"^### (\w+)$", page, re.M) == list(SCORES)
    for section in page.split("### ")[1:]:
        assert len(words(section)) > 20, section


def test_the_python_reference_has_every_name() -> None:
    page = (ROOT / "docs/reference/python.md").read_text("utf-8")
    assert set(re.findall(r"^::: paranmt\.(\w+)$", page, re.M)) == set(paranmt._MODULES)

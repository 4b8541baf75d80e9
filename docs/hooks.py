"""What `make docs` adds to the pages in this folder; mkdocs.yml names it as a hook.

- README, CONTRIBUTING, CHANGELOG and SECURITY are pages too. Links work in the repository and on the site; a
  link to a file that is no page is plain text there.
- A line that ends in `<!-- generated: NAME -->` becomes the text that `PARTS` has under this name.
- The Python reference is read from the modules of the package alone, because the checkout's folder may have
  any name and holds much else.
- Nested lists are indented by four spaces, as Python-Markdown reads them.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Pages that are not in this folder, and what they are on the site."""


def _what_was_tested() -> str:
    """The table of README, so that there is one."""
    readme = (ROOT / "README.md").read_text("utf-8")
    found = re.search(r"^## What was tested\n+((?:\|.*\n)+)", readme, re.M)
    assert found, "README.md has a table under `What was tested`"
    return re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", found[1])


PARTS: Mapping[str, Callable[[], str]] = {
    "commands": reference.commands,
    "recipe keys": reference.recipe_keys,
    "columns": reference.columns,
    "scores": reference.scores,
    "what was tested": _what_was_tested,
}

_FENCE = re.compile(r"(^```.*?^```$)", re.M | re.S)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)( \"[^\"]*\")?\)")
_PART = re.compile(r"^.*<!-- generated: (.+) -->$", re.M)
_LIST = re.compile(r"^- .*\n(?:(?:- | ).*\n)*", re.M)


def on_startup(**_: object) -> None:
    """Make a folder with links to the package's modules, from which mkdocstrings reads them."""
    package = ROOT / ".build/api/paranmt"
    package.mkdir(parents=True, exist_ok=True)
    for part in [ROOT / "__init__.py", *(file.parent for file in ROOT.glob("*/__init__.py"))]:
        link = package / part.name
        if not link.exists():
            link.symlink_to(part)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside this folder."""
    for name, page in OUTSIDE.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text of a page as the site has it."""
    inside = {there: here for here, there in OUTSIDE.items()}
    uri = page.file.src_uri
    place = inside.get(uri, f"docs/{uri}")
    blocks = _FENCE.split(markdown)
    for number in range(0, len(blocks), 2):  # what is not code
        text = _LIST.sub(_indented, blocks[number])
        text = _LINK.sub(lambda link: _linked(link, place, uri, files), text)
        blocks[number] = _PART.sub(lambda part: PARTS[part[1]](), text)
    return "".join(blocks)


def _indented(found: re.Match[str]) -> str:
    return re.sub(r"^( +)", r"\1\1", found[0], flags=re.M)


def _linked(link: re.Match[str], place: str, uri: str, files: Files) -> str:
    """A link of the repository as a link of the site. place: the file that has it. uri: its page."""
    image, label, target, title = link.groups()
    path, hash_, anchor = target.partition("#")
    if not path or "://" in path or path.startswith("mailto:"):
        return link[0]
    file = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
    if file in OUTSIDE or file.startswith("docs/"):
        there = OUTSIDE.get(file) or file.removeprefix("docs/")
        published = files.get_file_from_path(there)
        if published is not None and not published.inclusion.is_excluded():
            relative = posixpath.relpath(there, posixpath.dirname(uri) or ".")
            return f"{image}[{label}]({relative}{hash_}{anchor}{title or ''})"
    return label if (ROOT / file).exists() else link[0]

"""Jinja templates of pages and cards, which all follow the same rules."""

import base64
import hashlib
from collections.abc import Callable
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


def environment(package: str, escaped: Callable[[object], object] | None = None) -> Environment:
    """The templates of a package, in which every name must have a value.

    escaped: makes a value safe to be shown, by default in HTML.
    """
    return Environment(
        loader=PackageLoader(package, ""),
        autoescape=escaped is None,
        finalize=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def resource(package: str, name: str) -> Markup:
    """A file of a package, such as a style sheet, to be put into a page as it is."""
    return Markup(files(package).joinpath(name).read_text("utf-8"))


def script_hash(script: str) -> str:
    """The hash by which a page's policy allows a script between two line breaks, and no other."""
    digest = hashlib.sha256(f"\n{script}\n".encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"

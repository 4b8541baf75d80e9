"""HTML as a tree: text becomes markup in one place only, and is escaped there."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable

Child = str | ET.Element | None | Iterable["Child"]

# What HTML cannot hold even as a character reference: control characters but tab, newline and
# return, halves of surrogate pairs, and the two last code points of the first plane.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def element(tag: str, *children: Child, **attributes: str | int | float | None) -> ET.Element:
    """An element with text and elements in it; None, child or attribute, is left out.

    Attributes are written as Python allows: `class_`, `aria_label`.
    """
    made = ET.Element(tag)
    for name, value in attributes.items():
        if value is not None:
            made.set(
                name.rstrip("_").replace("_", "-"), _text(f"{value:g}" if isinstance(value, float) else value)
            )
    _append(made, children)
    return made


def document(title: str, style: str, body: ET.Element) -> str:
    """A whole page. `style` is CSS of our own: it is the one text that is not escaped."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", style),
    )
    page = element("html", head, body, lang="en")
    return "<!doctype html>\n" + ET.tostring(page, encoding="unicode", method="html") + "\n"


def _append(parent: ET.Element, child: Child) -> None:
    if child is None:
        return
    if isinstance(child, ET.Element):
        parent.append(child)
    elif isinstance(child, str):
        text = _text(child)
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + text
        else:
            parent.text = (parent.text or "") + text
    else:
        for each in child:
            _append(parent, each)


def _text(value: str | int) -> str:
    return _NOT_TEXT.sub("\ufffd", str(value))

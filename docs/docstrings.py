"""What makes blocks of code of doctests in the Python reference; mkdocs.yml names it for mkdocstrings."""

import re

import griffe

_EXAMPLE = re.compile(r"(?:^>>> .*\n?)(?:^\S.*\n?)*", re.M)


class Doctests(griffe.Extension):
    """Fences for the lines from `>>>` to the next empty line."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Change the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)

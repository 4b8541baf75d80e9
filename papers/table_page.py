"""A table of a paper as an HTML page."""

from importlib.resources import files

from ..pipeline.report.page import as_html, templates
from .table_results import Reproduction


def render_reproduction(results: Reproduction) -> str:
    """The page of a table of a paper as HTML."""
    template = files("paranmt.papers").joinpath("reproduction.html.jinja").read_text("utf-8")
    return as_html(templates.from_string(template).render(results=results))

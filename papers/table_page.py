"""A table of a paper as an HTML page."""

from ..pipeline.report.page import fill_page
from .table_results import Reproduction


def render_reproduction(results: Reproduction) -> str:
    """The page of a table of a paper as HTML."""
    return fill_page("reproduction.html.jinja", "paranmt.papers", results=results)

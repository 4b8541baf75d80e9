"""The demo: its bitext, translation model, data for evaluation and recipe, as files beside the modules."""

from .writing import PAIRS, is_demo, write_demo

__all__ = ["PAIRS", "is_demo", "write_demo"]

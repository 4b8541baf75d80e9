"""The demo: its bitext, held-out data for evaluation, and its recipe, as text files beside the modules."""

from .writing import PAIRS, is_demo, write_demo

__all__ = ["PAIRS", "is_demo", "write_demo"]

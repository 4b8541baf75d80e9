"""The demo's bitext, held-out data to measure on, and its recipe: text files beside the modules."""

from .writing import PAIRS, write_demo

__all__ = ["PAIRS", "write_demo"]

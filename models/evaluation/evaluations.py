"""Evaluations of an encoder by name. A new one is a module in this folder and a word in `EVALUATIONS`."""

from collections.abc import Callable

from .sts import Encodes, StsResult, evaluate_sts

EVALUATIONS: dict[str, Callable[[Encodes, str], list[StsResult]]] = {"sts": evaluate_sts}

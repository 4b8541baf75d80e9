"""Evaluations of an encoder by name. To add one: a module beside this one, and a word in `EVALUATIONS`."""

from collections.abc import Callable

from .sts import Encodes, StsResult, evaluate_sts

EVALUATIONS: dict[str, Callable[[Encodes, str], list[StsResult]]] = {"sts": evaluate_sts}

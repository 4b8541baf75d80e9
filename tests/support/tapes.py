"""What stands in for a CUDA graph on a CPU: the operators of a step, kept with their tensors and run again.

As in a graph, the tensors of a recorded step have their addresses, and every number from the host its value,
forever; recording changes nothing. Operators whose results have a shape that depends on data, or that hand
data to the host, are refused, as in a graph.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from paranmt.models.translation.torch_engine.buffers import Buffers
from paranmt.models.translation.torch_engine.capture import Recording, Step

_REFUSED = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
_FROM_HOST = {"aten::lift_fresh", "aten::lift_fresh_copy", "aten::from_file", "aten::set_"}


class Operation:
    """One operator with what it took and returned."""

    def __init__(self, operator: Any, args: Any, kwargs: Any, results: Any) -> None:
        self.operator, self.args, self.kwargs, self.results = operator, args, kwargs, results

    @property
    def taken(self) -> list[Tensor]:
        return _tensors((self.args, self.kwargs))

    @property
    def returned(self) -> list[Tensor]:
        return _tensors(self.results)

    @property
    def writes(self) -> bool:
        return any(argument.alias_info and argument.alias_info.is_write for argument in self._arguments)

    @property
    def is_view(self) -> bool:
        return not self.writes and any(result.alias_info for result in self.operator._schema.returns)

    @property
    def _arguments(self) -> Any:
        return self.operator._schema.arguments

    def again(self) -> None:
        """Run it, and put what it computes where its results were."""
        if self.is_view:
            return
        results = self.operator(*self.args, **self.kwargs)
        if not self.writes:
            for old, new in zip(self.returned, _tensors(results), strict=True):
                assert old.shape == new.shape
                old.copy_(new)

    def sizes(self) -> tuple[object, ...]:
        """The operator and the sizes of all tensors."""
        layouts = [(tuple(one.shape), one.stride()) for one in (*self.taken, *self.returned)]
        return str(self.operator), *layouts


class Tape(TorchDispatchMode):
    """Keeps the operators that run; RuntimeError for those that no graph may hold."""

    def __init__(self) -> None:
        super().__init__()
        self.operations: list[Operation] = []

    def __torch_dispatch__(
        self, operator: Any, types: Sequence[type], args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        with self:
            parts = operator.decompose(*args, **kwargs)
        if parts is not NotImplemented:
            return parts
        if _REFUSED & set(operator.tags) or operator._schema.name in _FROM_HOST:
            raise RuntimeError(f"{operator} cannot be recorded")
        results = operator(*args, **kwargs)
        self.operations.append(Operation(operator, args, kwargs, results))
        return results

    def outside(self) -> list[Tensor]:
        """The tensors taken that were not computed here."""
        made: set[int] = set()
        found = []
        for operation in self.operations:
            found += [one for one in operation.taken if _storage(one) not in made]
            if not (operation.is_view or operation.writes):
                made |= {_storage(one) for one in operation.returned}
        return found


class TapeDevice:
    """Records on tapes; checks that every step of a bucket is the same, and takes only fixed tensors.

    checked: the steps that were made under a tape. All of the networks' weights must have been taken by the
    first of them.
    """

    def __init__(self, buffers: Buffers) -> None:
        self._buffers = buffers
        self._constants: dict[int, Tensor] = {}  # by storage; holding them keeps their addresses
        self._sizes: dict[tuple[object, ...], list[tuple[object, ...]]] = {}
        self.checked = 0

    def warm(self, step: Step) -> tuple[Tensor, ...]:
        with Tape() as tape:
            outputs = step()
        self._check(tape, step)
        return outputs

    def record(self, step: Step) -> Recording:
        held = {name: memory.clone() for name, memory in self._buffers._memory.items()}
        with Tape() as tape:
            outputs = step()
        for name, memory in self._buffers._memory.items():
            memory.copy_(held[name])
        self._check(tape, step)

        def replay() -> None:
            for operation in tape.operations:
                operation.again()

        return Recording(replay, outputs)

    def is_full(self) -> bool:
        return False

    def forget(self) -> None:
        self._sizes.clear()

    def _check(self, tape: Tape, step: Any) -> None:
        state, banned, _ = step.args
        fixed = {_storage(memory) for memory in self._buffers._memory.values()}
        others = {_storage(one): one for one in tape.outside() if _storage(one) not in fixed}
        if not self._constants:
            self._constants = others
        assert others.keys() <= self._constants.keys(), "a step takes a tensor that is not fixed"
        sizes = [operation.sizes() for operation in tape.operations]
        known = self._sizes.setdefault((*state.bucket, banned), sizes)
        assert sizes == known, "two steps of a bucket differ"
        self.checked += 1


def _tensors(tree: Any) -> list[Tensor]:
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, Tensor)]


def _storage(tensor: Tensor) -> int:
    return tensor.untyped_storage().data_ptr()

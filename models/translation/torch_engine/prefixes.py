"""The decoder's self-attention cache: a tree of prefixes, each stored once even if beams share it."""

from collections.abc import Sequence

import torch
from torch import Tensor

from .network import Network, attend_to, hidden


class PrefixTree:
    """The keys and values of every word on the path of a live hypothesis.

    A node is one word of one hypothesis at one step. The beams of a sentence are the queries of one
    attention over all of the sentence's nodes, and a mask says which nodes are on a beam's own path. So
    reordering beams changes only the mask; keys and values are not copied, and not read again for every
    beam. Sentences may be at different steps: each has its own nodes, on as many places as the largest needs.
    `joined` removes the nodes that are on no beam's path, which keeps the tree only a little larger than a
    single path.
    """

    def __init__(self, networks: list[Network], sentences: int, device: torch.device) -> None:
        """A tree with space for one node of each sentence."""
        self._networks = networks
        self._nodes = [
            torch.empty(
                network.decoder.layers,
                sentences,
                1,
                2 * network.decoder.dimension,
                dtype=network.dtype,
                device=device,
            )
            for network in networks
        ]
        self._mask = hidden(sentences, 1, 1, torch.empty(0, dtype=networks[0].dtype, device=device))
        self._size = 0

    @property
    def size(self) -> int:
        """The number of nodes of each sentence, including dead ones."""
        return self._size

    @property
    def room(self) -> int:
        """How many nodes fit for each sentence."""
        return self._mask.shape[3]

    def grow(self) -> None:
        """Add a node to every beam; `attend` fills it, layer by layer."""
        width = self._mask.shape[2]
        # The mask of a new node is 0 for its own beam; −inf everywhere else was there before.
        self._mask[:, 0, :, self._size : self._size + width].diagonal(dim1=1, dim2=2).zero_()
        self._size += width

    def attend(self, network: int, layer: int, inward: Tensor) -> Tensor:
        """Self-attention of the newest nodes: (sentences, beams, 3 * dimension) in, a third of it out."""
        dimension = inward.shape[-1] // 3
        nodes = self._nodes[network][layer]
        nodes[:, self._size - inward.shape[1] : self._size] = inward[..., dimension:]
        heads = self._networks[network].decoder.heads
        mask = self._mask[..., : self._size]
        return attend_to(inward[..., :dimension], nodes[:, : self._size], heads, mask)

    def reorder(self, parents: Tensor) -> None:
        """Let beam k continue the previous beam parents[:, k]; parents: (sentences, beams)."""
        self._mask = self._mask.gather(2, parents[:, None, :, None].expand(-1, -1, -1, self.room))

    def live(self) -> Tensor:
        """(sentences,) how many nodes are on the path of a beam."""
        return self._mask.amax(dim=(1, 2)).eq(0).sum(dim=1)

    @classmethod
    def joined(cls, parts: "Sequence[tuple[PrefixTree, Tensor]]", keep: int, room: int) -> "PrefixTree":
        """The live nodes of the sentences at these rows of each part, one part after the other.

        keep: the places that they take, at least as many as any of these sentences has live nodes. room: how
        many nodes can be added at least.
        """
        first, _ = parts[0]
        count = sum(len(rows) for _, rows in parts)
        beams = first._mask.shape[2]
        new = cls(first._networks, 0, first._mask.device)
        # Reordering makes the mask contiguous, and its rows must still start at multiples of 8.
        new._mask = hidden(count, beams, keep + room + -(keep + room) % 8, first._mask)
        new._nodes = [
            nodes.new_empty(nodes.shape[0], count, new.room, nodes.shape[3]) for nodes in first._nodes
        ]
        new._size = keep
        start = 0
        for tree, rows in parts:
            tree._copy(rows, new, slice(start, start + len(rows)))
            start += len(rows)
        return new

    def _copy(self, rows: Tensor, new: "PrefixTree", here: slice) -> None:
        """Copy the live nodes of the sentences `rows` to the sentences `here` of a new tree."""
        own = min(new.size, self._size)
        mask = self._mask[..., : self._size].index_select(0, rows)
        # Live nodes come first, in their order.
        order = mask.amax(dim=(1, 2)).argsort(dim=1, descending=True, stable=True)[:, :own]
        beams = mask.shape[2]
        new._mask[here, ..., :own] = mask.gather(3, order[:, None, None].expand(-1, 1, beams, -1))
        flat = (rows[:, None] * (self._nodes[0].shape[2]) + order).flatten()
        for nodes, fresh in zip(self._nodes, new._nodes, strict=True):
            for layer in range(len(nodes)):
                picked = nodes[layer].flatten(0, 1).index_select(0, flat)
                fresh[layer, here, :own] = picked.view(len(rows), own, -1)
            if own < new.size:
                fresh[:, here, own : new.size].zero_()  # it may be NaN, which no mask hides

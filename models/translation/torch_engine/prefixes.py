"""The decoder's self-attention cache: a tree of prefixes, each stored once even if beams share it."""

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

    def joined(self, rows: Tensor, other: "PrefixTree | None", keep: int, room: int) -> "PrefixTree":
        """The live nodes of the sentences `rows`, followed by all nodes of `other`.

        keep: the places that they take, at least as many as any of these sentences has nodes. room: how many
        nodes can be added at least.
        """
        kept, beams = len(rows), self._mask.shape[2]
        added = 0 if other is None else len(other._mask)
        own = min(keep, self._size)
        mask = self._mask[..., : self._size].index_select(0, rows)
        # Live nodes come first, in their order.
        order = mask.amax(dim=(1, 2)).argsort(dim=1, descending=True, stable=True)[:, :own]
        flat = (rows[:, None] * self.room + order).flatten()
        new = PrefixTree(self._networks, 0, rows.device)
        # Reordering makes the mask contiguous, and its rows must still start at multiples of 8.
        new._mask = hidden(kept + added, beams, keep + room + -(keep + room) % 8, self._mask)
        new._mask[:kept, ..., :own] = mask.gather(3, order[:, None, None, :].expand(-1, 1, beams, -1))
        if other is not None:
            new._mask[kept:, ..., : other.size] = other._mask[..., : other.size]
        for number, nodes in enumerate(self._nodes):
            layers, _, _, width = nodes.shape
            fresh = nodes.new_empty(layers, kept + added, new.room, width)
            for layer in range(layers):
                picked = nodes[layer].view(-1, width).index_select(0, flat)
                fresh[layer, :kept, :own] = picked.view(kept, own, width)
            # A node without a value may be NaN, which no mask hides.
            fresh[:, :kept, own:keep].zero_()
            if other is not None:
                fresh[:, kept:, : other.size] = other._nodes[number][:, :, : other.size]
                fresh[:, kept:, other.size : keep].zero_()
            new._nodes[number] = fresh
        new._size = keep
        return new

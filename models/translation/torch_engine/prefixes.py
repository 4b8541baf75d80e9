"""The decoder's self-attention cache: a tree of prefixes, each stored once even if beams share it."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from .buffers import EXACT, Buckets, Buffers, rounded
from .network import MASK_MULTIPLE, TranslationNetwork, attend_to


class PrefixTree:
    """The keys and values of every word on the path of a live hypothesis.

    A node is one word of one hypothesis at one step. The beams of a sentence are the queries of one
    attention over all of the sentence's nodes, and a mask says which nodes are on a beam's own path. So
    reordering beams changes only the mask; keys and values are not copied, and not read again for every
    beam. Sentences may be at different steps: each has its own nodes, on as many places as the largest needs.
    `joined` removes the nodes that are on no beam's path, which keeps the tree only a little larger than a
    single path.

    `grow` is the host's part of a step; the device's part works on the same tensors in every step, and takes
    the places of the new nodes from a tensor.
    """

    def __init__(
        self,
        networks: list[TranslationNetwork],
        sentences: int,
        beams: int,
        room: int,
        *,
        places: Tensor,
        buffers: Buffers,
        buckets: Buckets = EXACT,
    ) -> None:
        """A tree without nodes, of which `room` fit for each sentence.

        places: (beams,), where the next nodes will be; whoever moves on to the next step moves it on.
        """
        self._networks, self._places, self._buckets = networks, places, buckets
        self._size = 0  # the nodes of each sentence, including dead ones
        self.room = room
        """How many nodes fit for each sentence."""
        dtype = networks[0].dtype
        paths = sentences, 1, beams, rounded(room, MASK_MULTIPLE)
        self._mask = buffers.take("paths", paths, dtype).fill_(-math.inf)
        self._own = buffers.take("own", (beams, beams), dtype).fill_(-math.inf).fill_diagonal_(0)
        self._rows = buffers.take("rows", (sentences, 1), torch.int64)
        torch.arange(0, sentences * beams, beams, out=self._rows[:, 0])
        self._nodes = [
            [
                buffers.take(
                    ("nodes", number, layer), (sentences, room, 2 * network.decoder.dimension), network.dtype
                )
                for layer in range(network.decoder.layers)
            ]
            for number, network in enumerate(networks)
        ]

    @property
    def read(self) -> int:
        """How many places attention reads: those of all nodes, rounded up to a size of the buckets."""
        return min(rounded(self._size, self._buckets.nodes), self.room)

    def grow(self) -> None:
        """Add a node to every beam; `open` and `attend` fill it."""
        self._size += self._mask.shape[2]

    def open(self) -> None:
        """Put each new node on the path of its own beam."""
        # The mask of a new node was −inf for all beams before.
        beams = len(self._own)
        self._mask.index_copy_(3, self._places, self._own.expand(len(self._mask), 1, beams, beams))

    def attend(self, network: int, layer: int, inward: Tensor) -> Tensor:
        """Self-attention of the newest nodes: (sentences, beams, 3 * dimension) in, a third of it out."""
        dimension = inward.shape[-1] // 3
        nodes, new = self._nodes[network][layer], inward[..., dimension:]
        if self._buckets.exact:  # a slice is written faster on a CPU, and is fixed in no graph
            nodes[:, self._size - inward.shape[1] : self._size] = new
        else:
            nodes.index_copy_(1, self._places, new)
        heads, read = self._networks[network].decoder.heads, self.read
        return attend_to(inward[..., :dimension], nodes[:, :read], heads, self._mask[..., :read])

    def widen(self, beams: int) -> None:
        """Give sentences that have one beam `beams` beams with the same path."""
        self._mask = self._mask.repeat(1, 1, beams, 1)
        self._rows = self._rows * beams

    def reorder(self, parents: Tensor) -> None:
        """Let beam k continue the previous beam parents[:, k]; parents: (sentences, beams)."""
        rows = (parents + self._rows).flatten()
        self._mask.copy_(self._mask.flatten(0, 2).index_select(0, rows).view_as(self._mask))

    def live(self) -> Tensor:
        """(sentences,) how many nodes are on the path of a beam."""
        return self._mask.amax(dim=(1, 2)).eq(0).sum(dim=1)

    @classmethod
    def joined(
        cls,
        parts: "Sequence[tuple[PrefixTree, Tensor]]",
        keep: int,
        room: int,
        *,
        places: Tensor,
        buffers: Buffers,
        buckets: Buckets,
    ) -> "PrefixTree":
        """The live nodes of the sentences at these rows of each part, one part after the other.

        keep: the places that they take, at least as many as any of these sentences has live nodes. room: how
        many nodes can be added at least. Only the first part may be in these buffers.
        """
        first, _ = parts[0]
        masks = [tree._mask[..., : tree._size].index_select(0, rows) for tree, rows in parts]
        # Live nodes come first, in their order.
        orders = [
            mask.amax(dim=(1, 2)).argsort(dim=1, descending=True, stable=True)[:, :keep] for mask in masks
        ]
        new = cls(
            first._networks,
            sum(map(len, masks)),
            masks[0].shape[2],
            rounded(keep + room, math.lcm(MASK_MULTIPLE, buckets.nodes)),
            places=places,
            buffers=buffers,
            buckets=buckets,
        )
        new._size = keep
        unread = keep if buckets.exact else new.room
        start = 0
        for (tree, rows), mask, order in zip(parts, masks, orders, strict=True):
            here, own = slice(start, start + len(rows)), order.shape[1]
            new._mask[here, ..., :own] = mask.gather(3, order[:, None, None].expand(-1, 1, mask.shape[2], -1))
            flat = (rows[:, None] * tree.room + order).flatten()
            for old_layers, new_layers in zip(tree._nodes, new._nodes, strict=True):
                for old, fresh in zip(old_layers, new_layers, strict=True):
                    picked = old.flatten(0, 1).index_select(0, flat)
                    fresh[here, :own] = picked.view(len(rows), own, -1)
                    if own < unread:
                        fresh[here, own:unread].zero_()  # it may be NaN, which no mask hides
            start = here.stop
        return new

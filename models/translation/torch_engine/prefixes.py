"""The decoder's self-attention cache: a tree of prefixes, each stored once even if beams share it."""

import torch
from torch import Tensor

from .network import Network, attend_to


class PrefixTree:
    """The keys and values of every word on the path of a live hypothesis.

    A node is one word of one hypothesis at one step. The beams of a sentence are the queries of one
    attention over all of the sentence's nodes, and a mask says which nodes are on a beam's own path. So
    reordering beams changes only the mask; keys and values are not copied, and not read again for every
    beam. `select` removes the nodes that are on no beam's path, which keeps the tree only a little larger
    than a single path.
    """

    def __init__(self, networks: list[Network], sentences: int, room: int, device: torch.device) -> None:
        """room: how many nodes fit for each sentence before `select` must make room."""
        self._heads = [network.decoder.heads for network in networks]
        self._nodes = [
            torch.empty(
                network.decoder.layers,
                sentences,
                room,
                2 * network.decoder.dimension,
                dtype=network.dtype,
                device=device,
            )
            for network in networks
        ]
        self._on_path = torch.zeros(sentences, 1, room, dtype=torch.bool, device=device)
        self._size = 0
        self._seen = self._on_path

    @property
    def size(self) -> int:
        """The number of nodes of each sentence, including dead ones."""
        return self._size

    @property
    def room(self) -> int:
        """How many nodes fit for each sentence."""
        return self._on_path.shape[2]

    def grow(self) -> None:
        """Add a node to every beam; `attend` fills it, layer by layer."""
        width = self._on_path.shape[1]
        new = slice(self._size, self._size + width)
        self._on_path[:, :, new] = torch.eye(width, dtype=torch.bool, device=self._on_path.device)
        self._size += width
        self._seen = self._on_path[:, None, :, : self._size]

    def attend(self, network: int, layer: int, inward: Tensor) -> Tensor:
        """Self-attention of the newest nodes: (sentences, beams, 3 * dimension) in, a third of it out."""
        dimension = inward.shape[-1] // 3
        nodes = self._nodes[network][layer]
        nodes[:, self._size - inward.shape[1] : self._size] = inward[..., dimension:]
        return attend_to(inward[..., :dimension], nodes[:, : self._size], self._heads[network], self._seen)

    def reorder(self, parents: Tensor) -> None:
        """Let beam k continue the previous beam parents[:, k]; parents: (sentences, beams)."""
        paths = parents[:, :, None].expand(-1, -1, self.room)
        self._on_path = self._on_path.gather(1, paths)

    def live(self) -> Tensor:
        """(sentences,) how many nodes are on the path of a beam."""
        return self._on_path[:, :, : self._size].any(dim=1).sum(dim=1)

    def select(self, rows: Tensor, keep: int, room: int) -> None:
        """Keep the sentences `rows` and their live nodes, at most `keep` each, with space for `room`.

        keep: at least `live` of each of the rows; the rest is filled with dead nodes.
        """
        keep = min(keep, self._size)
        paths = self._on_path.index_select(0, rows)[:, :, : self._size]
        order = paths.any(dim=1).to(torch.int8).argsort(dim=1, descending=True, stable=True)[:, :keep]
        flat = (rows[:, None] * self.room + order).flatten()
        moved = []
        for nodes in self._nodes:
            layers, _, _, width = nodes.shape
            fresh = nodes.new_empty(layers, len(rows), room, width)
            for layer in range(layers):
                picked = nodes[layer].view(-1, width).index_select(0, flat)
                fresh[layer, :, :keep] = picked.view(len(rows), keep, width)
            moved.append(fresh)
        self._nodes = moved
        beams = self._on_path.shape[1]
        self._on_path = paths.new_zeros(len(rows), beams, room)
        self._on_path[:, :, :keep] = paths.gather(2, order[:, None, :].expand(-1, beams, -1))
        self._size = keep

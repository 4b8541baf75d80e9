"""Measure the LSTM with peepholes against torch.nn.LSTM, which has none, on the same packed sentences.

python benchmarks/encoders.py --sentences 400 --longest 25 --size 300 --rounds 7 [--device cuda]

The two take turns, and the ratio is the median over the rounds, with its range.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch

from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.recurrence import PeepholeLstm, Steps, TorchLstm
from paranmt.models.encoders.token_ids import TokenIds


def main() -> None:
    """Print the times of both and their ratio, forwards and with the gradient."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", type=int, default=400, help="as many as a mini-batch of 100 pairs has")
    parser.add_argument("--longest", type=int, default=25, help="lengths are uniform from 1 to this")
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    torch.manual_seed(0)
    generator = np.random.default_rng(0)
    lengths = generator.integers(1, options.longest + 1, options.sentences)
    ids = TokenIds(np.zeros(lengths.sum(), np.int32), np.concatenate([[0], np.cumsum(lengths)]))
    steps = Steps(ids, torch.device(options.device))
    inputs = torch.randn(len(ids.ids), options.size, device=options.device, requires_grad=True)
    kinds = PeepholeLstm, TorchLstm
    layers = [draw_weights(kind(options.size, options.size), 0).to(options.device) for kind in kinds]
    print(f"{options.sentences} sentences, {len(ids.ids)} units, size {options.size}, {options.device}")
    for name, passes in (("forwards", forwards), ("forwards and backwards", forwards_and_backwards)):
        seconds = np.array(
            [
                [timed(lambda: passes(layer, inputs, steps), options.device) for layer in layers]  # noqa: B023
                for _ in range(options.rounds + 1)
            ][1:]  # the first round warms up
        )
        ours, theirs = 1000 * np.median(seconds, axis=0)
        ratios = seconds[:, 0] / seconds[:, 1]
        print(
            f"{name}: with peepholes {ours:.1f} ms, torch.nn.LSTM {theirs:.1f} ms, "
            f"ratio {np.median(ratios):.2f} ({ratios.min():.2f} to {ratios.max():.2f})"
        )


def forwards(layer: torch.nn.Module, inputs: torch.Tensor, steps: Steps) -> None:
    """Compute the states, without a gradient."""
    with torch.no_grad():
        layer(inputs, steps)


def forwards_and_backwards(layer: torch.nn.Module, inputs: torch.Tensor, steps: Steps) -> None:
    """Compute the states and all gradients."""
    layer(inputs, steps).sum().backward()


def timed(work: Callable[[], None], device: str) -> float:
    """Seconds; on a GPU until it has finished."""
    began = time.perf_counter()
    work()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()

"""How the gradient of an LSTM's last state shrinks or grows on its way to the first word of a sentence.

    python benchmarks/lstm_gradients.py --size 2048 --words 20

For LSTMs at their random start, with peepholes and without: the norm of the gradient with respect to the
vector of the first word, divided by that with respect to the last word's; the median and the quartiles over
sentences of random words and over seeds. The gradient is that of the product of the last state with a random
vector.
"""

import argparse

import numpy as np
import torch

from paranmt.models.encoders.encoder_kinds import LstmOptions
from paranmt.models.encoders.lstm import Lstm
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.recurrence import Steps
from paranmt.models.encoders.token_ids import TokenIds


def ratios(options: LstmOptions, words: int, sentences: int, scale: float, seed: int) -> np.ndarray:
    """Of each sentence; (sentences,). scale: the standard deviation of the numbers of the words' vectors."""
    encoder = draw_weights(Lstm(0, options, "words", averages=False), seed)
    random = np.random.default_rng(seed)
    vectors = torch.from_numpy(random.normal(0, scale, (sentences * words, options.dimension)))
    direction = torch.from_numpy(random.normal(size=(sentences, encoder.dimension)))
    vectors.requires_grad_()
    steps = Steps(TokenIds.of([range(words)] * sentences), torch.device("cpu"))
    (encoder.double().compose(vectors, steps) * direction).sum().backward()
    assert vectors.grad is not None
    norms = steps.in_order(vectors.grad).norm(dim=1).reshape(sentences, words)
    return (norms[:, 0] / norms[:, -1]).numpy()


def main() -> None:
    """Prints a line for each start."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--dimension", type=int, default=300)
    parser.add_argument("--words", type=int, default=20)
    parser.add_argument("--sentences", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    for scale in (0.05, 0.3):
        for peepholes in (True, False):
            options = LstmOptions(dimension=given.dimension, size=given.size, peepholes=peepholes)
            found = [
                ratios(options, given.words, given.sentences, scale, seed) for seed in range(given.seeds)
            ]
            quartiles = np.quantile(np.concatenate(found), [0.25, 0.5, 0.75])
            low, middle, high = (f"{value:.2g}" for value in quartiles)
            print(f"vectors {scale}, peepholes {peepholes}: {middle} ({low} to {high})", flush=True)


if __name__ == "__main__":
    main()

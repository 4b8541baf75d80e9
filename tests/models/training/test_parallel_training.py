"""Training by several processes, which torchrun really starts, equals training by one."""

import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from paranmt.models.encoders.encoder_kinds import AveragingOptions, LstmAveragingOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TrainOptions
from paranmt.models.training.trainer import train_encoder

# The last of 31 pairs is a mini-batch of its own, of 2 sentences or with negatives of 4.
_PAIRS = PairList(
    [f"the thing{i % 10} stood there {i}" for i in range(31)],
    [f"There was a object{i % 10} , {i % 7}" for i in range(31)],
)
_MARGIN = TrainOptions(
    encoder=AveragingOptions(dimension=8), epochs=2, batch=5, mega_batch=3, learning_rate=0.01, device="cpu"
)
_INFONCE = replace(_MARGIN, objective="infonce", temperature=0.5, schedule="linear")
_LSTM = LstmAveragingOptions(dimension=6)
CASES = {
    "margin": replace(_MARGIN, scramble=0.5, negatives="mix", clip_norm=0.5),
    "infonce": replace(_INFONCE, embedding_updates="dense", lambda_words=1e-3),
    "margin-lstm": replace(_MARGIN, encoder=_LSTM, encode_at_once=3, lambda_encoder=1e-3),
    "infonce-lstm": replace(_INFONCE, encoder=_LSTM),
}
DROPOUT = replace(CASES["margin"], encoder=AveragingOptions(dimension=8, word_dropout=0.2), epochs=3)

_PROGRAM = """
    import sys
    from pathlib import Path
    import torch
    sys.path.insert(0, {tests!r})
    from test_parallel_training import CASES, DROPOUT, _PAIRS
    from paranmt.models.training.pairs import PairList
    from paranmt.models.training.parallel import Processes, processes_of_torchrun
    from paranmt.models.training.trainer import train_encoder

    folder = Path(sys.argv[1])
    with processes_of_torchrun() as processes:
        def train(name, options, progress=lambda progress: None):
            own = folder if processes.is_first else folder / f"process-{{processes.rank}}"
            pairs = _PAIRS if processes.is_first else PairList([], [])
            out, scratch = own / name, own / f"scratch-{{name}}"
            return train_encoder(pairs, options, out, scratch, progress, processes=processes)

        def stop(progress):
            if progress.epoch == 2:
                raise KeyboardInterrupt

        for name, options in CASES.items():
            result = train(name, options)
            if processes.is_first:
                torch.save(result.losses, folder / f"{{name}}.losses")
        assert 0 < result.idle < 1 and result.spent["waiting"] > 0
        train("whole", DROPOUT)
        for name, options in (("cut", DROPOUT), ("handed-over", CASES["margin"])):
            try:
                train(name, options, stop)
            except KeyboardInterrupt:
                pass
        assert train("cut", DROPOUT).resumed_from_epoch == 1
        # As if each process were on a machine of its own.
        processes = Processes(processes.rank, processes.count, processes.rank)
        train("machines", DROPOUT)
"""


def _weights(folder: Path) -> dict[str, torch.Tensor]:
    return SentenceEncoder.load(folder).encoder.state_dict()


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _check_equal(folder: Path, expected: Path) -> None:
    weights = _weights(expected)
    for name, value in _weights(folder).items():
        torch.testing.assert_close(value, weights[name], atol=2e-5, rtol=1e-3, msg=f"{folder} {name}")


@pytest.mark.parametrize("processes", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_several_processes_equal_one(tmp_path: Path, processes: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(_PROGRAM.format(tests=str(Path(__file__).parent))), encoding="utf-8")
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    command = [*torchrun, str(processes), str(program), str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr
    for name, options in CASES.items():
        alone = train_encoder(_PAIRS, options, tmp_path / "alone" / name, tmp_path / f"scratch-alone-{name}")
        assert torch.load(tmp_path / f"{name}.losses") == pytest.approx(alone.losses, rel=1e-5)
        _check_equal(tmp_path / name, tmp_path / "alone" / name)
    # Resumed by as many processes: the same bytes, with dropout. Resumed by one: the same weights.
    assert _bytes(tmp_path / "cut") == _bytes(tmp_path / "machines") == _bytes(tmp_path / "whole")
    folder, scratch = tmp_path / "handed-over", tmp_path / "scratch-handed-over"
    resumed = train_encoder(_PAIRS, CASES["margin"], folder, scratch)
    assert resumed.resumed_from_epoch == 1
    _check_equal(folder, tmp_path / "alone/margin")
    assert not list(tmp_path.glob("process-*/*/*"))  # nothing is left of the others' files

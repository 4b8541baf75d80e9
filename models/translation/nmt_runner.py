"""The child process of `nmt_training`: fairseq's own preprocessing and training, with our patch of fairseq.

`python -m paranmt.models.translation.nmt_runner preprocess|train [options of fairseq]`. It ends when its
standard input does, so no training outlives the process that started it.
"""

import logging
import os
import sys
import threading

from .fairseq_files import allow_settings
from .fairseq_patch import import_fairseq


def main(arguments: list[str]) -> None:
    """Run one of fairseq's command lines in this process."""
    tool = arguments[0]
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    import_fairseq()
    logging.getLogger("fairseq").setLevel(logging.NOTSET)
    commands = import_fairseq(f"fairseq_cli.{tool}")
    sys.argv = [f"fairseq-{tool}", *arguments[1:]]
    with allow_settings():
        commands.cli_main()


def _end_with_the_parent() -> None:
    # Reads the raw descriptor: a lock on Python's buffer would keep this process from exiting.
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])

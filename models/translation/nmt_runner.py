"""The child process of `nmt_training`: fairseq's own preprocessing and training, after the mend.

`python -m paranmt.models.translation.nmt_runner preprocess|train [options of fairseq]`. It ends when its
standard
input does, so that no training outlives the process that asked for it.
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
    # Of the raw descriptor: a lock on Python's buffer would stop this process from ending by itself.
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])

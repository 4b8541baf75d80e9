"""On a worker's PYTHONPATH: notes every part that is moved in, so that tests can count them."""

import os
import sys

_LOG = os.environ.get("PARANMT_AUDIT")


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "os.rename" and str(arguments[1]).endswith(".parquet"):
        with open(str(_LOG), "a") as log:
            log.write(f"{arguments[1]}\n")


if _LOG:
    sys.addaudithook(_note)

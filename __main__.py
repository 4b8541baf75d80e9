"""The command `paranmt`, which is `python -m paranmt` too."""

import gc

from .base.interrupts import end_by_default


def main() -> None:
    """The entry point. What takes time to import is imported once Ctrl-C ends it without a traceback."""
    end_by_default()
    # Imports make many objects and hardly any garbage. Looking for it as often as Python does by default
    # takes up to a tenth of a short command's time.
    gc.set_threshold(50_000)
    from .launch.cli import main as command

    command()


if __name__ == "__main__":
    main()

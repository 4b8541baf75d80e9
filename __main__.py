"""The command `paranmt`, which is `python -m paranmt` too."""

from .interrupts import end_by_default


def main() -> None:
    """The entry point. What takes time to import is imported once Ctrl-C ends it without a traceback."""
    end_by_default()
    from .launch.cli import main as command

    command()


if __name__ == "__main__":
    main()

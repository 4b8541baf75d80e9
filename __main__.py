"""`python -m paranmt` is the command `paranmt`."""

from .launch.cli import main

if __name__ == "__main__":
    main()

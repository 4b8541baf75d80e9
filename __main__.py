"""`python -m paranmt` is the command `paranmt`."""

from .launch.cli import main

main()

"""The errors a user can cause. Each message says what was expected, what was found, and what to do.

- `UserError`: the base; the command line prints it without a traceback and exits with 2.
  - `RecipeError`: the recipe (or an option of the command line) is wrong.
  - `InputError`: a file given as input cannot be used.
  - `ModelError`: a model's folder or file cannot be used.
  - `WorkspaceError`: a dataset of the workspace is missing, stale, or in use by another run.
    - `DamagedError`: a file of the workspace does not hold what was written.
  - `RunnerError`: a runner cannot be reached, or its workers cannot do the work.
  - `BudgetError`: a run has used up its budget.

Any other exception is a bug of ours and stops the job with its traceback.
"""


class UserError(Exception):
    """A mistake that the user can correct; never a bug."""


class RecipeError(UserError, ValueError):
    """The recipe or an option is wrong; a ValueError, so that pydantic reports the key."""


class InputError(UserError):
    """A file given as input cannot be used."""


class ModelError(UserError):
    """A model's folder or file cannot be used."""


class WorkspaceError(UserError):
    """A dataset of the workspace is missing, stale, or in use by another run."""


class DamagedError(WorkspaceError):
    """A file of the workspace does not hold what was written. files: the names of such files there."""

    def __init__(self, message: str, *files: str) -> None:
        super().__init__(message)
        self.files = files

    def __reduce__(self) -> tuple[type, tuple[str, ...]]:
        return type(self), (str(self), *self.files)


class RunnerError(UserError):
    """A runner cannot be reached, or its workers cannot do the work."""


class BudgetError(UserError):
    """A run has used up its budget; what it has finished is kept."""


def first_line(error: BaseException) -> str:
    """The first line of an error's message, at most 300 characters; its class if it has no message."""
    lines = str(error).strip().splitlines()
    return f"{lines[0][:300]}" if lines else type(error).__name__

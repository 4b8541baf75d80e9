"""`--set key.key=value`: setting one value of a recipe on the command line."""

from ...base.errors import RecipeError
from .document import Data, Place, read_yaml
from .problems import nearest, shown


def apply_override(data: dict[str, Data], lines: dict[Place, str], override: str) -> None:
    """Set one value in `data`, and record in `lines` that it came from the command line.

    >>> data = {"bitext": [{"corpus": "a"}]}
    >>> apply_override(data, {}, "bitext.0.domain=news")
    >>> apply_override(data, {}, "translate.beam=5")
    >>> data
    {'bitext': [{'corpus': 'a', 'domain': 'news'}], 'translate': {'beam': 5}}
    """
    name = f"--set {override.encode(errors='backslashreplace').decode()}"
    path, equals, text = override.partition("=")
    if not name.endswith(override):
        raise RecipeError(f"{name}: expected UTF-8, got other bytes")
    keys = path.strip().split(".")
    if not equals or not all(keys):
        raise RecipeError(f"{name}: expected key.key=value, such as translate.beam=5")
    value = read_yaml(text, name, numbered=False).data
    at: Data = data
    place: Place = ()
    for i, key in enumerate(keys):
        last = i == len(keys) - 1
        if isinstance(at, list):
            step: str | int = _index(at, key, place, name)
        elif isinstance(at, dict):
            step = key
        else:
            raise RecipeError(f"{name}: {_dotted(place)} is {shown(at)}, which has no keys to set")
        place = (*place, step)
        if last:
            at[step] = value  # type: ignore[index]
        else:
            at = _below(at, step)
    for replaced in [key for key in lines if key[: len(place)] == place]:
        del lines[replaced]
    for end in range(1, len(place) + 1):
        lines.setdefault(place[:end], name)  # also for the sections that the override created


def _index(items: list[Data], key: str, place: Place, name: str) -> int:
    if not key.isdecimal() or int(key) >= len(items):
        names = [str(i) for i in range(len(items))]
        raise RecipeError(f"{name}: {_dotted(place)} has no item {key!r}; {nearest(key, names)}")
    return int(key)


def _below(at: dict[str, Data] | list[Data], step: str | int) -> Data:
    """The value of a key; if it is absent or empty, a new section."""
    if isinstance(at, list):
        assert isinstance(step, int)
        return at[step]
    assert isinstance(step, str)
    if at.get(step) is None:
        at[step] = {}
    return at[step]


def _dotted(place: Place) -> str:
    return ".".join(map(str, place))

"""The strings below the fields of a class, which say what its options mean."""

import ast
import inspect
import textwrap
from itertools import pairwise


def field_docs(kind: type) -> dict[str, str]:
    """The strings below the fields that a class itself declares, by field."""
    try:
        source = inspect.getsource(kind)
    except OSError:  # the class was made at run time, like those of `OnOneLevel`
        return {}
    (definition,) = ast.parse(textwrap.dedent(source)).body
    assert isinstance(definition, ast.ClassDef)
    docs: dict[str, str] = {}
    for field, doc in pairwise(definition.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            if isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant):
                docs[field.target.id] = inspect.cleandoc(str(doc.value.value))
    return docs

"""Finding what a person names: a form, as `package.module:form` or `file.py:form`; and the module of anything."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import FormError
from ..forms import Form, FormElicitation
from ..naming import label, nearest
from .exits import Exit, Failure


def load_form(target: str) -> Form[Any]:
    """The form that a name leads to.

    It may lead to a form, to anything else with a `build()`, or to a type a form can be made from.

    Raises:
        Failure: If it leads nowhere, or to no form. The line names what was wrong, and the nearest name there is.
    """
    where, _, path = target.rpartition(":")
    if not where:
        where, path = path, ""
    module = imported(where)
    if not path:
        raise Failure(Exit.USAGE, f"say which form of {where} it is, as in {_example(where, module)}")
    return _form(_found(module, where, path), target)


def imported(where: str) -> ModuleType:
    """The module of that name, or in that file; those of the working directory are found, too.

    Raises:
        Failure: If there is none, or it cannot be imported.
    """
    return _file(where) if where.endswith(".py") else _module(where)


def _file(where: str) -> ModuleType:
    file = Path(where).resolve()
    if not file.is_file():
        near = nearest(file.name, sorted(other.name for other in file.parent.glob("*.py")))
        raise Failure(Exit.USAGE, f"there is no file {where}: {near}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None  # it ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # A dataclass looks itself up there.
    _look_in(str(file.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _broken(where, error) from error
    return module


def _module(where: str) -> ModuleType:
    _look_in(str(Path.cwd()))
    try:
        return importlib.import_module(where)
    except ModuleNotFoundError as error:
        if not error.name or not (where == error.name or where.startswith(f"{error.name}.")):
            raise _broken(where, error) from error
        parent, _, name = error.name.rpartition(".")
        if parent and not hasattr(sys.modules[parent], "__path__"):
            problem = f"{parent} is no package; what is in it goes behind a colon, as in {parent}:{name}"
            raise Failure(Exit.USAGE, f"there is no module {error.name}: {problem}") from None
        raise Failure(Exit.USAGE, f"there is no module {error.name}: {nearest(name, _beside(parent))}") from None
    except Exception as error:
        raise _broken(where, error) from error


def _beside(parent: str) -> list[str]:
    """The modules in a package, or in the folder one is in."""
    folders = list(sys.modules[parent].__path__) if parent else [str(Path.cwd())]
    found = [path for folder in folders for path in Path(folder).glob("*")]
    modules = {path.stem for path in found if path.suffix == ".py" or (path / "__init__.py").is_file()}
    return sorted(modules - {"__init__"})


def _look_in(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _broken(where: str, error: Exception) -> Failure:
    return Failure(Exit.USAGE, f"{where} cannot be imported: {type(error).__name__}: {error}")


def _found(module: ModuleType, where: str, path: str) -> object:
    found: object = module
    for number, name in enumerate(path.split(".")):
        try:
            found = getattr(found, name)
        except AttributeError:
            known = _forms_of(module) if number == 0 else [one for one in dir(found) if not one.startswith("_")]
            raise Failure(Exit.USAGE, f"{where} has no form {path!r}: {nearest(name, known)}") from None
    return found


def _example(where: str, module: ModuleType) -> str:
    forms = _forms_of(module)
    return (
        " or ".join(f"{where}:{name}" for name in forms[:3])
        if forms
        else f"{where}:form (it has none that can be seen)"
    )


def _forms_of(module: ModuleType) -> list[str]:
    """The names of a module's own that look like forms, or like types of forms."""
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    return [name for name, value in public.items() if _is_source(value) or _is_own_type(value, module)]


def _is_source(value: object) -> bool:
    return not isinstance(value, type) and callable(getattr(value, "build", None))


def _is_own_type(value: object, module: ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__ and bool(vars(value).get("__annotations__"))


def _form(found: Any, target: str) -> Form[Any]:
    try:
        if isinstance(found, type):
            return FormElicitation.from_type(found, _message(found)).build()
        if _is_source(found):
            form = found.build()
            if isinstance(form, Form):
                return form
    except (FormError, TypeError) as error:
        raise Failure(Exit.FAULTS, f"{target}: {error}".splitlines()[0], details=_rest(error)) from error
    words = f"is no form but of the type {type(found).__name__}; a form has build(), or is a type with members"
    raise Failure(Exit.USAGE, f"{target} {words}")


def _message(found: type) -> str:
    """What a type is asked with: the first line of what its author wrote about it, which no decorator made up."""
    written = (found.__doc__ or "").strip().partition("\n")[0]
    is_made_up = written.startswith(f"{found.__name__}(")
    return written if written and not is_made_up else f"{label(found.__name__)}, please"


def _rest(error: Exception) -> str:
    return "\n".join(str(error).splitlines()[1:])

"""A linter for vaults in which notes are agents: who wakes whom, and what is wrong with that.

`load_vault(path)` reads a vault, `load_settings(path)` its settings, `lint(vault, settings)` gives a Report. All are
loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from fleetlint.version import VERSION

if TYPE_CHECKING:
    from fleetlint.lint import lint
    from fleetlint.settings import Settings, load_settings
    from fleetlint.vault import load_vault

__version__ = VERSION
__all__ = ["Settings", "__version__", "lint", "load_settings", "load_vault"]

_HOMES = {"Settings": "settings", "lint": "lint", "load_settings": "settings", "load_vault": "vault"}


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"fleetlint.{_HOMES[name]}"), name)


class _Package(ModuleType):
    def __setattr__(self, name: str, value: object) -> None:
        # A submodule that has been imported becomes an attribute of its package; `lint` has to stay the function.
        if not (name == "lint" and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

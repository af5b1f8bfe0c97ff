"""A linter for vaults in which notes are agents: who wakes whom, and what is wrong with that.

`load_vault(path)` reads a vault, `load_settings(path)` its settings, `lint(vault, settings)` gives a Report. All are
loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleetlint.lint import lint
    from fleetlint.settings import Settings, load_settings
    from fleetlint.vault import load_vault

__version__ = "0.1.0"
__all__ = ["Settings", "lint", "load_settings", "load_vault"]


def __getattr__(name: str) -> object:
    from importlib import import_module

    homes = {
        "Settings": "fleetlint.settings",
        "lint": "fleetlint.lint",
        "load_settings": "fleetlint.settings",
        "load_vault": "fleetlint.vault",
    }
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(homes[name]), name)

"""Rules that lie in a folder of the vault they are for.

To load them is to run their code. So nothing here is called unless whoever runs fleetlint has allowed it, for settings come
with a vault, and a vault may come from anybody.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from fleetlint.lint import RuleError, load_rules, load_target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fleetlint.rule import Rule

PACKAGE = "fleetlint_vault_rules"
"""The package that the folder becomes: its modules import each other by `from . import other`."""


def load_all_rules(root: str | os.PathLike[str], folder: str) -> tuple[Rule, ...]:
    """The installed rules and those in a folder of the vault at `root`, by name. Runs the code in the folder.

    Each module of the folder, and each package in it, has a `RULE`: a Rule, or an iterable of Rules. Names that begin with
    `_` are left alone. Raises RuleError.
    """
    place = os.path.join(root, folder)
    rules = {rule.name: rule for rule in load_rules()}
    try:
        names = sorted(_modules(place))
    except OSError as error:
        raise RuleError(
            f"{folder}: the folder of rules cannot be read ({error.strerror}); correct `rules_folder` in the settings"
        ) from None
    _open_package(place)
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # a linter leaves nothing behind in a vault
    try:
        for name in names:
            for rule in load_target(f"{PACKAGE}.{name}:RULE", f"mend `{folder}/{name}`"):
                if rule.name in rules:
                    raise RuleError(f"`{folder}/{name}` brings a rule `{rule.name}`, which there is already; rename it")
                rules[rule.name] = rule
    finally:
        sys.dont_write_bytecode = writes
    return tuple(rules[name] for name in sorted(rules))


def _modules(folder: str) -> Iterator[str]:
    for name in os.listdir(folder):
        stem = name.removesuffix(".py")
        is_module = name.endswith(".py") or os.path.isfile(os.path.join(folder, name, "__init__.py"))
        if is_module and stem.isidentifier() and not stem.startswith("_"):
            yield stem


def _open_package(folder: str) -> None:
    """Makes the folder a package, in the place of one of another vault."""
    from importlib import invalidate_caches

    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]
    package = ModuleType(PACKAGE)
    package.__path__ = [folder]
    sys.modules[PACKAGE] = package
    invalidate_caches()

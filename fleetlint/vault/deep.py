"""The events of a block that is nested deeper than libyaml follows: PyYAML's own parser, made linear in the depth.

Imported only for such a block: nobody writes one, and the server reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

if TYPE_CHECKING:
    from collections.abc import Callable


class _Events(Reader, Scanner, Parser):
    """A simple key is remembered for every level that is open, and the base looks at all of them at every token.

    They lie in the order of their places, so those that have become too old are the first ones, and so is the next.
    """

    possible_simple_keys: dict[int, Any]

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def stale_possible_simple_keys(self) -> None:
        keys = self.possible_simple_keys
        while keys:
            level = next(iter(keys))
            key = keys[level]
            if key.required or (key.line == self.line and self.index - key.index <= 1024):
                return
            del keys[level]

    def next_possible_simple_key(self) -> Any:
        keys = self.possible_simple_keys
        return keys[next(iter(keys))].token_number if keys else None


def events(text: str) -> Callable[[], Any]:
    """Gives the next event at every call. Raises yaml.YAMLError, at once or later."""
    return _Events(text).get_event

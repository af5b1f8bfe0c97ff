"""Spellings that libyaml reads otherwise than the older scanner of the server, written so that it reads them alike.

The server takes `a:` in `[a:, b]` for a text, and the comma in `[!x, b]` for a part of the tag. Such a character is replaced
by one that the block does not hold, one for one, so that every place stays where it is; in what was read it is put back.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_COLON = "\ue000"
_IN_TAGS = ",[]"
_RARE = "$~;=()+'@&"


def respelled(text: str) -> tuple[str, dict[int, str]] | None:
    """The text with other characters in such places, and what each stands for; None when nothing is to be replaced."""
    colon, tag = _places()
    back: dict[int, str] = {}
    new = text
    if _COLON not in text and colon.search(text):
        new = colon.sub(_COLON, new)
        back[ord(_COLON)] = ":"
    if "!" in text and tag.search(text):
        free = [char for char in _RARE if char not in text][: len(_IN_TAGS)]
        if len(free) == len(_IN_TAGS):
            there = str.maketrans(_IN_TAGS, "".join(free))
            new = tag.sub(lambda found: found[0].translate(there), new)
            back |= dict(zip(map(ord, free), _IN_TAGS, strict=True))
    return (new, back) if back else None


@cache
def _places() -> tuple[re.Pattern[str], re.Pattern[str]]:
    import re

    return (
        re.compile(r"""(?<=[^\s"'\]}\[{,]):(?=[,\[\]{}])"""),
        re.compile(r"""(?<![^\s\[{,])![0-9A-Za-z\-_;/?:@&=+$.!~*'()%]*[,\[\]][0-9A-Za-z\-_;/?:@&=+$,.!~*'()\[\]%]*"""),
    )

"""Does this pattern match this name? The library's own search, corners and givings-up included.

The facts are doublestar v4's (`Match` with `/` as separator), obtained by running it. The search keeps one `*` and one
recursive `**` to go back to, the last of each; a brace is replaced in the text by one alternative after another; an
error (a fault that is reached, or that still lies ahead when the search fails) ends everything without a match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.globs.work import TooMuchWork

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fleetlint.globs.work import Meter

_EMPTY_TAILS = frozenset({"", "*", "**", "/**", "**/", "/**/"})
_SPECIAL = frozenset("*?[{\\")
_NONE = -1


class _FaultError(Exception):
    """The library reports a malformed pattern for this name."""


def matches(pattern: str, name: str, meter: Meter) -> bool:
    """Whether `doublestar.Match(pattern, name)` is true; an error counts as no match.

    Both are strings of code points in which U+FFFD stands for each stray byte. Some patterns take the library itself
    exponential time; here that raises TooMuchWork.
    """
    # Each entry gives, one by one, the searches still to be made, so that a text is made only when it is its turn.
    pending = [iter([_Search(pattern, 0, 0, _NONE, 0, _NONE, 0, True)])]
    try:
        while pending:
            search = next(pending[-1], None)
            if search is None:
                pending.pop()
                continue
            found, opened = _run(search, name, meter)
            if found:
                return True
            if opened is not None:
                pending.append(opened)
    except _FaultError:
        return False
    return False


class _Search:
    """Where a search stands: text and name positions, and the `*` and `**` to go back to (text and name position)."""

    __slots__ = ("at", "deep", "deep_from", "pattern", "pos", "segment_start", "star", "star_from")

    def __init__(
        self, pattern: str, at: int, pos: int, star: int, star_from: int, deep: int, deep_from: int, segment_start: bool
    ) -> None:
        self.pattern = pattern
        self.at = at
        self.pos = pos
        self.star = star
        self.star_from = star_from
        self.deep = deep
        self.deep_from = deep_from
        self.segment_start = segment_start


def _run(search: _Search, name: str, meter: Meter) -> tuple[bool, Iterator[_Search] | None]:
    """Search up to the end or to the first brace: (matched, searches that the brace gives)."""
    pattern, at, pos = search.pattern, search.at, search.pos
    star, star_from, deep, deep_from = search.star, search.star_from, search.deep, search.deep_from
    segment_start = search.segment_start
    size, length = len(pattern), len(name)
    meter.spend(1 + size // 100)
    while pos < length:
        # As `spend`, without the call: this loop is the innermost of all.
        meter.left -= 1
        if meter.left < 0:
            raise TooMuchWork
        if at < size:
            char = pattern[at]
            if char == name[pos] and char not in _SPECIAL:
                at += 1
                pos += 1
                segment_start = char == "/"
                continue
            if char == "*":
                at += 1
                if at < size and pattern[at] == "*":
                    at += 1
                    if segment_start:
                        if at == size:
                            return True, None
                        if pattern[at] == "/":
                            at += 1
                            deep, deep_from, star = at, pos, _NONE
                            continue
                segment_start = False
                star, star_from = at, pos
                continue
            if char == "?":
                if name[pos] != "/":
                    at += 1
                    pos += 1
                    segment_start = False
                    continue
            elif char == "[":
                accepted, at = _read_class(pattern, at + 1, name[pos])
                segment_start = False
                if accepted:
                    pos += 1
                    continue
            elif char == "{":
                state = (at, pos, star, star_from, deep, deep_from, True)
                return False, (_Search(text, *state) for text in _opened(pattern, at, meter))
            else:
                if char == "\\":
                    at += 1
                    if at >= size:
                        raise _FaultError
                    char = pattern[at]
                if char == name[pos]:
                    at += 1
                    pos += 1
                    segment_start = char == "/"
                    continue
                # The validation below starts at the backslash of an escaped character (and, in the library as here,
                # at that of an escaped backslash one character earlier).
                if at > 0 and pattern[at - 1] == "\\":
                    at -= 1
        if star >= 0 and name[star_from] != "/":
            star_from += 1
            at, pos = star, star_from
            segment_start = False
            continue
        if deep >= 0:
            slash = name.find("/", deep_from)
            if slash >= 0:
                deep_from = slash + 1
                at, pos = deep, deep_from
                segment_start = True
                continue
        meter.spend((size - at) // 4)
        if at < size and not is_valid(pattern[at:]):
            raise _FaultError
        return False, None
    return _matches_empty(pattern[at:], meter), None


def _read_class(pattern: str, at: int, char: str) -> tuple[bool, int]:
    """Read the class whose first member is at `at`: (does it take the character, where reading ended)."""
    size = len(pattern)
    negated = at < size and pattern[at] in "!^"
    at += negated
    if at >= size or pattern[at] == "]":
        raise _FaultError
    listed = False
    low = ""
    while at < size and pattern[at] != "]":
        member = pattern[at]
        at += 1
        if low and member == "-" and at < size and pattern[at] != "]":
            at += pattern[at] == "\\"
            if at >= size:
                raise _FaultError
            high = pattern[at]
            at += 1
            if low <= char <= high:
                listed = True
                break
            low = ""
            continue
        if member == "\\":
            if at >= size:
                raise _FaultError
            member = pattern[at]
            at += 1
        if member == char:
            listed = True
            break
        # The last code point is the library's mark for "no range can start here".
        low = "" if member == "\U0010ffff" else member
    if listed == negated:
        if at >= size:
            raise _FaultError
        return False, at
    while at < size and pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    if at >= size:
        raise _FaultError
    return True, at + 1


def alternatives(pattern: str, at: int) -> tuple[list[str], int] | None:
    """The alternatives of the brace that opens at `at` and where its `}` is, or None when it does not close.

    Only escapes and other braces are heeded: classes are not.
    """
    found = []
    depth = 0
    start = at + 1
    index = start
    while index < len(pattern):
        char = pattern[index]
        if char == "\\":
            index += 1
        elif char == "{":
            depth += 1
        elif char == "}":
            if depth == 0:
                found.append(pattern[start:index])
                return found, index
            depth -= 1
        elif char == "," and depth == 0:
            found.append(pattern[start:index])
            start = index + 1
        index += 1
    return None


def _opened(pattern: str, at: int, meter: Meter) -> Iterator[str]:
    """The pattern with the brace at `at` replaced by each of its alternatives."""
    meter.spend((len(pattern) - at) // 4)
    brace = alternatives(pattern, at)
    if brace is None:
        raise _FaultError
    texts, close = brace
    return (pattern[:at] + text + pattern[close + 1 :] for text in texts)


def _matches_empty(rest: str, meter: Meter) -> bool:
    """Whether the unread text may be left over at the end of the name."""
    pending = [iter([rest])]
    while pending:
        text = next(pending[-1], None)
        if text is None:
            pending.pop()
            continue
        meter.spend(1 + len(text) // 4)
        if text in _EMPTY_TAILS:
            return True
        if text[0] == "{":
            pending.append(_opened(text, 0, meter))
        elif not is_valid(text):
            raise _FaultError
    return False


def is_valid(pattern: str) -> bool:
    """The library's own pattern check. It heeds classes and braces apart, so it is not what matching takes."""
    depth = 0
    at = 0
    size = len(pattern)
    while at < size:
        char = pattern[at]
        if char == "\\":
            at += 1
            if at >= size:
                return False
        elif char == "[":
            at += 1
            at += at < size and pattern[at] in "!^"
            if at >= size or pattern[at] == "]":
                return False
            while at < size and pattern[at] != "]":
                at += 2 if pattern[at] == "\\" else 1
            if at >= size:
                return False
        elif char == "{":
            depth += 1
        elif char == "}":
            if depth == 0:
                return False
            depth -= 1
        at += 1
    return depth == 0

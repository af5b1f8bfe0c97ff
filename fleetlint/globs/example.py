"""Whether a pattern takes any note at all, without a search for nearly all that people write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.globs.algebra import find_path
from fleetlint.globs.work import TooMuchWork

if TYPE_CHECKING:
    from fleetlint.globs.syntax import Pattern


def takes_notes(pattern: Pattern) -> bool:
    """Whether some note path is in the pattern. What is not decided counts as yes."""
    example = _guess(pattern.text)
    try:
        if example and pattern.matches(example):
            return True
    except TooMuchWork:
        pass
    return find_path(all_of=[pattern]) is not None


def _guess(text: str) -> str:
    """A note path that the pattern takes if it has no more than stars in it; empty when it is none."""
    *folders, name = text.split("/")
    name = f"{name[:-1]}a.md" if name[-1:] == "*" else name
    parts = [part.replace("**", "*").replace("*", "a") for part in (*folders, name)]
    if any(part in ("", ".", "..") for part in parts) or not parts[-1].endswith(".md") or len(parts[-1]) < 4:
        return ""
    return "/".join(parts)

"""The kinds of doubt about one pattern, the most telling first: a pattern gets one of them at most."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from fleetlint.globs.example import takes_notes
from fleetlint_rules.suspicious_pattern import Doubt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fleetlint.globs import Pattern
    from fleetlint.roles import Glob


class Folders:
    """The folders of the vault, and which of them differ from a given name only in case or Unicode form."""

    def __init__(self, paths: frozenset[str]) -> None:
        self.paths = paths
        # Most patterns of a fleet share their folders with others.
        self._misspelt: dict[str, tuple[str, str] | None] = {}

    @cached_property
    def bracketed(self) -> list[str]:
        return sorted((path for path in self.paths if "[" in path and "]" in path), key=lambda path: (-len(path), path))

    @cached_property
    def _by_folded(self) -> dict[str, str]:
        return {_folded(path): path for path in sorted(self.paths, reverse=True)}

    def _lookalike(self, path: str) -> str | None:
        """The folder that is spelled otherwise than `path` only in case or Unicode form, when `path` is no folder."""
        return None if path in self.paths else self._by_folded.get(_folded(path))

    def misspelt(self, folders: str) -> tuple[str, str] | None:
        """Of folders with a slash behind each, up to which they are no folder but look like one, and that folder."""
        if folders not in self._misspelt:
            ends = [at for at, char in enumerate(folders) if char == "/"]
            found = ((folders[:end], other) for end in ends if (other := self._lookalike(folders[:end])))
            self._misspelt[folders] = next(found, None)
        return self._misspelt[folders]


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", text).casefold())


def doubt(key: str, glob: Glob, folders: Folders) -> Doubt | None:
    """What is odd about an entry of the list `key`; None for a malformed one, which has a rule of its own."""
    if glob.fault is not None:
        return None
    if glob.pattern is None:
        return Doubt("empty", "an empty entry matches nothing", "drop it", "")
    text = glob.pattern.text
    if found := next(_by_spelling(key, text), None):
        return found
    if not takes_notes(glob.pattern):
        return _matches_no_note(text, folders)
    return _by_folders(glob.pattern, folders)


def _by_spelling(key: str, text: str) -> Iterator[Doubt]:
    if text.startswith("!"):
        mend = {
            "trigger_include": f"put `{text[1:]}` into `trigger_exclude`",
            "trigger_exclude": f"write `{text[1:]}` to exclude it; a list has no exceptions: for one, narrow the other excludes",
            "attach_notes": f"write one `!`: `!{text[1:]}`",
        }
        yield Doubt(
            "negation",
            f"the `!` of `{text}` is an ordinary character here, it takes nothing away",
            mend.get(key, "list only what is allowed: this list has no exceptions"),
            text[1:] if key in mend and key != "trigger_exclude" else None,
        )
    if "\\" in text and re.search(r"\\[^\W\d_]", text):
        parted = re.sub(r"\\([^\W\d_])", r"/\1", text)
        yield Doubt(
            "backslash",
            f"the backslash in `{text}` only makes the letter behind it a plain one",
            f"write `{parted}` if it was meant to part folders, else drop it",
        )
    if ".." in text and (counted := re.search(r"\{(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])\}", text)):
        low, high = counted.groups()
        meant = text.replace(counted.group(), f"[{low}-{high}]") if len(low) == len(high) == 1 else None
        yield Doubt(
            "number range",
            f"`{counted.group()}` in `{text}` matches only the text `{low}..{high}`: braces do not count",
            f"write `{meant}`" if meant else "list the names one by one",
            meant,
        )
    if glued := _glued(text):
        yield glued
    if text.startswith("~/"):
        meant = text.lstrip("~/")
        yield Doubt(
            "home", f"`~` in `{text}` is a folder of that name, not your home folder", f"write `{meant}`", meant
        )
    if listed := _named_class(text):
        yield listed


def _glued(text: str) -> Doubt | None:
    if "**" not in text or all(part == "**" or "**" not in part for part in text.split("/")):
        return None
    plain = re.sub(r"\\.|\[[^\]]*\]", lambda part: "x" * len(part.group()), text, flags=re.DOTALL)
    run = re.search(r"(?<=[^/{,}*])\*\*+|\*\*+(?=[^/},{*])|\*\*\*+", plain)
    if run is None:
        return None
    before, after = text[: run.start()], text[run.end() :]
    starts, ends = not before or before[-1] in "/{,", not after or after[0] in "/},"
    meant = None
    mend = f"write `{before}*{after}` for one level, `{before}*/**/*{after}` for deeper ones"
    if starts or ends:
        meant = f"{before}{'' if starts else '/'}**{'' if ends else '/*'}{after}"
        mend = f"write `{meant}`"
    fact = f"`{run.group()}` in `{text}` does not cross folders: it has more beside it in its part"
    return Doubt("glued stars", fact, mend, meant)


def _named_class(text: str) -> Doubt | None:
    """A whole part in brackets that lists a character twice: a name, not a choice of characters."""
    for part in text.split("/") if "[" in text else ():
        inner = part[1:-1]
        if part[:1] == "[" and part[-1:] == "]" and len(set(inner)) < len(inner) and inner.isalnum():
            return _one_character(text, part, part)
    return None


def _one_character(text: str, taken: str, name: str) -> Doubt:
    """`taken` is the stretch of the pattern that is meant as it stands, `name` its part in brackets."""
    meant = text.replace(taken, re.sub(r"([\[\]{}*?])", r"\\\1", taken), 1)
    return Doubt(
        "brackets",
        f"the brackets in `{text}` stand for one character out of those between them, not for the name `{name}`",
        f"write `{meant}`, in single quotes",
        meant,
    )


def _by_folders(pattern: Pattern, folders: Folders) -> Doubt | None:
    text = pattern.text
    for folder in folders.bracketed:
        if text == folder or text.startswith(folder + "/"):
            return _one_character(text, folder, next(part for part in folder.split("/") if "[" in part))
    if found := folders.misspelt(pattern.folder):
        path, other = found
        meant = f"{other}{text[len(path) :]}"
        return Doubt(
            "other spelling",
            f"the vault has no folder `{path}`, only `{other}`, and {_difference(path, other)}",
            f"write `{meant}`",
            meant,
        )
    return None


def _difference(path: str, other: str) -> str:
    from unicodedata import normalize

    same_form = normalize("NFC", path) == normalize("NFC", other)
    return (
        "the two differ in how Unicode composes a letter" if same_form else "upper and lower case differ for the server"
    )


def _matches_no_note(text: str, folders: Folders) -> Doubt:
    parts = [part for part in text.split("/") if part not in ("", ".")]
    while ".." in parts[1:]:
        at = parts.index("..", 1)
        del parts[at - 1 : at + 1]
    tidy = "/".join(part for part in parts if part != "..")
    if text.endswith("/") and tidy == text.rstrip("/"):
        meant = tidy if tidy.endswith("**") else f"{tidy}/**"
        return Doubt(
            "trailing slash", f"`{text}` ends with a slash, and no note's path does", f"write `{meant}`", meant
        )
    if tidy != text.rstrip("/"):
        fact = f"`{text}` can match no note: a path has no empty part, no `.` and no `..`"
        return Doubt("untidy path", fact, f"write `{tidy or '**'}`", tidy or None)
    return Doubt(
        "bare name",
        f"`{text}` matches no note: it names a folder, and what is in a folder is not matched by that",
        f"write `{text}/**` for all notes in it, or `{text}.md` for a note of that name",
        f"{text}/**" if text in folders.paths else None,
    )

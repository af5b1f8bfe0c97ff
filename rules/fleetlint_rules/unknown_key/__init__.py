"""A key one typo away from one that fleets know: it is silently ignored."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetlint.roles.role import KEYS, is_role_header
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside
from fleetlint.vault.note import Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.vault import Note

MODES = ("change", "cron", "both")

KNOWN = {key.replace("_", ""): key for key in KEYS}
LONGEST = max(map(len, KNOWN)) + 1


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    known: dict[str, str | None] = {}
    for note in facts.notes.values():
        if note.header is None:
            continue
        odd = []
        keys = set()
        for key, value in note.header.entries:
            name = str(key.value)
            keys.add(name)
            if name in KEYS:
                continue
            if name not in known:
                known[name] = meant(name)
            right = known[name] or ("mode" if _holds_a_mode(name, value) else None)
            if right:
                odd.append((key, right))
        # Other notes may call their properties as they like; a note that these keys would make a role is meant as one.
        if odd and (note.path in facts.roles or is_role_header(keys | {right for _, right in odd})):
            yield from (_finding(note, key, right, right in keys) for key, right in odd)


def meant(name: str) -> str | None:
    """The known key that differs in case, in what parts its words, or in one letter; None for a key of somebody's own.

    Short words have too many neighbours (`node`, `models`, `pools`): there only a missing `s` or two letters that
    changed places count. So does a number at the end make another key: `description2`.
    """
    plain = name.lower().replace("-", "").replace("_", "").replace(" ", "").replace(".", "")
    if plain in KNOWN:
        return KNOWN[plain]
    if len(plain) > LONGEST or plain[-1:].isdecimal():
        return None
    for word, key in KNOWN.items():
        if plain + "s" == word or _are_swapped(plain, word) or (len(word) > 5 and _is_one_edit(plain, word)):
            return key
    return None


def _are_swapped(one: str, other: str) -> bool:
    """Whether two neighbouring letters changed places."""
    if len(one) != len(other):
        return False
    apart = [at for at in range(len(one)) if one[at] != other[at]]
    return len(apart) == 2 and apart[1] == apart[0] + 1 and sorted(one) == sorted(other)


def _is_one_edit(one: str, other: str) -> bool:
    """Whether one letter too many, too few or another one makes the difference."""
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    rest, other_rest = one[start:], other[start:]
    return rest[1:] == other_rest or rest == other_rest[1:] or (rest[1:] == other_rest[1:] and len(one) == len(other))


def _holds_a_mode(name: str, value: object) -> bool:
    """Whether a key is like `mode` and its value makes it sure: `node: change`."""
    return isinstance(value, Scalar) and value.value in MODES and _is_one_edit(name.lower(), "mode")


def _finding(note: Note, key: Scalar, right: str, is_there: bool) -> Finding:
    name = str(key.value)
    there = ", which the note has as well," if is_there else ""
    return Finding(
        message=f"`{name}` is no key that fleets know, so they ignore it; `{right}`{there} is one",
        help=f"write `{right}`, or drop the key if it says nothing new" if is_there else f"write `{right}`",
        place=Place(note.path, name, span=key.span),
        nodes=(note.path,),
        identity=(name, right),
        data={"key": name, "known": right},
        mends=tuple if is_there else partial(_mends, note.path, name, right),
    )


def _mends(path: str, name: str, right: str) -> Iterator[Mend]:
    from fleetlint.edits import Edit, Mend

    yield Mend((Edit(path, "rename", name, (right,)),), f"rename `{name}` to `{right}` in `{path}`", cuts=None)


RULE = Rule(
    name="unknown-key",
    summary="A key one typo away from a known one, which fleets therefore ignore.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
)

"""A role that changes notes which it cannot read."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from fleetlint.globs import Found, find_path, meeting_pairs
from fleetlint.globs.syntax import Escaped, Literal
from fleetlint.graph.derive import writers
from fleetlint.roles.written import pieces
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fleetlint.globs import Pattern
    from fleetlint.roles import Glob, Role


MOST_PAIRS = 10_000
"""So many pairs of a write pattern and a read pattern are looked at in one role."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for role, tools in writers(facts.graph):
        if role.enabled and role.write_patterns:
            yield from _of_role(role, patches="patch_note" in tools)


def _of_role(role: Role, *, patches: bool) -> Iterator[Finding]:
    # What stands behind a `!` must be absent; it is not read.
    readable = _patterns([*role.read_patterns, *(glob for glob in role.attach_notes if not glob.negated)])
    known = set(readable)
    # Most roles read what they write by the very same pattern.
    written = [
        (index, glob.pattern)
        for index, glob in enumerate(role.write_patterns)
        if glob.pattern and glob.pattern not in known
    ]
    cut = pieces(role.fields["write_patterns"]) if written else frozenset()
    near: dict[int, list[Pattern]] = {}
    pairs = meeting_pairs([pattern for _, pattern in written], readable) if written else iter(())
    for number, read in islice(pairs, MOST_PAIRS):
        near.setdefault(number, []).append(readable[read])
    if next(pairs, None) is not None:
        # Lists of thousands of wildcards: only what met all it can meet is judged.
        written = written[: max(near)]
    for number, (index, pattern) in enumerate(written):
        found = None if index in cut else _unread(pattern, near.get(number, ()))
        if found is None:
            continue
        if patches:
            named = "patches notes" if role.tools else "names no tools, so it has `patch_note`,"
            yield _finding(role, index, found, f"{named} and cannot read", "patch_note")
        elif _is_one_name(pattern):
            yield _finding(role, index, found, "rewrites a note on each run and cannot read it:", "one note")
        elif (again := _woken_by(role, pattern, near.get(number, ()))) is not None:
            yield _finding(role, index, again, "may rewrite a note that woke it and cannot read it:", "its trigger")


def _patterns(globs: Iterable[Glob]) -> tuple[Pattern, ...]:
    return tuple(sorted({glob.pattern for glob in globs if glob.pattern}, key=lambda pattern: pattern.text))


def _unread(write: Pattern, readable: Sequence[Pattern]) -> str | None:
    """A path that is written and not read; None when there is none, or none is proven."""
    answer = find_path(all_of=[write], none_of=readable)
    return answer.path if isinstance(answer, Found) else None


def _is_one_name(pattern: Pattern) -> bool:
    return all(isinstance(node, Literal | Escaped) for node in pattern.nodes or (None,))


def _woken_by(role: Role, write: Pattern, readable: Sequence[Pattern]) -> str | None:
    """A path that can wake the role, and that it then writes without reading it."""
    excludes = _patterns(role.trigger_exclude)
    includes = _patterns(role.trigger_include) if role.is_change else ()
    for include in islice(includes, 1 + MOST_PAIRS // len(role.write_patterns)):
        answer = find_path(all_of=[write, include], none_of=[*excludes, *readable])
        if isinstance(answer, Found):
            return answer.path
    return None


def _finding(role: Role, index: int, witness: str, fact: str, why: str) -> Finding:
    text = role.write_patterns[index].text
    others = "; name only `write_note` in `tools` if it makes new notes alone" if why == "patch_note" else ""
    return Finding(
        message=f"{fact} `{witness}`, which it may write by `{text}`",
        help=f"add `{text}` to `read_patterns`{others}",
        place=Place(role.path, "write_patterns", index),
        nodes=(role.path,),
        identity=(text, why),
        data={"write": text, "witness": witness, "why": why},
    )


RULE = Rule(
    name="blind-write",
    summary="A role that patches or rewrites notes which it cannot read.",
    severity=Severity.INFO,
    check=check,
    page=page_beside(__file__),
)

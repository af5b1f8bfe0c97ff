"""A sync tool's copy of a role note, which runs as a second role; and role notes of which a disk keeps only one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, Step, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.roles import Role


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    first: dict[str, str] = {}
    for path, role in facts.roles.items():
        same = first.setdefault(_folded(path), path)
        if same != path:
            yield _twin(role, same)
    # A paused copy does no harm.
    for role in facts.roles.values():
        if role.enabled:
            yield from _copies(role, facts.roles)


def _copies(role: Role, roles: Mapping[str, Role]) -> Iterator[Finding]:
    """At most one. What copies are called is read only where another note's name is the beginning of this one's."""
    folder, slash, file = role.path.rpartition("/")
    stem = file.removesuffix(".md")
    ends = [at for at, char in enumerate(stem) if at and char in " .-_"]
    # Google Drive writes it before the name.
    parts = [(stem[:at], stem[at:]) for at in ends] + [(stem.removeprefix("Copy of "), "Copy of ")]
    for name, added in parts:
        other = roles.get(f"{folder}{slash}{name}.md")
        if other is None or other is role:
            continue
        from fleetlint_rules.conflict_copy.names import maker

        by = maker(added, are_alike=_are_alike(role, other))
        if by:
            yield _copy(role, other.path, by)
            return


def _are_alike(one: Role, other: Role) -> bool:
    """Whether the two are the same agent, woken by the same."""
    return all(getattr(one, key) == getattr(other, key) for key in ("fleet_id", "mode", "cron_schedule")) and [
        glob.text for glob in one.trigger_include
    ] == [glob.text for glob in other.trigger_include]


def _folded(path: str) -> str:
    """The path as disks compare it that know no upper and lower case."""
    if path.isascii():
        return path.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", path).casefold())


def _copy(role: Role, path: str, by: str) -> Finding:
    return Finding(
        message=f"looks like a copy of `{path}` that {by} made, and runs as a second role beside it",
        help=f"take over into `{path}` what is new here, and delete this note; rename it if it is a role of its own",
        place=Place(role.path),
        nodes=(role.path, path),
        identity=("copy",),
        related=(Step(Place(path), "the role note itself"),),
        data={"original": path, "made_by": by},
    )


def _twin(role: Role, path: str) -> Finding:
    return Finding(
        message=f"is spelled like `{path}` but for case or Unicode form: on macOS and Windows only one of the two is kept",
        help="give one of them another name, or delete the one that is out of date",
        place=Place(role.path),
        nodes=(role.path, path),
        identity=("twin",),
        related=(Step(Place(path), "the other note"),),
        data={"other": path},
    )


RULE = Rule(
    name="conflict-copy",
    summary="A sync tool's copy of a role note, which would run as a second role.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
)

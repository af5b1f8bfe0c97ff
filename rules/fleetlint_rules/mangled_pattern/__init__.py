"""A pattern that reaches the fleet as something else than what is written."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetlint.roles.written import mangled, meant, surviving
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside
from fleetlint.vault.note import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.roles import Field, Role
    from fleetlint.roles.written import Mangled


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for role in facts.roles.values():
        for key, globs in role.globs():
            if globs:
                yield from _of_field(role, role.fields[key])


def _of_field(role: Role, field: Field) -> Iterator[Finding]:
    for entry in mangled(field):
        yield Finding(
            message=f"{_what_is_written(field, entry)} reaches the fleet as {_listed(entry.seen)}",
            help=_mend(field, entry),
            place=Place(role.path, field.key, span=_stretch(field, entry)),
            nodes=(role.path,),
            identity=(field.key, field.raw if entry.written is None else entry.written),
            data={"key": field.key, "written": entry.written, "seen": list(entry.seen)},
            mends=partial(_mends, role.path, field),
        )


def _stretch(field: Field, entry: Mangled) -> Span | None:
    """From the entry's first piece to its last."""
    if not entry.seen:
        return None
    first, last = field.items[entry.items[0]].span, field.items[entry.items[-1]].span
    return Span(first.line, first.column, last.end_line, last.end_column)


def _what_is_written(field: Field, entry: Mangled) -> str:
    if field.raw == "<nil>":
        return f"`{field.key}` without a value"
    return f"the value of `{field.key}`" if entry.written is None else f"`{entry.written}`"


def _listed(seen: tuple[str, ...]) -> str:
    shown = [f"`{text}`" for text in seen[:4]] + (["..."] if len(seen) > 4 else [])
    if not shown:
        return "nothing at all"
    if len(shown) == 1:
        return f"the pattern {shown[0]}"
    return f"the {len(seen)} patterns {', '.join(shown[:-1])} and {shown[-1]}"


def _mend(field: Field, entry: Mangled) -> str:
    if field.raw == "<nil>":
        return f"write `{field.key}: []`, or leave the key out"
    if entry.written is None or field.written is None:
        return "write a plain list of texts"
    whole = surviving(field.key, [text.strip() for text in field.written])
    spaced = entry.written.strip()
    either = f", or `?` for each space: `{spaced.replace(' ', '?')}`" if " " in spaced and "," not in spaced else ""
    return f"write the whole list as one quoted text: `{whole}`{either}"


def _mends(path: str, field: Field) -> Iterator[Mend]:
    from fleetlint.edits import Edit, Mend

    items = meant(field)
    if items is not None:
        said = "write `{key}` of `{path}` as one quoted text" if items else "write `{key}: []` in `{path}`"
        yield Mend((Edit(path, "items", field.key, items),), said.format(key=field.key, path=path), cuts=None)


RULE = Rule(
    name="mangled-pattern",
    summary="What the fleet sees of a pattern is not what is written.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "pattern"),
)

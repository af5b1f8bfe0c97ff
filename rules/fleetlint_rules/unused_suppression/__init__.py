"""Suppressions that suppress nothing: nobody would notice what they will hide one day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.rule import Suppression


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for suppression in facts.suppressions:
        said = _said(suppression)
        if said is None:
            continue
        message, help = said
        path = suppression.place.path
        yield Finding(
            message=message,
            help=help,
            place=suppression.place,
            nodes=(path,) if path in facts.roles else (),
            identity=(path, suppression.rule, suppression.glob),
            data={"rule": suppression.rule, "state": suppression.state, "until": suppression.until or None},
        )


def _said(suppression: Suppression) -> tuple[str, str] | None:
    """What there is to say of it, and what to do; None when it is used, or nobody knows."""
    rule = suppression.rule
    where = "in this note" if suppression.in_note else f"in `{suppression.glob}`"
    if suppression.state == "faulty":
        return suppression.fault, suppression.help
    if suppression.state == "expired":
        return (
            f"the suppression of `{rule}` {where} ended on {suppression.until}: {suppression.reason}",
            "mend what it hid, or give it a later `until`",
        )
    if suppression.state == "unused":
        return (
            f"`{rule}` is suppressed {where}, where it finds nothing",
            "take the suppression away; it counts for findings that point into the file, not for those that name it",
        )
    return None


RULE = Rule(
    name="unused-suppression",
    summary="A suppression that suppresses nothing: unused, past its day, or without a reason.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    last=True,
)

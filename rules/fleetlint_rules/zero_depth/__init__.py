"""A role that no edit wakes because of its depth guard: `max_depth` is 0, or left out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.roles import Role


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for role in facts.roles.values():
        # A cron run happens whatever `max_depth` says; a number that does not parse is `invalid-role`'s.
        is_left_out = "max_depth" not in role.fields
        if role.is_change and (is_left_out or role.stated_max_depth == 0):
            yield _finding(role, is_left_out)


def _finding(role: Role, is_left_out: bool) -> Finding:
    beside = "; only its schedule does" if role.is_cron else ""
    if is_left_out:
        fact = f"states no `max_depth`: fleets then register 0, at which no edit wakes the role{beside}"
    else:
        fact = f"`max_depth` is 0, at which no edit wakes the role{beside}"
    # A `Max-Depth` wants another name, not a second key beside it.
    is_misspelled = any("depth" in key.lower() for key in role.fields if key != "max_depth")
    more = "" if is_left_out else ", or `enabled: no` to pause the role"
    return Finding(
        message=fact,
        help=f"write `max_depth: 1` for direct edits alone, one more for each role before it in the chain{more}",
        place=Place(role.path, "max_depth"),
        nodes=(role.path,),
        identity=("max_depth", "" if is_left_out else "0"),
        data={"max_depth": role.stated_max_depth},
        mends=partial(_mends, role.path) if is_left_out and not is_misspelled else tuple,
    )


def _mends(path: str) -> Iterator[Mend]:
    from fleetlint.edits import Edit, Mend

    # What fleetlint computes with anyway; what a fleet registers changes, so it is for a person to decide.
    yield Mend((Edit(path, "text", "max_depth", ("1",)),), f"state `max_depth: 1` in `{path}`", safe=False)


RULE = Rule(
    name="zero-depth",
    summary="`max_depth` is 0 or left out, so no edit wakes the role on current servers.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
)

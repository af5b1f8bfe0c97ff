"""A role with a tool to write and nothing that it may write to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.graph.derive import writers
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.roles import Role

WRITE_TOOLS = ("write_note", "patch_note")


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for role, tools in writers(facts.graph):
        # Without a known mode it never runs, and `invalid-role` says so.
        if not role.write_patterns and (role.is_change or role.is_cron):
            yield _finding(role, next(tool for tool in WRITE_TOOLS if tool in tools))


def _finding(role: Role, tool: str) -> Finding:
    if role.tools:
        fact = f"has the tool `{tool}` and no write scope"
        mend = f"name what it may write in `write_patterns`, or take `{tool}` out of `tools`"
    else:
        fact = f"names no tools, so it has `{tool}`, and no write scope"
        mend = "name what it may write in `write_patterns`, or in `tools` the ones it needs without those that write"
    at = next((index for index, name in enumerate(role.tools) if name in WRITE_TOOLS), None)
    return Finding(
        message=f"{fact}: every write is refused at run time",
        help=mend,
        place=Place(role.path, "write_patterns") if "write_patterns" in role.fields else Place(role.path, "tools", at),
        nodes=(role.path,),
        identity=("write_patterns",),
        data={"tool": tool, "named": bool(role.tools)},
    )


RULE = Rule(
    name="no-write-scope",
    summary="A role with a write tool and without any `write_patterns`: every write is refused.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
)

"""`fleetlint rules`: the list of rules."""

from __future__ import annotations

import click

from fleetlint.cli.reading import put


@click.command(
    epilog="""\b
Examples:
  fleetlint rules
  fleetlint rules --format json | jq -r '.[].name'
""",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Format of the list.",
)
def command(format_name: str) -> int:
    """List all rules with their default severity. `fleetlint explain RULE` has the page of each."""
    from fleetlint.lint import load_rules

    rules = load_rules()
    if format_name == "json":
        import json

        listed = [
            {
                "name": rule.name,
                "severity": rule.severity.value,
                "summary": rule.summary,
                "tags": list(rule.tags),
                "options": {name: list(values) for name, values in rule.options.items()},
                "numbers": list(rule.numbers),
                "off": rule.off,
            }
            for rule in rules
        ]
        put(json.dumps(listed, ensure_ascii=False, indent=2) + "\n", machine=True)
        return 0
    width = max(len(rule.name) for rule in rules)
    lines = (
        f"{rule.name:{width}}  {rule.severity:5}  {rule.summary}{' Off by default.' if rule.off else ''}\n"
        for rule in rules
    )
    put("".join(lines), machine=False)
    return 0

"""`fleetlint rules`: the list of rules."""

from __future__ import annotations

import click

from fleetlint.cli.reading import allow_vault_rules, format_option, put, read_rules


@click.command(
    epilog="""\b
Examples:
  fleetlint rules
  fleetlint rules --format json | jq -r '.[].name'
""",
)
@format_option(("text", "json"), "Format of the list.")
@allow_vault_rules
def command(format_name: str, *, allow_vault_rules: bool) -> int:
    """List all rules with their default severity. `fleetlint explain RULE` has the page of each."""
    rules = read_rules(allow_vault_rules)
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

"""Texts of role notes."""

from __future__ import annotations


def change_role(include: str, write: str, fleet_id: str = "desk") -> str:
    """A note whose role wakes on one pattern and writes to another."""
    return f"""\
---
fleet_id: {fleet_id}
mode: change
trigger_on: [create, update]
trigger_include: ["{include}"]
write_patterns: ["{write}"]
max_depth: 3
---
Do it.
"""

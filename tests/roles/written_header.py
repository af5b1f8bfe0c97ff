"""Roles of headers that are written out."""

from __future__ import annotations

from fleetlint.roles import Role, read_role
from fleetlint.vault.frontmatter import find_block, read_note

VALID = "fleet_id: t\nmode: change\ntrigger_on: [create]\ntrigger_include: [in/**]\nwrite_patterns: [out/**]\n"


def role(header: str, body: str = "Do it.\n") -> Role:
    data = f"---\n{header}\n---\n{body}".encode()
    block = find_block(data)
    assert block is not None
    note = read_note("roles/a.md", data, block)
    assert note.header is not None, note.fault
    return read_role(note)

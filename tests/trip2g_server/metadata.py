"""What the server makes of a note's header: a plain rendering of its own, for headers without surprises.

Headers with surprises are for `tests/oracle`, whose `metadata` gives what the server's own libraries say.
"""

from __future__ import annotations

import re

import yaml

HEADER = re.compile(r"-+[ \t]*\r?\n(.*?)^-+[ \t]*\r?$", re.DOTALL | re.MULTILINE)


def metadata(content: str) -> dict[str, str]:
    """The keys with what Go's `%v` prints of their values; empty without a header that can be read."""
    found = HEADER.match(content)
    if found is None:
        return {}
    try:
        node = yaml.compose(found[1], yaml.SafeLoader)
    except yaml.YAMLError:
        return {}
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: _raw(value) for key, value in node.value}


def _raw(node: yaml.Node) -> str:
    if isinstance(node, yaml.SequenceNode):
        return f"[{' '.join(_raw(item) for item in node.value)}]"
    if isinstance(node, yaml.MappingNode):
        return f"map[{' '.join(sorted(f'{_raw(key)}:{_raw(value)}' for key, value in node.value))}]"
    kind = node.tag.rpartition(":")[2]
    if kind == "null":
        return "<nil>"
    if kind == "bool":
        return "true" if node.value.lower() in ("yes", "true", "on") else "false"
    if kind == "int" and node.value.isdecimal():
        return str(int(node.value))
    return str(node.value)

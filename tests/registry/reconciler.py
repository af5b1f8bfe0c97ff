"""What a fleet registers for notes, worked out from the description of the system alone: nothing of fleetlint is in here.

It reads the notes that tests make: texts are quoted, numbers plain decimals, and the header is the whole file or ends in a
line `---`. Schedules are made of numbers, `*`, ranges, steps and lists.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any, NamedTuple

import yaml

Registry = dict[str, list[dict[str, Any]]]
"""A snapshot: `changeWebhooks` and `cronWebhooks`."""

LISTINGS = {"change": "changeWebhooks", "cron": "cronWebhooks"}
PREFIXES = {"change": "fleet:", "cron": "fleetcron:"}
EVENTS = {"create": "onCreate", "update": "onUpdate", "remove": "onRemove"}
CRON_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
LANGUAGES = {"py", "python", "python3", "js", "javascript", "node", "sh", "bash", "rb", "ruby", "php", "pl", "perl"}


class Fleet(NamedTuple):
    id: str
    callback: str
    mode: str = "selector"
    folder: str = ""
    default: bool = False
    tools: tuple[str, ...] = ("search", "read_note", "patch_note", "write_note")
    old_urls: bool = False


class Invalid(Exception):  # noqa: N818 - it is what it says
    """The fleet registers nothing for this note."""


def reconcile(notes: dict[str, str], fleet: Fleet, registry: Registry) -> tuple[Registry, set[tuple[str, str]]]:
    """The registry after the fleet has looked at these notes, and the (path, kind) that the server refused."""
    wanted: dict[tuple[str, str], dict[str, Any]] = {}
    refused = set()
    for path, text in notes.items():
        header, body = header_of(text)
        if not claims(fleet, path, header):
            continue
        try:
            nodes = nodes_of(path, header, body, fleet)
        except Invalid:
            continue
        for kind, node in nodes.items():
            wanted[path, kind] = node
            if not server_takes(node, kind):
                refused.add((path, kind))
    result: Registry = {listing: [] for listing in LISTINGS.values()}
    done: set[tuple[str, str]] = set()
    failed = set()
    for kind, listing in LISTINGS.items():
        # The current one of several goes first, then the oldest.
        def rank(node: dict[str, Any], kind: str = kind) -> tuple[bool, int]:
            owner = owner_of(node, kind)
            want = wanted.get((owner[1], kind)) if owner else None
            return (want is None or want["description"] != node["description"], int(node["id"]))

        for node in sorted(registry[listing], key=rank):
            owner = owner_of(node, kind)
            if owner is None or owner[0] != fleet.id:
                result[listing].append(node)
                continue
            key = (owner[1], kind)
            if key not in wanted or key in done:
                continue
            done.add(key)
            new = {**wanted[key], "id": node["id"], "enabled": node["enabled"]}
            if node["description"] == new["description"]:
                result[listing].append({**node, "url": new["url"]})
            elif key in refused:
                failed.add(key)
                result[listing].append(node)
            else:
                result[listing].append(new)
    fresh = 1 + max((int(node["id"]) for listing in registry.values() for node in listing), default=0)
    for key in sorted(wanted.keys() - done):
        if key in refused:
            failed.add(key)
            continue
        result[LISTINGS[key[1]]].append({**wanted[key], "id": fresh, "enabled": True})
        fresh += 1
    return result, failed


def owner_of(node: dict[str, Any], kind: str) -> tuple[str, str, str] | None:
    """Fleet, path and version of a marker."""
    found = re.fullmatch(f"{PREFIXES[kind]}([^:]+):(.+)", node["description"], re.DOTALL)
    if found is None:
        return None
    path, hash_sign, version = found[2].rpartition("#")
    return (found[1], path, version) if hash_sign else (found[1], found[2], "")


def claims(fleet: Fleet, path: str, header: dict[str, str]) -> bool:
    if not path.startswith(fleet.folder):
        return False
    if fleet.mode == "folder":
        return True
    named = header.get("fleet_id", "").strip()
    return named == fleet.id if named else fleet.default


# --- The note ---


def header_of(text: str) -> tuple[dict[str, str], str]:
    """The keys with their raw texts, and the body."""
    _, header, body = text.split("---\n", 2)
    root = yaml.compose(header, Loader=yaml.BaseLoader)
    assert isinstance(root, yaml.MappingNode)
    return {key.value: raw(value) for key, value in root.value}, body


def raw(node: yaml.Node) -> str:
    if isinstance(node, yaml.SequenceNode):
        return f"[{' '.join(raw(item) for item in node.value)}]"
    assert isinstance(node, yaml.ScalarNode)
    value: str = node.value
    if node.style is None and value in ("", "~", "null"):
        return "<nil>"
    if node.style is None and value in ("yes", "on", "true", "no", "off", "false"):
        return "true" if value in ("yes", "on", "true") else "false"
    return value


def parse_list(text: str) -> list[str]:
    text = text.strip()
    if not text:
        return []
    try:
        items = json.loads(text)
    except ValueError:
        items = None
    if isinstance(items, list) and all(isinstance(item, str) for item in items):
        return items
    text = text.removeprefix("[").removesuffix("]")
    words = [word.strip("\"'") for word in text.replace(",", " ").split()]
    return [word for word in words if word]


def number(text: str) -> int:
    text = text.strip()
    if not text:
        return 0
    if not re.fullmatch(r"[+-]?[0-9]+", text) or not -(2**63) <= int(text) < 2**63:
        raise Invalid(text)
    return int(text)


def nodes_of(path: str, header: dict[str, str], body: str, fleet: Fleet) -> dict[str, dict[str, Any]]:
    """The webhooks by kind, without id. Raises Invalid."""

    def text(key: str) -> str:
        return header.get(key, "").strip()

    def texts(key: str) -> list[str]:
        return parse_list(header.get(key, ""))

    depth, timeout, _, _ = (
        number(header.get(key, "")) for key in ("max_depth", "timeout_seconds", "max_tokens", "max_steps")
    )
    enabled = header.get("enabled", "true").strip().lower()
    if enabled in ("false", "no", "off"):
        return {}
    if enabled not in ("true", "yes", "on"):
        raise Invalid(enabled)
    mode, events, include = text("mode"), texts("trigger_on"), texts("trigger_include")
    kinds = {"change": ["change"], "cron": ["cron"], "both": ["change", "cron"]}.get(mode)
    blocks = re.findall(r"```([^\n]*)\n.*?```", body, re.DOTALL)
    if (
        kinds is None
        or ("cron" in kinds and not text("cron_schedule"))
        or ("change" in kinds and not (events and include))
        or ("change_file" in body and text("for_each") != "changed_files")
        or text("concurrency") not in ("", "allow_overlap", "skip", "queue_one")
        or text("for_each") not in ("", "changed_files", "attached_notes")
        or timeout < 0
        or not set(texts("tools")) <= set(fleet.tools)
        or (text("executor") == "code" and not blocks)
        or (text("executor") == "code" and not {block.strip().lower() for block in blocks} <= LANGUAGES)
        or "" in [item.strip() for item in texts("env_prefix")]
    ):
        raise Invalid(path)
    lists = {key: texts(key) for key in ("trigger_exclude", "read_patterns", "write_patterns", "attach_notes")}
    seconds = timeout or 300
    joined = {key: ",".join(items) for key, items in lists.items()}
    scope = [joined["read_patterns"], joined["write_patterns"], joined["attach_notes"]]
    versions = {
        "change": [
            *("schema=2", ",".join(include), joined["trigger_exclude"], *scope, ",".join(events)),
            *(str(depth), text("concurrency"), str(seconds)),
        ],
        "cron": [text("cron_schedule"), *scope, text("concurrency"), str(depth), str(seconds)],
    }
    newer: dict[str, Any] = {
        "attachNotes": lists["attach_notes"],
        "concurrencyMode": text("concurrency") or "allow_overlap",
        "timeoutSeconds": seconds,
    }
    own: dict[str, dict[str, Any]] = {
        "change": {
            **{flag: event in events for event, flag in EVENTS.items()},
            "includePatterns": include,
            "excludePatterns": lists["trigger_exclude"],
        },
        "cron": {"cronSchedule": text("cron_schedule")},
    }
    return {
        kind: {
            "url": url(fleet, path, kind),
            "description": f"{PREFIXES[kind]}{fleet.id}:{path}#{version(versions[kind])}",
            "maxDepth": depth,
            "readPatterns": lists["read_patterns"],
            "writePatterns": lists["write_patterns"],
            **own[kind],
            **newer,
        }
        for kind in kinds
    }


def version(fields: list[str]) -> str:
    digest = hashlib.sha256("|".join(fields).encode()).digest()[:6]
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def url(fleet: Fleet, path: str, kind: str) -> str:
    key = base64.urlsafe_b64encode(path.encode()).decode().rstrip("=")
    if fleet.old_urls:
        return f"{fleet.callback}/deliver/{key}"
    digest = hashlib.sha256(f"fleet:{fleet.id}".encode()).hexdigest()
    return f"{fleet.callback}/_fleet/{digest}/webhook/{'cron/' if kind == 'cron' else ''}{key}"


# --- The server ---


def server_takes(node: dict[str, Any], kind: str) -> bool:
    limits = 0 <= node["maxDepth"] <= 999 and 1 <= node["timeoutSeconds"] <= 3600
    return limits and (kind == "change" or cron(node["cronSchedule"]))


def as_an_older_server_shows(registry: Registry) -> Registry:
    """Without the fields that only newer servers have."""
    newer = ("attachNotes", "concurrencyMode", "timeoutSeconds")
    return {
        listing: [{key: value for key, value in node.items() if key not in newer} for node in nodes]
        for listing, nodes in registry.items()
    }


def cron(schedule: str) -> bool:
    fields = schedule.split()
    return len(fields) == 5 and all(map(cron_field, fields, CRON_RANGES))


def cron_field(field: str, bounds: tuple[int, int]) -> bool:
    for entry in field.split(","):
        found = re.fullmatch(r"(?:\*|(\d+)(?:-(\d+))?)(?:/([1-9]\d*))?", entry)
        if found is None:
            return False
        low, high = (int(found[group]) if found[group] else None for group in (1, 2))
        if low is not None and not bounds[0] <= low <= (low if high is None else high) <= bounds[1]:
            return False
    return True

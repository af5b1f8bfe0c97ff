"""A registry as a snapshot file: the same webhooks always give the same bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from fleetlint.registry.snapshot import Registry, Webhook


def render_snapshot(registry: Registry) -> str:
    """JSON that `parse_snapshot` reads back as the same webhooks, in their order; fields that are None are left out."""
    document = {
        f"{kind}Webhooks": [_node(webhook) for webhook in registry.webhooks if webhook.kind == kind]
        for kind in ("change", "cron")
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _node(webhook: Webhook) -> dict[str, Any]:
    is_number = (
        webhook.id.isascii() and webhook.id.isdecimal() and len(webhook.id) < 19 and str(int(webhook.id)) == webhook.id
    )
    node: dict[str, Any] = {
        "id": int(webhook.id) if is_number else webhook.id,
        "description": webhook.description,
        "url": webhook.url,
        "enabled": webhook.enabled,
        "maxDepth": webhook.max_depth,
    }
    if webhook.kind == "change":
        if webhook.events is not None:
            node |= {f"on{event.title()}": event in webhook.events for event in ("create", "update", "remove")}
        node |= {"includePatterns": webhook.include_patterns, "excludePatterns": webhook.exclude_patterns}
    else:
        node["cronSchedule"] = webhook.cron_schedule
    node |= {
        "readPatterns": webhook.read_patterns,
        "writePatterns": webhook.write_patterns,
        "attachNotes": webhook.attach_notes,
        "concurrencyMode": webhook.concurrency,
        "timeoutSeconds": webhook.timeout_seconds,
    }
    return {key: value for key, value in node.items() if value is not None}

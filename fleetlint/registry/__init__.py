"""What is registered at a trip2g server: markers, versions and snapshots, as values. Pure."""

from fleetlint.registry.marker import Marker, parse_marker
from fleetlint.registry.snapshot import Registry, Webhook, parse_snapshot
from fleetlint.registry.version import change_version, cron_version

__all__ = ["Marker", "Registry", "Webhook", "change_version", "cron_version", "parse_marker", "parse_snapshot"]

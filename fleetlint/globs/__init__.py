"""What paths a pattern matches. Pure; knows nothing of vaults."""

from fleetlint.globs.algebra import Found, Maybe, covers, equivalent, find_path, witness_key
from fleetlint.globs.index import meeting_pairs
from fleetlint.globs.like import Like
from fleetlint.globs.syntax import BadPattern, Pattern

__all__ = [
    "BadPattern",
    "Found",
    "Like",
    "Maybe",
    "Pattern",
    "covers",
    "equivalent",
    "find_path",
    "meeting_pairs",
    "witness_key",
]

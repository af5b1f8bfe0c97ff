"""Where notes come from. Knows nothing of roles, patterns or fleets."""

from fleetlint.vault.checkout import load_vault
from fleetlint.vault.note import Mapping, Note, Scalar, Sequence, Span, Vault, VaultProblem

__all__ = ["Mapping", "Note", "Scalar", "Sequence", "Span", "Vault", "VaultProblem", "load_vault"]

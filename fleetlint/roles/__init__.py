"""What a fleet sees in a note."""

from fleetlint.roles.raw import Item
from fleetlint.roles.role import Field, Glob, Problem, Role, is_role_note, read_role
from fleetlint.roles.validate import DEFAULT_TOOLS, validate

__all__ = ["DEFAULT_TOOLS", "Field", "Glob", "Item", "Problem", "Role", "is_role_note", "read_role", "validate"]

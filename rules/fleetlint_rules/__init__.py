"""The built-in rules, in the order of the catalogue."""

from fleetlint_rules import (
    bad_pattern,
    broken_frontmatter,
    cycle,
    dangling_trigger,
    dead_trigger,
    drift,
    folder_overlap,
    invalid_role,
    mangled_pattern,
    missed_frontmatter,
    orphan_write,
    ownership_conflict,
    self_trigger,
    severed_trigger,
    suspicious_pattern,
    unclaimed_role,
)

RULES = (
    self_trigger.RULE,
    cycle.RULE,
    severed_trigger.RULE,
    dead_trigger.RULE,
    dangling_trigger.RULE,
    orphan_write.RULE,
    ownership_conflict.RULE,
    folder_overlap.RULE,
    unclaimed_role.RULE,
    drift.RULE,
    invalid_role.RULE,
    broken_frontmatter.RULE,
    missed_frontmatter.RULE,
    bad_pattern.RULE,
    mangled_pattern.RULE,
    suspicious_pattern.RULE,
)

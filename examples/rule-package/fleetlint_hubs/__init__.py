"""Rules about hubs."""

from fleetlint_hubs import hub_role

RULES = (hub_role.RULE,)

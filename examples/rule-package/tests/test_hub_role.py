from fleetlint_hubs import RULES

from fleetlint import Settings, lint, load_vault
from fleetlint.settings import parse_settings

ROLE = """---
fleet_id: desk
mode: change
trigger_on: [create, update]
trigger_include: [{include}]
write_patterns: [{write}]
max_depth: {depth}
---
Do it.
"""


def vault(folder, listeners, depth=3):
    (folder / "hub.md").write_text(ROLE.format(include="in/**", write="out/**", depth=3))
    for number in range(listeners):
        (folder / f"listener-{number}.md").write_text(ROLE.format(include="out/*", write="end/**", depth=depth))
    return load_vault(folder)


def test_a_role_that_wakes_four_is_a_hub(tmp_path):
    (result,) = lint(vault(tmp_path, 4), Settings(), rules=RULES).results
    assert (result.at.path, result.at.span.line, result.at.span.column) == ("hub.md", 6, 1)
    assert result.finding.message == "wakes 4 roles, the first of them `listener-0.md` by `out/a.md`"
    assert len(result.related) == 4


def test_a_role_that_wakes_three_is_none(tmp_path):
    assert lint(vault(tmp_path, 3), Settings(), rules=RULES).results == ()


def test_what_depth_cuts_is_not_woken(tmp_path):
    assert lint(vault(tmp_path, 4, depth=1), Settings(), rules=RULES).results == ()


def test_the_settings_say_how_many_are_allowed(tmp_path):
    settings = parse_settings(b"rules: {hub-role: {allowed: 2}}", ".fleetlint.yaml")
    assert len(lint(vault(tmp_path, 3), settings, rules=RULES).results) == 1

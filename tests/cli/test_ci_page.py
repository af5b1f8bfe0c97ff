"""The recipes of docs/ci.md: YAML, with commands that fleetlint has."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
import yaml

from fleetlint.cli import group

PAGE = (Path(__file__).parents[2] / "docs" / "ci.md").read_text("utf-8")
RECIPES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"fleetlint (?:check|plan) .*", "\n".join(RECIPES))


def test_each_recipe_has_the_three_jobs() -> None:
    github, gitlab = (yaml.safe_load(recipe) for recipe in RECIPES)
    assert {"annotations", "plan", "drift"} == set(github["jobs"])
    assert {"annotations", "plan", "drift"} <= set(gitlab)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_is_one_that_the_command_line_takes(command: str) -> None:
    words = shlex.split(command.partition(" > ")[0])[1:]
    subcommand = group.get_command(click.Context(group), words[0])
    assert subcommand is not None
    with subcommand.make_context(words[0], words[1:], **group.context_settings) as context:
        assert context.params


def test_there_are_six_commands() -> None:
    assert len(COMMANDS) == 6

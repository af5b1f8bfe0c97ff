"""The command line: argument parsing and exit codes, nothing else. One module a subcommand, imported when it is called."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

import click

from fleetlint import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (
    "check",
    "covers",
    "diff",
    "explain",
    "graph",
    "impact",
    "match",
    "note",
    "overlap",
    "plan",
    "registry",
    "rules",
    "serve",
)
WRONG_USE = 2


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = import_module(f"fleetlint.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in COMMANDS or name.startswith("-"):
            return super().resolve_command(ctx, args)
        from fleetlint.settings import nearest

        hint = f"did you mean `fleetlint check {name}`?" if os.path.exists(name) else nearest(name, COMMANDS)
        raise click.UsageError(f"`{name}` is no command; {hint}", ctx)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  fleetlint check                 lint the vault around the working folder
  fleetlint check ~/vault         lint a vault
  fleetlint explain cycle         what a finding means and how to mend it
  fleetlint overlap 'a/**' '*/b.md'

\b
Completion of commands and options, for bash (zsh and fish alike):
  eval "$(_FLEETLINT_COMPLETE=bash_source fleetlint)"
""",
)
@click.version_option(__version__, prog_name="fleetlint")
def group() -> None:
    """Find out which agents of a vault can wake, feed or overwrite which, and what is wrong with that.

    Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 wrong use, broken settings or nothing to read.
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and gives its exit code; `argv` are the arguments behind the program's name."""
    # A run builds much and drops little: collecting cycles walks all of it again and again, for a third of the time.
    gc.disable()
    try:
        code = group.main(args=None if argv is None else list(argv), prog_name="fleetlint", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return WRONG_USE
    except (KeyboardInterrupt, click.Abort):
        return 130
    except BrokenPipeError:
        # Whoever read the output has seen enough. What is still in the buffer must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        # Imported here, for `fleetlint overlap` needs neither.
        from fleetlint.lint import RuleError
        from fleetlint.report.characters import printable
        from fleetlint.settings import SettingsError
        from fleetlint.sources import SourceError

        if not isinstance(error, (RuleError, SettingsError, SourceError)):
            raise
        click.echo(f"Error: {printable(str(error))}", err=True)
        return WRONG_USE
    finally:
        if argv is None:
            # The process ends here. It would look through all that was built once more, only to find it in use.
            gc.freeze()
        gc.enable()
    return code if isinstance(code, int) else 0

"""`fleetlint check`: lint a vault."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from fleetlint.cli.progress import progress
from fleetlint.cli.reading import complete_rules, live_options, make_context, put, read, say, say_safely, vault_options
from fleetlint.report import FORMATS
from fleetlint.settings import FAIL_ON
from fleetlint.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fleetlint.baseline import Entry
    from fleetlint.lint import Report, Result
    from fleetlint.registry import Registry
    from fleetlint.report import Context, Health
    from fleetlint.sources import Read
    from fleetlint.vault import Vault


MAX_STALE = 10
"""So many stale entries of a baseline are named."""


class Target(NamedTuple):
    """What to lint: the vault's root, absolute, and the files or folders in it that the findings shown touch; None
    stands for all. `missing` are arguments that do not exist."""

    root: str
    shown: tuple[str, ...] | None
    missing: tuple[str, ...] = ()


class _Command(click.Command):
    """Remembers in which order `--format` and `--output` came, for an output belongs to the format before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        rest = list(args)
        parsed = super().parse_args(ctx, args)
        order = self.make_parser(ctx).parse_args(rest)[2]
        ctx.meta["order"] = [option.name for option in order if option.name in ("formats", "outputs")]
        return parsed


@click.command(
    cls=_Command,
    epilog="""\b
Examples:
  fleetlint check                               the vault around the working folder
  fleetlint check ~/vault --fail-on warn
  fleetlint check roles/a.md                    only findings that touch this note
  fleetlint check --select cycle,self-trigger
  fleetlint check --fleet krisp=roles/ --registry registry.json
  fleetlint check --trip2g-url https://vault.example.org
  fleetlint check --format sarif --output fleetlint.sarif --format text
  fleetlint check --generate-baseline known.json; fleetlint check --baseline known.json
  fleetlint check --fix --diff                  what --fix would change
  fleetlint check -- -odd-name.md
""",
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--vault", "vault_folder", metavar="DIR", help="The vault; PATHs then say which findings are shown.")
@vault_options
@live_options
@click.option("--select", metavar="RULE", multiple=True, shell_complete=complete_rules, help="Only these rules.")
@click.option("--ignore", metavar="RULE", multiple=True, shell_complete=complete_rules, help="Not these rules.")
@click.option("--fail-on", type=click.Choice(FAIL_ON), help="From which severity on the exit code is 1 (error).")
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    help="Format of the report (text); several with an --output each.",
)
@click.option("--output", "outputs", metavar="FILE", multiple=True, help="Where the format before it goes (stdout).")
@click.option("--baseline", metavar="FILE", help="Findings that are known: only others are shown and counted.")
@click.option(
    "--generate-baseline",
    "new_baseline",
    metavar="FILE",
    help="Write all findings of the vault there as a baseline, and show none.",
)
@click.option(
    "--fix", "is_fixing", is_flag=True, help="Mend in place what can be mended and changes nothing that wakes."
)
@click.option("--unsafe-fixes", "unsafe", is_flag=True, help="With --fix: also what changes who wakes whom.")
@click.option("--diff", "only_diff", is_flag=True, help="With --fix: show it as a diff, and change nothing.")
@click.option(
    "--probe", "is_probing", is_flag=True, help="Ask the fleets, where they are registered, whether they are up."
)
@click.option(
    "--probe-link-local", is_flag=True, help="With --probe: also ask link-local addresses, where clouds tell secrets."
)
@click.option("-v", "--verbose", is_flag=True, help="Say which vault and settings are used, and what is skipped.")
@click.option("--no-color", is_flag=True, help="No colours, as with NO_COLOR; FORCE_COLOR asks for them.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Lint a vault.

    PATH is the vault's folder, or files in it: then all of the vault is read, and findings that touch the files are
    shown. Without PATH the vault is the nearest folder upwards with `.fleetlint.yaml` or `.obsidian`, else the git
    checkout.

    With --trip2g-url the vault is that of the server, and PATH, or the folder that would be the vault, gives the settings.
    """
    if options["baseline"] is not None and options["new_baseline"] is not None:
        raise click.UsageError(
            "--baseline and --generate-baseline: a new baseline holds all findings; give one of them"
        )
    _refuse_lone_fix_options(options)
    if options["probe_link_local"] and not options["is_probing"]:
        raise click.UsageError("--probe-link-local says what may be asked; give --probe with it")
    outputs = pair_outputs(ctx.meta["order"], options["formats"], options["outputs"])
    target = find_target(options["paths"], options["vault_folder"])
    for path in target.missing:
        say(f"{path}: there is no such file; the others are linted")
    given = {name: value for name, value in options.items() if name in Source._fields}
    is_live = Source(target.root, **given).has_live_vault
    if is_live and (target.shown is not None or options["is_fixing"]):
        raise click.UsageError(
            "--trip2g-url reads the vault of the server: give one folder at most, that of the settings, and no --fix; "
            "or `--registry live` for the vault in the folder"
        )
    found = read(target.root, **given)
    where = options["trip2g_url"] if is_live else target.root
    if options["verbose"]:
        _tell(found, where)
    context = make_context(target.root, color=wants_color(options["no_color"]))
    with progress("linting"):
        report = _lint(found, options["select"], options["ignore"], context.generated_at[:10])
    if options["new_baseline"] is not None:
        return _write_baseline(options["new_baseline"], report)
    if options["baseline"] is not None:
        report, stale = _without_known(report, options["baseline"])
        _tell_stale(options["baseline"], stale)
    if target.shown is not None:
        report = _showing(report, target.shown)
    if options["is_fixing"]:
        vault = _fixed(found, report, options, target.shown, context.generated_at[:10])
        if options["only_diff"]:
            return 1 if fails(report.results, options["fail_on"] or found.settings.fail_on) else 0
        found = found._replace(vault=vault)
        report = _lint(found, options["select"], options["ignore"], context.generated_at[:10])
        if options["baseline"] is not None:
            report, _ = _without_known(report, options["baseline"])
        if target.shown is not None:
            report = _showing(report, target.shown)
    if any(name == "sarif" for name, _ in outputs):
        report = _with_fixes(found, report, context.generated_at[:10])
    if options["is_probing"]:
        context = context._replace(health=_health(report, found.registry, options["probe_link_local"]))
    if not report.graph.nodes:
        say(f"there are no roles in {where} (notes seen: {found.vault.note_count:,})")
    _write(report, outputs, context)
    return 1 if fails(report.results, options["fail_on"] or found.settings.fail_on) else 0


def find_target(paths: Sequence[str], vault_folder: str | None) -> Target:
    """Which vault the arguments mean, and which files of it. Raises ClickException when nothing they name exists."""
    from fleetlint.vault.checkout import find_root

    for path in (*paths, *([vault_folder] if vault_folder is not None else [])):
        if "\0" in path or not path:
            raise click.UsageError("a PATH is empty or holds a NUL character; name a file or folder")
    if vault_folder is not None and not os.path.isdir(vault_folder):
        raise click.UsageError(f"{vault_folder}: there is no such folder; name the vault's")
    if not paths:
        return Target(os.path.abspath(vault_folder) if vault_folder is not None else find_root(os.getcwd()), None)
    existing = [path for path in paths if os.path.lexists(path)]
    missing = tuple(path for path in paths if not os.path.lexists(path))
    if not existing:
        raise click.UsageError(f"{missing[0]}: there is no such file or folder; name one that exists")
    first = os.path.abspath(existing[0])
    if vault_folder is not None:
        root = os.path.abspath(vault_folder)
    elif len(paths) == 1 and os.path.isdir(first):
        return Target(first, None)
    else:
        root = find_root(first)
    shown = tuple(_in_vault(path, root) for path in existing)
    return Target(root, None if "" in shown else shown, missing)


def _in_vault(path: str, root: str) -> str:
    """The path inside the vault, empty for the vault itself. Raises ClickException when it lies elsewhere."""
    for file, folder in (
        (os.path.abspath(path), os.path.abspath(root)),
        (os.path.realpath(path), os.path.realpath(root)),
    ):
        if file == folder or file.startswith(os.path.join(folder, "")):
            return file[len(folder) :].strip(os.sep).replace(os.sep, "/")
    raise click.UsageError(
        f"{path}: this lies outside of the vault {root}; lint it in a run of its own, or give --vault"
    )


def touching(results: Iterable[Result], shown: Sequence[str]) -> tuple[Result, ...]:
    """The findings that have to do with these files, or with files in these folders."""
    files = frozenset(shown)
    folders = tuple(f"{path}/" for path in shown)

    def paths(result: Result) -> Iterable[str]:
        yield from (result.at.path, *result.finding.nodes)
        yield from (place.path for place in (*result.related, *result.hops))

    return tuple(
        result for result in results if any(path in files or path.startswith(folders) for path in paths(result))
    )


def _showing(report: Report, shown: Sequence[str]) -> Report:
    return replace(report, results=touching(report.results, shown), suppressed=touching(report.suppressed, shown))


def pair_outputs(order: Sequence[str], formats: Sequence[str], outputs: Sequence[str]) -> list[tuple[str, str | None]]:
    """Formats with the file that each goes to, None for stdout. `order` has the names of the two options as they came.

    Raises UsageError.
    """
    pairs: list[tuple[str, str | None]] = []
    names, files = iter(formats), iter(outputs)
    for option in order:
        if option == "formats":
            pairs.append((next(names), None))
        elif not pairs or pairs[-1][1] is not None:
            raise click.UsageError(f"--output {next(files)} has no --format before it; give each output's format first")
        else:
            pairs[-1] = (pairs[-1][0], next(files))
    to_stdout = [name for name, file in pairs if file is None]
    if len(to_stdout) > 1:
        raise click.UsageError(f"{' and '.join(to_stdout)} would both go to stdout; give all but one an --output")
    written = [os.path.abspath(file) for _, file in pairs if file is not None]
    if len(set(written)) < len(written):
        raise click.UsageError("two formats would go to one file; give each an --output of its own")
    return pairs or [("text", None)]


def fails(results: Iterable[Result], fail_on: str) -> bool:
    """Whether some finding is at or above the severity."""
    failing = FAIL_ON[: FAIL_ON.index(fail_on) + 1] if fail_on != "never" else ()
    return any(result.severity in failing for result in results)


def _lint(found: Read, select: Sequence[str], ignore: Sequence[str], today: str) -> Report:
    from fleetlint.lint import lint

    return lint(
        found.vault,
        found.settings,
        select=_listed(select) if select else None,
        ignore=_listed(ignore),
        registry=found.registry,
        rules=found.rules,
        today=today,
    )


def _write_baseline(file: str, report: Report) -> int:
    from fleetlint.baseline import render

    _write_file(file, render(report))
    number = len(report.results)
    say(f"{file}: {number:,} finding{'' if number == 1 else 's'} written; `--baseline {file}` shows the others only")
    return 0


def _without_known(report: Report, file: str) -> tuple[Report, tuple[Entry, ...]]:
    """The report with the findings of a baseline among the suppressed ones, and the entries that nothing answers to.

    Raises ClickException for a file that cannot be used.
    """
    from fleetlint.baseline import against, parse
    from fleetlint.sources import read_file

    try:
        result = against(report, parse(read_file(file, "baseline"), file))
    except ValueError as error:
        raise click.ClickException(say_safely(str(error))) from None
    return result


def _tell_stale(file: str, stale: Sequence[Entry]) -> None:
    for entry in stale[:MAX_STALE]:
        say(f"{file}: stale, for nothing answers to it any more: {entry.path}: {entry.message} [{entry.rule}]")
    if stale:
        number = f"{len(stale):,} stale entr{'y' if len(stale) == 1 else 'ies'}"
        say(f"{file}: {number}; write the baseline anew with `--generate-baseline {file}`")


def _refuse_lone_fix_options(options: Mapping[str, Any]) -> None:
    """Raises UsageError."""
    for name, option in (("unsafe", "--unsafe-fixes"), ("only_diff", "--diff")):
        if options[name] and not options["is_fixing"]:
            raise click.UsageError(f"{option} says how to mend; give --fix with it")
    if options["only_diff"] and (options["formats"] or options["outputs"]):
        raise click.UsageError("--diff takes the place of a report; leave --format and --output out")


def _fixed(found: Read, report: Report, options: Mapping[str, Any], shown: Sequence[str] | None, today: str) -> Vault:
    from fleetlint.cli.fixing import fix

    def may_touch(path: str) -> bool:
        return shown is None or path in shown or path.startswith(tuple(f"{folder}/" for folder in shown))

    return fix(
        report,
        found.settings,
        lambda vault, rules: _lint(found._replace(vault=vault), rules, (), today),
        unsafe=options["unsafe"],
        may_touch=may_touch,
        only_diff=options["only_diff"],
    )


def _with_fixes(found: Read, report: Report, today: str) -> Report:
    from fleetlint.mends import with_fixes

    with progress("trying mends"):
        report, left_out = with_fixes(
            report, found.settings, lambda vault, rules: _lint(found._replace(vault=vault), rules, (), today)
        )
    if left_out:
        say(
            f"mends of {left_out:,} findings are not in the SARIF log, for trying them would take long; see `--fix --diff`"
        )
    return report


def _health(report: Report, registry: Registry | None, allow_link_local: bool) -> dict[str, Health]:
    """How the fleets are. Raises SourceError."""
    from fleetlint.probe import probe

    callbacks = {fleet.id: fleet.callback for fleet in report.graph.fleets}
    if not any(callbacks.values()):
        mend = (
            "give --registry FILE or --trip2g-url URL" if registry is None else "nothing is registered that names one"
        )
        say(f"--probe: no address of a fleet is known; {mend}")
    with progress("asking the fleets"):
        return probe(callbacks, allow_link_local=allow_link_local)


def _listed(values: Iterable[str]) -> list[str]:
    return [name for value in values for name in value.replace(",", " ").split()]


def _tell(found: Read, where: str) -> None:
    vault = found.vault
    say(f"the vault is {where}")
    say(f"the settings are in {found.settings.file}" if found.settings.file else "there are no settings")
    say(f"notes seen: {vault.note_count:,}; with a header that matters: {len(vault.notes):,}")
    for skipped in vault.skipped:
        say(f"{skipped.path}: {skipped.message}" if skipped.path else skipped.message)


def wants_color(no_color: bool) -> bool:
    """Whether the output has colours: as the environment asks, else on a terminal only."""
    if no_color or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def _write(report: Report, outputs: Sequence[tuple[str, str | None]], context: Context) -> None:
    from fleetlint.report import render

    for name, file in outputs:
        if file is None:
            put(render(name, report, context), machine=name != "text")
        else:
            _write_file(file, render(name, report, context._replace(color=False)))
        if name == "sarif":
            from fleetlint.report.sarif import left_out

            for sentence in left_out(report, context):
                say(sentence)
        summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
        if name == "github" and summary_file:
            from fleetlint.report.github import summary

            _write_file(summary_file, summary(report, context), append=True)


def _write_file(file: str, text: str, *, append: bool = False) -> None:
    try:
        with open(file, "ab" if append else "wb") as opened:
            opened.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise click.ClickException(f"{file}: this cannot be written ({error.strerror}); name another file") from None

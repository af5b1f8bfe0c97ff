"""`fleetlint check --fix`: the mends that hold, put into the files or shown as a diff."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from fleetlint.cli.reading import say
from fleetlint.edits import replacement
from fleetlint.mends import mend_all
from fleetlint.vault.rewrite import Changed, plan, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fleetlint.lint import Report
    from fleetlint.mends import Lint, Mended
    from fleetlint.settings import Settings
    from fleetlint.vault import Note, Vault
    from fleetlint.vault.rewrite import Rewriting


def fix(
    report: Report, settings: Settings, lint: Lint, *, unsafe: bool, may_touch: Callable[[str], bool], only_diff: bool
) -> Vault:
    """Mends what the report's findings have mends for, and gives the vault as it is then.

    What is done, or cannot be, goes to stderr. With `only_diff` the diff goes to stdout and nothing is written.
    """
    mended = mend_all(report, settings, lint, unsafe=unsafe, may_touch=may_touch)
    vault = report.vault
    changes = [
        (before, after)
        for before, after in zip(vault.notes, mended.report.vault.notes, strict=True)
        if before.text != after.text
    ]
    written: dict[str, Note] = {}
    for before, after in changes:
        stretch = replacement(before, after)
        try:
            planned = plan(vault.root, before.path, before.text, stretch.start, stretch.end, stretch.text)
            if only_diff:
                click.echo(b"".join(_diff(before.path, planned)), nl=False)
            else:
                rewrite(planned)
        except Changed as error:
            say(f"{before.path}: {error}; run fleetlint again")
        except OSError as error:
            say(f"{before.path}: this cannot be mended ({error.strerror})")
        else:
            written[before.path] = after
    _tell(mended, written, only_diff=only_diff)
    if only_diff:
        return vault
    return replace(vault, notes=tuple(written.get(note.path, note) for note in vault.notes))


def _tell(mended: Mended, written: dict[str, Note], *, only_diff: bool) -> None:
    done = [one for one in mended.taken if all(edit.path in written for edit in one.mend.edits)]
    for sentence, rule in dict.fromkeys((one.mend.sentence, one.result.rule.name) for one in done):
        say(f"{'would ' if only_diff else ''}{sentence} [{rule}]")
    for sentence in mended.appears:
        say(f"then there is, too: {sentence}")
    findings = f"{len(done):,} finding{'' if len(done) == 1 else 's'}"
    files = f"{len(written):,} file{'' if len(written) == 1 else 's'}"
    say(f"{findings} {'would be ' if only_diff else ''}mended in {files}")
    if mended.withheld:
        say(f"{mended.withheld:,} more may be mended with --unsafe-fixes, by changing what wakes whom")
    if mended.ran_out:
        say("the work allowed for trying mends is used up; run again for more")


def _diff(path: str, planned: Rewriting) -> Iterator[bytes]:
    """The change as a unified diff, as `git apply` and `patch -p1` take it in the vault's folder."""
    from difflib import diff_bytes, unified_diff

    before, after = planned.before.split(b"\n"), planned.after.split(b"\n")
    name = path.encode("utf-8", "surrogateescape")
    lines = diff_bytes(unified_diff, _ended(before), _ended(after), b"a/" + name, b"b/" + name, n=3, lineterm=b"\n")
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _ended(lines: list[bytes]) -> list[bytes]:
    """The lines with the line feeds that they had; nothing for an empty rest behind the last one."""
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])

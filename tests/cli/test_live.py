"""A live vault and a live registry on the command line, against a real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleetlint import trip2g as client
from fleetlint.cli import main
from fleetlint.registry import parse_snapshot
from fleetlint.registry.render import render_snapshot
from tests.strategies import note_bytes
from tests.trip2g_server import ADMIN_KEY, USER_COOKIE, Failure, Trip2gServer, serving

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLE = Path(__file__).parents[2] / "examples" / "broken"
ROLE = """\
---
fleet_id: desk
mode: change
trigger_on: [create, update]
trigger_include: ["in/**"]
write_patterns: ["in/out/**"]
max_depth: 3
---
Do it.
"""
PLAIN = ROLE.replace("in/out", "out")
pytestmark = pytest.mark.usefixtures("admin")

RUN = "import sys; from fleetlint.cli import main; sys.exit(main())"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without settings, where the commands run."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def webhook(path: str, id: int = 1, *, kind: str = "change", version: str = "", **fields: object) -> dict[str, Any]:
    marker = "fleet" if kind == "change" else "fleetcron"
    node = {
        "id": id,
        "url": "https://agents.example.org/deliver/x",
        "description": f"{marker}:desk:{path}{version}",
        "enabled": True,
        "maxDepth": 3,
        "readPatterns": [],
        "writePatterns": ["out/**"],
        "attachNotes": [],
        "concurrencyMode": "",
        "timeoutSeconds": 300,
    }
    if kind == "change":
        node |= {
            "onCreate": True,
            "onUpdate": True,
            "onRemove": False,
            "includePatterns": ["in/**"],
            "excludePatterns": [],
        }
    else:
        node["cronSchedule"] = "0 6 * * *"
    return node | fields


# --- A live vault is linted like a checkout of it ---


def same(capsys: pytest.CaptureFixture[str], trip2g: Trip2gServer, folder: Path, *options: object) -> str:
    """What both say, as text."""
    texts = []
    for format_name in ("json", "text", "sarif", "mermaid"):
        arguments = ("check", folder, "--format", format_name, "--fail-on", "never", *options)
        checkout = run(capsys, *arguments)
        live = run(capsys, *arguments, "--trip2g-url", trip2g.url)
        assert live[:2] == checkout[:2]
        texts.append(live[1])
        if format_name == "json":
            assert set(checkout[2].splitlines()) - set(live[2].splitlines()) == set()
    return texts[1]


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    """A snapshot in which nothing is registered."""
    file = tmp_path / "nothing.json"
    file.write_text('{"changeWebhooks": [], "cronWebhooks": []}')
    return file


def test_each_shared_fleet_is_the_same_live(shared: Path, nothing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = sorted(path for path in (shared / "rolesets").iterdir() if path.is_dir())
    assert len(folders) >= 12
    for folder in folders:
        with serving() as trip2g:
            trip2g.put_folder(folder)
            assert "roles" in same(capsys, trip2g, folder, "--registry", nothing)
            assert len(trip2g.requests) == 4


def test_the_example_with_its_settings_is_the_same_live(
    trip2g: Trip2gServer, capsys: pytest.CaptureFixture[str]
) -> None:
    trip2g.put_folder(EXAMPLE)
    text = same(capsys, trip2g, EXAMPLE, "--registry", EXAMPLE / "registry.json")
    assert "[cycle]" in text
    assert "[missed-frontmatter]" in text


GLOBS = st.sampled_from(("in/**", "out/*.md", "roles/**", "*", "in/{a,b}/**", "**", "out/a[", "in/a.md", "my notes/**"))
LISTS = st.lists(GLOBS, min_size=1, max_size=2).map(json.dumps)
HEADERS = st.fixed_dictionaries(
    {"mode": st.sampled_from(("change", "cron", "both", "x")), "write_patterns": LISTS},
    optional={
        "fleet_id": st.sampled_from(("desk", "lab", "7", "~")),
        "trigger_on": st.sampled_from(("[create, update]", "update", "[remove]", "")),
        "trigger_include": LISTS,
        "trigger_exclude": LISTS,
        "read_patterns": LISTS,
        "cron_schedule": st.sampled_from(("'0 6 * * *'", "@daily")),
        "max_depth": st.sampled_from(("0", "1", "3", "08", "x")),
        "enabled": st.sampled_from(("yes", "no", "off")),
        "fleetlint": st.just('{ignore: {self-trigger: "it is meant"}}'),
    },
)
NOTES = st.one_of(
    HEADERS.map(lambda fields: "---\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "---\nDo.\n"),
    note_bytes().map(lambda data: data.decode("utf-8", "ignore").replace("\0", "")),
    st.sampled_from(("plain", "", "---\ntitle: x\n---\n", "\ufeff" + ROLE, "\n" + ROLE)),
)
PATHS = st.sampled_from(
    ("roles/a.md", "roles/b.md", "roles/old/c.md", "in/a.md", "my_roles/d.md", "top.md", "arch/e.md")
)
SETTINGS = st.sampled_from(
    (
        "",
        "fleets: [{id: desk, mode: folder, folder: roles/}, {id: lab, mode: selector, folder: roles/, default: true}]\n",
        "fleets: [{id: desk, mode: selector}]\npaths: {exclude: ['arch/**', 'roles/old']}\n",
    )
)


@settings(max_examples=25)
@given(st.dictionaries(PATHS, NOTES, min_size=1), SETTINGS)
def test_any_vault_is_the_same_live(notes: Mapping[str, str], text: str) -> None:
    # What lies outside of all folders of the fleets is not looked into.
    if "folder: roles/" in text:
        notes = {path: note for path, note in notes.items() if path.startswith("roles/")} or {"roles/a.md": ROLE}
    with tempfile.TemporaryDirectory() as place, serving(notes) as trip2g:
        folder = Path(place)
        (folder / ".fleetlint.yaml").write_text(text)
        for path, note in notes.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(note.encode())
        snapshot = folder / "nothing.json"
        snapshot.write_text('{"changeWebhooks": [], "cronWebhooks": []}')
        outputs = []
        for options in ((), ("--trip2g-url", trip2g.url)):
            output = folder / "out.json"
            arguments = ["check", place, "--registry", str(snapshot), *options, "--fail-on", "never"]
            assert main([*arguments, "--format", "json", "--output", str(output)]) == 0
            outputs.append(json.loads(output.read_text()))
        assert outputs[0] == outputs[1]


def test_only_what_fleets_can_take_is_looked_into(
    trip2g: Trip2gServer, empty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trip2g.put_all({"roles/a.md": ROLE, "other/b.md": ROLE, "plain.md": ""})
    (empty / ".fleetlint.yaml").write_text("fleets: [{id: desk, mode: folder, folder: roles/}]\n")
    code, out, err = run(capsys, "check", "--trip2g-url", trip2g.url, "--format", "json", "-v")
    assert code == 1
    assert [node["note_path"] for node in json.loads(out)["nodes"]] == ["roles/a.md"]
    assert f"the vault is {trip2g.url}" in err
    assert "notes seen: 3; with a header that matters: 1" in err
    assert len(trip2g.requests) == 2


def test_settings_may_come_from_a_folder_or_a_file(
    trip2g: Trip2gServer, empty: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trip2g.put("roles/a.md", ROLE)
    text = "rules: {self-trigger: off}\n"
    folder = tmp_path / "other"
    folder.mkdir()
    file = folder / ".fleetlint.yaml"
    file.write_text(text)
    arguments = ("check", "--trip2g-url", trip2g.url)
    assert "[self-trigger]" in run(capsys, *arguments)[1]
    assert "[self-trigger]" not in run(capsys, *arguments, folder)[1]
    assert "[self-trigger]" not in run(capsys, *arguments, "--config", file)[1]
    assert list(empty.iterdir()) == []


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("command", [("graph",), ("impact", "in/**"), ("plan",)])
def test_other_commands_read_the_live_vault(
    trip2g: Trip2gServer, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    trip2g.put("roles/a.md", PLAIN)
    code, out, err = run(capsys, *command, "--trip2g-url", trip2g.url)
    assert (code, err) == (0, "")
    assert "roles/a.md" in out or '["⚡ a"]' in out
    assert len(trip2g.requests) == 2


@pytest.mark.usefixtures("empty")
def test_a_live_vault_without_roles_says_so(trip2g: Trip2gServer, capsys: pytest.CaptureFixture[str]) -> None:
    trip2g.put("a.md", "plain")
    code, _, err = run(capsys, "check", "--trip2g-url", trip2g.url)
    assert code == 0
    assert err == f"fleetlint: there are no roles in {trip2g.url} (notes seen: 1)\n"


@pytest.mark.usefixtures("empty")
def test_what_the_server_reads_otherwise_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    def render(content: str) -> dict[str, str]:
        return {"fleet_id": "desk", "max_depth": "5", "title": "x"} if "fleet_id" in content else {}

    with serving(
        {"roles/a.md": "---\nfleet_id: desk\nmax_depth: 3\ntitle: y\n---\n", "b.md": ""}, render=render
    ) as trip2g:
        _, _, err = run(capsys, "check", "--trip2g-url", trip2g.url)
    (line,) = err.splitlines()
    assert line.startswith(
        "fleetlint: roles/a.md: to the server `max_depth` is `5`, and by the note's text it is `3`: fleets see the former"
    )


@pytest.mark.usefixtures("empty")
def test_who_may_not_see_every_note_is_told(
    trip2g: Trip2gServer, monkeypatch: pytest.MonkeyPatch, nothing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trip2g.put("roles/a.md", PLAIN)
    monkeypatch.delenv("FLEETLINT_TRIP2G_API_KEY")
    monkeypatch.setenv("FLEETLINT_TRIP2G_COOKIE", USER_COOKIE)
    _, _, err = run(capsys, "check", "--trip2g-url", trip2g.url, "--registry", nothing)
    assert err == f"fleetlint: {trip2g.url}: read as USER, who may not see every note\n"
    code, _, err = run(capsys, "check", "--trip2g-url", trip2g.url)
    assert code == 2
    assert "the server shows what is registered to administrators, and not to this cookie (USER)" in err


# --- What people reported ---


@pytest.mark.usefixtures("empty")
def test_notes_that_only_a_server_can_hold_are_linted(
    shared: Path, trip2g: Trip2gServer, nothing: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (shared / "cases" / "cases.jsonl").read_text("utf-8").rstrip("\n").split("\n")
    cases = [json.loads(row) for row in rows]
    files = {case["id"]: case["input"].get("files") for case in cases if case["area"] == "vault"}
    for name in ("vault-01", "vault-03", "vault-05"):
        trip2g.put_all(files[name])
    code, out, _ = run(
        capsys, "check", "--trip2g-url", trip2g.url, "--registry", nothing, "--format", "json", "--fail-on", "warn"
    )
    found = json.loads(out)
    assert code == 1
    # Two names that differ by case only, copies of a sync tool, and a folder that a checkout takes for hidden.
    assert {node["note_path"] for node in found["nodes"]} == {
        *files["vault-01"],
        *files["vault-03"],
        *files["vault-05"],
    }
    copies = {one["path"] for one in found["findings"] if one["kind"] == "conflict-copy"}
    assert copies >= files["vault-03"].keys() - {"roles/a.md"}


# --- What is registered ---


def test_a_checkout_is_held_against_the_live_registry(
    trip2g: Trip2gServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "roles").mkdir()
    (tmp_path / "roles" / "a.md").write_text(PLAIN)
    trip2g.put("roles/other.md", ROLE)
    trip2g.change_webhooks = [webhook("roles/gone.md")]
    arguments = ("check", tmp_path, "--select", "drift", "--registry", "live")
    code, out, err = run(capsys, *arguments, "--trip2g-url", trip2g.url)
    assert (code, err) == (0, "")
    assert "roles/gone.md" in out
    assert "roles/a.md" in out
    assert "roles/other.md" not in out
    assert len(trip2g.requests) == 1
    monkeypatch.setenv("FLEETLINT_TRIP2G_URL", trip2g.url)
    assert run(capsys, *arguments)[1] == out
    # The address alone changes nothing.
    assert "drift" not in run(capsys, "check", tmp_path, "--select", "drift")[1]
    assert len(trip2g.requests) == 2


def test_a_live_registry_and_its_snapshot_give_the_same_findings(
    trip2g: Trip2gServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = json.loads((EXAMPLE / "registry.json").read_text())
    trip2g.change_webhooks, trip2g.cron_webhooks = nodes["changeWebhooks"], nodes["cronWebhooks"]
    trip2g.has_newer_fields = False
    snapshot = tmp_path / "registry.json"
    assert run(capsys, "registry", "pull", "--trip2g-url", trip2g.url, "--output", snapshot)[0] == 0
    results = []
    for options in (("--registry", snapshot), ("--registry", "live", "--trip2g-url", trip2g.url)):
        _, out, _ = run(capsys, "check", EXAMPLE, "--format", "json", "--fail-on", "never", *options)
        found = json.loads(out)
        for finding in found["findings"]:
            # A finding without a note lies in the snapshot, if there is one.
            finding["path"] = finding["path"].removeprefix(str(snapshot))
        results.append({**found, "findings": sorted(found["findings"], key=json.dumps)})
    assert results[0] == results[1]
    assert {one["kind"] for one in results[0]["findings"]} >= {"drift", "conflict"}


def test_diff_takes_the_live_registry(trip2g: Trip2gServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.repositories import git, init

    init(tmp_path)
    (tmp_path / "a.md").write_text(PLAIN)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "x")
    (tmp_path / "a.md").unlink()
    trip2g.change_webhooks = [webhook("a.md")]
    arguments = ("diff", "HEAD", "--vault", tmp_path, "--trip2g-url", trip2g.url)
    code, out, _ = run(capsys, *arguments, "--registry", "live", "--format", "json")
    assert code == 0
    assert "a.md" in out
    assert len(trip2g.requests) == 1
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert "--trip2g-url says which server `--registry live` asks" in err


# --- A snapshot ---


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("has_newer_fields", [True, False])
def test_a_snapshot_is_sorted_and_reads_back_equal(
    trip2g: Trip2gServer, has_newer_fields: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    trip2g.has_newer_fields = has_newer_fields
    trip2g.change_webhooks = [webhook("b.md", 2), webhook("a.md", 3, url="é"), webhook("a.md", 1)]
    trip2g.cron_webhooks = [webhook("a.md", 9, kind="cron", enabled=False)]
    code, out, err = run(capsys, "registry", "pull", "--trip2g-url", trip2g.url)
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert [node["id"] for node in document["changeWebhooks"]] == [1, 3, 2]
    assert ("timeoutSeconds" in document["cronWebhooks"][0]) == has_newer_fields
    trip2g.change_webhooks.reverse()
    assert run(capsys, "registry", "pull", "--trip2g-url", trip2g.url)[1] == out
    assert render_snapshot(parse_snapshot(out, "")) == out
    expected = parse_snapshot(
        json.dumps({"changeWebhooks": trip2g.change_webhooks, "cronWebhooks": trip2g.cron_webhooks}), ""
    )
    if has_newer_fields:
        assert parse_snapshot(out, "") == expected


TEXTS = st.text(max_size=12)
PATTERNS = st.lists(TEXTS, max_size=3)
COMMON = {
    "id": st.integers(0, 2**63 - 1) | TEXTS,
    "description": TEXTS | st.just("fleet:desk:roles/a.md#x"),
    "url": TEXTS,
    "enabled": st.booleans(),
    "readPatterns": PATTERNS,
    "writePatterns": PATTERNS,
}
NEWER = {
    "maxDepth": st.integers(-1, 10**6),
    "attachNotes": PATTERNS,
    "concurrencyMode": TEXTS,
    "timeoutSeconds": st.integers(0, 10**6),
}
CHANGE_NODES = st.fixed_dictionaries(
    {
        **COMMON,
        **dict.fromkeys(("onCreate", "onUpdate", "onRemove"), st.booleans()),
        **dict.fromkeys(("includePatterns", "excludePatterns"), PATTERNS),
    },
    optional=NEWER,
)
CRON_NODES = st.fixed_dictionaries(COMMON, optional={**NEWER, "cronSchedule": TEXTS})


@given(st.lists(CHANGE_NODES, max_size=3), st.lists(CRON_NODES, max_size=3))
def test_any_registry_reads_back_equal(change: list[dict[str, Any]], cron: list[dict[str, Any]]) -> None:
    registry = parse_snapshot(json.dumps({"changeWebhooks": change, "cronWebhooks": cron}), "registry.json")
    text = render_snapshot(registry)
    assert parse_snapshot(text, "registry.json") == registry
    assert json.loads(text).keys() == {"changeWebhooks", "cronWebhooks"}


def test_a_snapshot_takes_the_place_of_an_older_one_at_once(
    trip2g: Trip2gServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "registry.json"
    (tmp_path / "link.json").symlink_to(file)
    file.write_text("old")
    trip2g.failing, trip2g.failures_left = Failure.TRUNCATED, 1
    arguments = ("registry", "pull", "--trip2g-url", trip2g.url, "--output", tmp_path / "link.json")
    assert run(capsys, *arguments)[0] == 2
    assert file.read_text() == "old"
    code, out, err = run(capsys, *arguments)
    assert (code, out, err) == (0, "", f"fleetlint: {tmp_path}/link.json: 0 webhooks written\n")
    assert json.loads(file.read_text()) == {"changeWebhooks": [], "cronWebhooks": []}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "registry.json"]
    assert (tmp_path / "link.json").is_symlink()


def test_a_snapshot_that_cannot_be_written_is_a_sentence(
    trip2g: Trip2gServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (tmp_path / "none" / "registry.json", tmp_path):
        code, _, err = run(capsys, "registry", "pull", "--trip2g-url", trip2g.url, "--output", file)
        assert code == 2
        assert err.startswith(f"Error: {file}: this cannot be written (")
    assert list(tmp_path.iterdir()) == []


# --- Failures ---


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize("failure", Failure)
def test_each_failure_ends_with_2_and_one_sentence(
    trip2g: Trip2gServer, failure: Failure, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(client, "MAX_NOTES", 1 << 20)
    monkeypatch.setattr(client, "MAX_ANSWER", 1 << 20)
    trip2g.put("roles/a.md", ROLE)
    trip2g.failing = failure
    timeout = 1 if failure in (Failure.SILENCE, Failure.DRIP) else 60
    code, out, err = run(capsys, "check", "--trip2g-url", trip2g.url, "--trip2g-timeout", timeout, "--format", "json")
    assert (code, out) == (2, "")
    assert err.startswith(f"Error: {trip2g.url}: ")
    assert err.count("\n") == 1
    assert ADMIN_KEY not in err


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize(
    "command",
    [
        *(("check",), ("graph",), ("impact", "in/**"), ("plan",), ("registry", "pull")),
        *(("check", "--registry", "live"), ("plan", "--registry", "live")),
    ],
)
def test_no_command_takes_a_failure_for_an_empty_vault(
    trip2g: Trip2gServer, command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    trip2g.failing = Failure.NULL_DATA
    code, out, err = run(capsys, *command, "--trip2g-url", trip2g.url)
    assert (code, out) == (2, "")
    assert err.startswith(f"Error: {trip2g.url}: the ")


def test_a_credential_is_in_nothing_that_a_process_writes(trip2g: Trip2gServer, tmp_path: Path) -> None:
    secret = "s3cr3t-of-an-admin"
    for failure in (None, Failure.ERRORS, Failure.INTERNAL, Failure.SIGN_IN):
        trip2g.failing = failure
        done = subprocess.run(
            [sys.executable, "-X", "dev", "-W", "error", "-c", RUN, "check", "-v", "--trip2g-url", trip2g.url],
            env={**os.environ, "FLEETLINT_TRIP2G_API_KEY": secret},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 2
        assert secret not in done.stdout + done.stderr
        # On a slow machine asyncio says before it that something took long.
        assert f"Error: {trip2g.url}: " in done.stderr
    assert {request.headers["x-api-key"] for request in trip2g.requests} == {secret}


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["roles.md"], "roles.md: there is no such file or folder"),
        (["a.md"], "give one folder at most, that of the settings, and no --fix"),
        (["--fix"], "give one folder at most, that of the settings, and no --fix"),
        (["--trip2g-timeout", "0"], "0.0 is not in the range"),
    ],
)
def test_what_makes_no_sense_with_a_live_vault_is_refused(
    trip2g: Trip2gServer, empty: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (empty / "a.md").write_text(ROLE)
    code, out, err = run(capsys, "check", *arguments, "--trip2g-url", trip2g.url)
    assert (code, out) == (2, "")
    assert says in " ".join(err.split())
    assert trip2g.requests == []


@pytest.mark.usefixtures("empty")
def test_without_an_address_the_live_registry_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "check", "--registry", "live")
    assert code == 2
    assert (
        err == "Error: which trip2g server is meant is not known; give --trip2g-url URL, or set FLEETLINT_TRIP2G_URL\n"
    )


# --- Size ---

MEASURED = """
import resource, sys
from fleetlint.cli import main

code = main()
try:
    with open("/proc/self/status") as status:
        (peak,) = (int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
print(code, peak, file=sys.stderr)
"""


@pytest.mark.slow
def test_a_large_live_vault_takes_few_requests_and_little_memory(trip2g: Trip2gServer, tmp_path: Path) -> None:
    body = "Lorem ipsum \U0001f600 dolor sit amet. " * 300
    trip2g.put_all({f"wiki/{number}.md": f"---\ntitle: {number}\n---\n{body}" for number in range(9_000)})
    trip2g.put_all(
        {
            f"roles/{number}.md": PLAIN.replace("in/", f"team-{number}/").replace("out/", f"team-{number + 1}/")
            for number in range(1_000)
        }
    )
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "check", "--trip2g-url", trip2g.url, "--format", "json", "--fail-on", "never"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    code, kilobytes = map(int, done.stderr.split()[-2:])
    assert code == 0
    assert len(json.loads(done.stdout)["nodes"]) == 1_000
    assert 2 <= len(trip2g.requests) <= 3
    assert kilobytes < 300_000

"""The client against a real server that answers, and that fails in each way."""

from __future__ import annotations

import base64
import logging
import socket
import ssl
import subprocess
import sys
import threading
import time
import traceback
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleetlint import trip2g as client
from fleetlint.trip2g import (
    HashMismatch,
    LiveNote,
    Refused,
    Server,
    Trip2gError,
    Written,
    connect,
    content_hash,
    fetch_note,
    fetch_notes,
    fetch_registry,
    update_note,
)
from tests.trip2g_server import ADMIN_KEY, USER_COOKIE, Failure, Trip2gServer, note_hash, serving

if TYPE_CHECKING:
    from pathlib import Path

VARIABLES = [f"FLEETLINT_TRIP2G_{name}" for name in ("URL", "API_KEY", "API_KEY_FILE", "COOKIE", "COOKIE_FILE")]
DEADLINE = 30
"""Seconds in which a failure has to be told, on the busiest machine; the client is given one."""


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "BACKOFF", 0.01)
    for name in (*VARIABLES, "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)


def reach(server: Trip2gServer, key: str | None = ADMIN_KEY, *, timeout: float = 60) -> Server:
    with pytest.MonkeyPatch.context() as patch:
        if key is not None:
            patch.setenv("FLEETLINT_TRIP2G_API_KEY", key)
        return connect(server.url, say=pytest.fail, timeout=timeout)


def patience(failure: Failure) -> float:
    """Seconds to wait for an answer: few where none will come."""
    return 1 if failure in (Failure.SILENCE, Failure.DRIP) else DEADLINE


def listed(server: Server, *folders: str) -> dict[str, LiveNote]:
    return {note.path: note for note in fetch_notes(server, folders, lambda note: note).taken}


def change_webhook(id: int = 7, **fields: object) -> dict[str, object]:
    return {
        "id": id,
        "url": "https://agents.example.org/_fleet/x/webhook/y",
        "description": "fleet:desk:roles/a.md#Asqmgkd_",
        "enabled": True,
        "maxDepth": 3,
        "onCreate": True,
        "onUpdate": True,
        "onRemove": False,
        "includePatterns": ["in/**"],
        "excludePatterns": [],
        "readPatterns": [],
        "writePatterns": ["out/**"],
        "attachNotes": ["a.md"],
        "concurrencyMode": "skip",
        "timeoutSeconds": 300,
        **fields,
    }


def cron_webhook(id: int = 8) -> dict[str, object]:
    return {
        "id": id,
        "url": "https://agents.example.org/x",
        "description": "",
        "enabled": False,
        "maxDepth": 1,
        "cronSchedule": "0 6 * * *",
        "readPatterns": [],
        "writePatterns": ["out/**"],
        "attachNotes": [],
        "concurrencyMode": "",
        "timeoutSeconds": 120,
    }


# --- Notes ---


def test_all_notes_come_in_one_request_with_what_the_server_reads_in_them(trip2g: Trip2gServer) -> None:
    text = "---\nfleet_id: desk\nmax_depth: 3\n---\nDo it.\n"
    trip2g.put_all({"roles/a.md": text, "b.md": "plain"})
    assert listed(reach(trip2g)) == {
        "roles/a.md": LiveNote("roles/a.md", text, note_hash(text), {"fleet_id": "desk", "max_depth": "3"}),
        "b.md": LiveNote("b.md", "plain", note_hash("plain"), {}),
    }
    assert len(trip2g.requests) == 1


def test_of_folders_only_what_the_server_finds_below_them_is_read_and_all_paths_are_known(trip2g: Trip2gServer) -> None:
    trip2g.put_all(dict.fromkeys(("my_roles/a.md", "MyXroles/b.md", "roles/c.md", "roles/old/d.md", "e.md"), ""))
    server = reach(trip2g)
    listing = fetch_notes(server, ["roles/old/", "my_roles/", "roles/", "roles/"], lambda note: note.path)
    assert sorted(listing.taken) == ["MyXroles/b.md", "my_roles/a.md", "roles/c.md", "roles/old/d.md"]
    assert listing.paths == ("MyXroles/b.md", "e.md", "my_roles/a.md", "roles/c.md", "roles/old/d.md")
    assert len(trip2g.requests) == 1


def test_of_very_many_folders_the_whole_vault_is_read_at_once(trip2g: Trip2gServer) -> None:
    trip2g.put_all({f"team-{number}/a.md": "" for number in range(50)})
    found = listed(reach(trip2g), *(f"team-{number}/" for number in range(50)))
    assert len(found) == 50
    assert len(trip2g.requests) == 1
    assert b"$n1" not in trip2g.requests[0].body


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.text("ab/_%.é", min_size=1, max_size=8),
        st.text(st.sampled_from('ab"\\{}[]\n\r\té\u2028\U0001f600:,'), max_size=60),
        max_size=6,
    ),
    st.integers(1, 40),
)
def test_any_content_arrives_whole_however_it_is_cut_on_the_way(notes: dict[str, str], piece: int) -> None:
    with serving(notes, render=lambda content: {"first": content[:5]} if content else {}) as trip2g:
        trip2g.piece = piece
        found = listed(reach(trip2g))
    assert {path: note.content for path, note in found.items()} == notes
    assert all(note.meta == ({"first": note.content[:5]} if note.content else {}) for note in found.values())


def test_a_packed_answer_is_unpacked(trip2g: Trip2gServer) -> None:
    trip2g.put("a.md", "x" * 3_000_000)
    assert len(listed(reach(trip2g))["a.md"].content) == 3_000_000
    assert trip2g.requests[0].headers["accept-encoding"] == "gzip"


def test_one_note_is_found_by_its_exact_path(trip2g: Trip2gServer) -> None:
    trip2g.put_all({"a_c.md": "this", "abc.md": "other", "A_C.md": "other"})
    server = reach(trip2g)
    found = fetch_note(server, "a_c.md")
    assert found is not None
    assert (found.content, found.hash) == ("this", content_hash("this"))
    assert fetch_note(server, "a__c.md") is None


def test_a_vault_that_seems_empty_to_a_guest_is_an_error(trip2g: Trip2gServer) -> None:
    trip2g.put("roles/a.md", "")
    with pytest.raises(Trip2gError, match=r"shows no notes to someone without a credential \(GUEST\); put the API key"):
        listed(reach(trip2g, None))
    trip2g.remove("roles/a.md")
    assert listed(reach(trip2g)) == {}


# --- What is registered ---


def test_the_registry_is_what_the_two_listings_hold(trip2g: Trip2gServer) -> None:
    trip2g.change_webhooks = [change_webhook()]
    trip2g.cron_webhooks = [cron_webhook()]
    change, cron = fetch_registry(reach(trip2g)).webhooks
    assert (change.id, change.kind, change.events, change.attach_notes) == (
        "7",
        "change",
        ("create", "update"),
        ("a.md",),
    )
    assert (change.concurrency, change.timeout_seconds) == ("skip", 300)
    assert change.marker is not None
    assert change.marker.path == "roles/a.md"
    assert (cron.id, cron.enabled, cron.cron_schedule) == ("8", False, "0 6 * * *")
    assert len(trip2g.requests) == 1


@pytest.mark.parametrize("status", [200, 422])
def test_of_an_older_server_the_newer_fields_are_not_asked_again(trip2g: Trip2gServer, status: int) -> None:
    trip2g.has_newer_fields = False
    trip2g.invalid_status = status
    trip2g.change_webhooks = [change_webhook()]
    (webhook,) = fetch_registry(reach(trip2g)).webhooks
    assert (webhook.attach_notes, webhook.concurrency, webhook.timeout_seconds) == (None, None, None)
    assert webhook.include_patterns == ("in/**",)
    assert len(trip2g.requests) == 2


@pytest.mark.parametrize(
    ("cookie", "whom"), [(USER_COOKIE, r"this cookie \(USER\)"), ("gone", r"this cookie \(GUEST\)")]
)
def test_who_is_no_administrator_is_told_so(
    trip2g: Trip2gServer, cookie: str, whom: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETLINT_TRIP2G_COOKIE", cookie)
    server = connect(trip2g.url, say=pytest.fail)
    with pytest.raises(
        Trip2gError, match=f"to administrators, and not to {whom}; use the API key or the session cookie"
    ):
        fetch_registry(server)


def test_a_null_in_the_place_of_the_webhooks_is_no_empty_registry(trip2g: Trip2gServer) -> None:
    trip2g.failing, trip2g.failures_left = Failure.NULL_DATA, 1
    with pytest.raises(Trip2gError, match=r"to administrators, and not to this API key \(ADMIN\)"):
        fetch_registry(reach(trip2g))


# --- Writing ---


def test_a_write_says_what_became_of_it(trip2g: Trip2gServer) -> None:
    server = reach(trip2g)
    assert update_note(server, "a.md", "one é", "") == Written("a.md")
    assert update_note(server, "a.md", "two", "") == HashMismatch("a.md", content_hash("one é"))
    assert update_note(server, "a.md", "two", content_hash("one é")) == Written("a.md")
    assert update_note(server, "b.md", "x", content_hash("y")) == HashMismatch("b.md", "")
    assert trip2g.content("a.md") == "two"
    assert trip2g.content("b.md") is None
    assert update_note(reach(trip2g, None), "b.md", "x", "") == Refused("unauthorized")


UNKNOWN = "whether the note was written is not known"
DECIDED = {
    *(Failure.ERRORS, Failure.PARTIAL, Failure.SIGN_IN, Failure.OTHER_HOST, Failure.UNAUTHORIZED, Failure.FORBIDDEN),
    *(Failure.NOT_FOUND, Failure.TOO_LARGE, Failure.TOO_MANY),
}
"""After these nothing was written."""


@pytest.mark.parametrize("failure", Failure)
def test_a_write_is_never_sent_twice_and_doubt_is_told(trip2g: Trip2gServer, failure: Failure) -> None:
    trip2g.failing = failure
    with pytest.raises(Trip2gError) as raised:
        update_note(reach(trip2g, timeout=patience(failure)), "a.md", "text", "")
    assert len(trip2g.requests) == 1
    assert (UNKNOWN in str(raised.value)) == (failure not in DECIDED)


def test_a_write_that_nobody_accepted_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "BACKOFF", 0.5)
    answer = b'{"data": {"updateNotes": {"__typename": "UpdateNotesSuccessPayload", "paths": ["a.md"]}}}'
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))

        def answer_later() -> None:
            time.sleep(0.1)
            listener.listen()
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                    % (len(answer), answer)
                )

        thread = threading.Thread(target=answer_later)
        thread.start()
        server = Server(f"http://127.0.0.1:{listener.getsockname()[1]}", None, DEADLINE)
        assert update_note(server, "a.md", "text", "") == Written("a.md")
        thread.join()


# --- Failures ---

SAYS = {
    Failure.ERRORS: "the server refuses to list the notes (no luck with ***); see the server's log",
    Failure.PARTIAL: "the server refuses to list the notes (the database is locked); see the server's log",
    Failure.NULL_DATA: "the answer is not one of trip2g",
    Failure.WRONG_TYPE: "the answer is not one of trip2g",
    Failure.NO_OBJECT: "the answer is not one of trip2g, for it is a list where an object is needed",
    Failure.HTML: "the server answers with a web page, not with JSON",
    Failure.EMPTY: "the answer is empty",
    Failure.TRUNCATED: "the answer is no complete JSON",
    Failure.CHARSET: "the answer is said to be utf-16",
    Failure.NOT_UTF8: "the answer is not UTF-8",
    Failure.ZIP_BOMB: "the answer is larger than",
    Failure.BROKEN_ZIP: "the answer cannot be unpacked",
    Failure.ENDLESS: "the answer is larger than",
    Failure.SIGN_IN: "nobody is signed in, for the server sends us to its sign-in page",
    Failure.OTHER_HOST: "the server sends us on to http://elsewhere.invalid/_system/graphql, where nothing is sent",
    Failure.UNAUTHORIZED: "the server does not let in this API key (401)",
    Failure.FORBIDDEN: "the server refuses what this API key asks for (403)",
    Failure.NOT_FOUND: "there is no trip2g server at this URL (404)",
    Failure.TOO_LARGE: "the server finds the request too large (413)",
    Failure.TEAPOT: "the server fails with the status 418",
    Failure.TOO_MANY: "the server gets too many requests (429); try it again in 7 s",
    Failure.INTERNAL: "the server fails with the status 500",
    Failure.BAD_GATEWAY: "the server is not there behind its proxy, or too busy (502)",
    Failure.UNAVAILABLE: "the server is not there behind its proxy, or too busy (503)",
    Failure.GATEWAY_TIMEOUT: "the server is not there behind its proxy, or too busy (504)",
    Failure.SILENCE: "the server gave no answer within 1 s",
    Failure.DRIP: "the server gave no answer within 1 s",
    Failure.CLOSED: "the server closed the connection before its answer was complete",
    Failure.CLOSED_MIDWAY: "the server closed the connection before its answer was complete",
    Failure.CUT: "the server closed the connection before its answer was complete",
    Failure.NOT_HTTP: "what answers there does not speak HTTP",
}
TRIED_AGAIN = {
    *(Failure.BAD_GATEWAY, Failure.UNAVAILABLE, Failure.GATEWAY_TIMEOUT, Failure.CLOSED, Failure.CLOSED_MIDWAY),
    Failure.CUT,
}
SECRETS = {"API_KEY": "s3cr3t/with+odd=chars&%41~", "COOKIE": "s3cr3t.cookie_of-an.admin"}


def forms(secret: str) -> list[str]:
    data = secret.encode()
    encoded = (base64.b64encode(data), base64.urlsafe_b64encode(data))
    return [secret, quote(secret, ""), quote_plus(secret), *(form.decode().rstrip("=") for form in encoded)]


ECHOED = (Failure.ERRORS, Failure.SIGN_IN, Failure.UNAUTHORIZED, Failure.INTERNAL)
"""Here the server repeats the credential."""


@pytest.mark.parametrize(
    ("failure", "kind"), [*((failure, "API_KEY") for failure in Failure), *((failure, "COOKIE") for failure in ECHOED)]
)
def test_each_failure_is_one_sentence_and_shows_no_credential(
    trip2g: Trip2gServer,
    failure: Failure,
    kind: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = SECRETS[kind]
    monkeypatch.setenv(f"FLEETLINT_TRIP2G_{kind}", secret)
    monkeypatch.setattr(client, "MAX_NOTES", 1 << 20)
    (trip2g.keys if kind == "API_KEY" else trip2g.cookies)[secret] = "ADMIN"
    trip2g.put("roles/a.md", "---\nfleet_id: desk\n---\n")
    server = connect(trip2g.url, say=pytest.fail, timeout=patience(failure))
    trip2g.failing = failure
    start = time.monotonic()
    with caplog.at_level(logging.DEBUG), pytest.raises(Trip2gError) as raised:
        listed(server)
    assert time.monotonic() - start < DEADLINE
    sentence = str(raised.value)
    assert sentence.startswith(f"{trip2g.url}: ")
    assert SAYS[failure].replace("API key", "cookie" if "cookie" in secret else "API key") in sentence
    assert sentence.count("\n") == 0
    assert "; " in sentence
    assert len(trip2g.requests) == (client.TRIES if failure in TRIED_AGAIN else 1)
    assert secret in str(trip2g.requests[0].headers)
    assert raised.tb.tb_next is not None
    error = raised.value.with_traceback(raised.tb.tb_next)  # this test itself knows the secret
    trace = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    assert "fetch_notes" in trace
    log = "\n".join(f"{record.getMessage()} {record.args}" for record in caplog.records)
    if failure is not Failure.SILENCE:
        assert "httpcore" in {record.name.partition(".")[0] for record in caplog.records}
    for form in forms(secret):
        assert form not in sentence + trace + log + repr(server)


def test_every_failure_of_the_server_has_its_sentence() -> None:
    assert SAYS.keys() == set(Failure)


@pytest.mark.parametrize("failure", sorted(TRIED_AGAIN, key=lambda failure: failure.name))
def test_a_server_that_comes_back_soon_is_waited_for(trip2g: Trip2gServer, failure: Failure) -> None:
    trip2g.put("a.md", "text")
    trip2g.failing, trip2g.failures_left = failure, 2
    assert listed(reach(trip2g)).keys() == {"a.md"}
    assert len(trip2g.requests) == 3


def test_what_came_before_the_connection_broke_is_forgotten(trip2g: Trip2gServer) -> None:
    trip2g.put_all({"a.md": "old", "b.md": ""})
    seen: list[str] = []

    def take(note: LiveNote) -> str:
        if note.path == "a.md" and not seen:
            # The note goes while the answer is on its way, and the connection breaks.
            trip2g.remove("a.md")
            trip2g.failing = None
        seen.append(note.path)
        return note.path

    trip2g.failing = Failure.CUT
    assert fetch_notes(reach(trip2g), [], take).taken == ("b.md",)
    assert seen == ["a.md", "b.md", "b.md"]


def test_a_redirect_takes_no_credential_along(trip2g: Trip2gServer) -> None:
    with serving() as elsewhere:
        trip2g.failing = Failure.OTHER_HOST
        trip2g.redirects_to = elsewhere.url.replace("http://", "http://user:pa55@") + "/_system/graphql?token=pa55"
        with pytest.raises(Trip2gError, match="give the URL at which trip2g itself answers") as raised:
            listed(reach(trip2g))
        assert f"to {elsewhere.url}/_system/graphql, where" in str(raised.value)
        assert elsewhere.requests == []


def test_a_port_where_nobody_listens_is_a_sentence() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        server = Server(f"http://127.0.0.1:{unused.getsockname()[1]}", None, DEADLINE)
        with pytest.raises(Trip2gError, match="the server refuses the connection; see whether it runs, and the port"):
            fetch_notes(server, [], lambda note: note)


def test_a_name_that_is_not_known_is_a_sentence() -> None:
    with pytest.raises(Trip2gError, match=r"https://vault\.invalid: the name of the server is not known"):
        fetch_notes(connect("https://vault.invalid", say=pytest.fail, timeout=DEADLINE), [], lambda note: note)


def test_a_server_without_tls_is_a_sentence(trip2g: Trip2gServer) -> None:
    server = connect(trip2g.url.replace("http:", "https:"), say=pytest.fail, timeout=DEADLINE)
    with pytest.raises(Trip2gError, match="no secure connection can be made"):
        fetch_notes(server, [], lambda note: note)


def test_a_certificate_that_nobody_vouches_for_is_refused_before_the_credential_is_sent(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with serving({"a.md": ""}, tls=context) as trip2g:
        with pytest.raises(Trip2gError, match=r"no secure connection can be made \(self.signed certificate\)"):
            listed(reach(trip2g))
        assert trip2g.requests == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        assert listed(reach(trip2g)).keys() == {"a.md"}


def test_a_proxy_of_the_environment_never_sees_a_credential_in_clear(
    trip2g: Trip2gServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trip2g.put("a.md", "")
    with serving() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert listed(reach(trip2g)).keys() == {"a.md"}
        assert proxy.requests == []


# --- Where the server is, and what lets us in ---


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("vault.example.org", "does not begin with https:// and a host"),
        ("ftp://vault.example.org", "does not begin with https:// and a host"),
        ("https://", "does not begin with https:// and a host"),
        ("https://me:pa55@vault.example.org", "holds a user's name or password"),
        ("https://pa55@vault.example.org", "holds a user's name or password"),
        ("https://vault.example.org/?token=pa55", "has something behind"),
        ("https://vault.example.org#pa55", "has something behind"),
        ("https://vault.example.org:99999", "cannot be read as a URL"),
        ("https://[::1", "cannot be read as a URL"),
        ("https://vault .example.org", "cannot be read as a URL"),
        ("https://xn--a.example.org\x7f/", "cannot be read as a URL"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_and_not_repeated(url: str, says: str) -> None:
    with pytest.raises(Trip2gError, match=says) as raised:
        connect(url, say=pytest.fail)
    assert "pa55" not in str(raised.value)


@pytest.mark.parametrize(
    "url", ["https://v.example.org/", "https://v.example.org/_system/graphql", " https://v.example.org "]
)
def test_the_base_is_found_in_what_people_paste(url: str) -> None:
    assert connect(url, say=pytest.fail).url == "https://v.example.org"


def test_the_url_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Trip2gError, match="give --trip2g-url URL, or set FLEETLINT_TRIP2G_URL"):
        connect(None, say=pytest.fail)
    monkeypatch.setenv("FLEETLINT_TRIP2G_URL", "https://v.example.org/vault")
    assert connect(None, say=pytest.fail).url == "https://v.example.org/vault"
    assert connect("https://other.example.org", say=pytest.fail).url == "https://other.example.org"


@pytest.mark.parametrize("host", ["v.example.org", "192.168.0.1", "127.0.0.1.example.org", "localhost.example.org"])
def test_a_credential_goes_to_another_machine_over_https_only(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(f"http://{host}", say=pytest.fail)
    monkeypatch.setenv("FLEETLINT_TRIP2G_API_KEY", "k3y")
    with pytest.raises(Trip2gError, match="over plain http everyone on the way can read the credential"):
        connect(f"http://{host}", say=pytest.fail)
    assert connect(f"http://{host}", say=pytest.fail, allow_http=True).credential
    assert connect(f"https://{host}", say=pytest.fail).credential


@pytest.mark.parametrize("host", ["127.0.0.1:8081", "localhost:8081", "[::1]:8081", "trip2g.localhost"])
def test_a_credential_may_go_to_this_machine_in_clear(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLINT_TRIP2G_API_KEY", "k3y")
    assert connect(f"http://{host}", say=pytest.fail).credential


@pytest.mark.parametrize(
    ("variable", "value", "header", "sent"),
    [
        ("API_KEY", " k3y\n", "x-api-key", "k3y"),
        ("COOKIE", "t0ken", "cookie", "trip2g_token=t0ken"),
        ("COOKIE", "dG9rZW4=", "cookie", "trip2g_token=dG9rZW4="),
        ("COOKIE", "my_token=t0ken; other=x", "cookie", "my_token=t0ken; other=x"),
    ],
)
@pytest.mark.parametrize("is_in_a_file", [False, True])
def test_what_is_in_the_environment_or_a_file_is_what_is_sent(
    trip2g: Trip2gServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    variable: str,
    value: str,
    header: str,
    sent: str,
    is_in_a_file: bool,
) -> None:
    trip2g.keys["k3y"] = "ADMIN"
    file = tmp_path / "secret"
    file.touch(0o600)
    file.write_text(value)
    name = f"FLEETLINT_TRIP2G_{variable}"
    monkeypatch.setenv(*((f"{name}_FILE", str(file)) if is_in_a_file else (name, value)))
    fetch_note(connect(trip2g.url, say=pytest.fail), "a.md")
    (request,) = trip2g.requests
    assert request.headers[header] == sent
    assert {"x-api-key", "cookie", "authorization"} & request.headers.keys() == {header}


def test_a_file_that_is_named_takes_the_place_of_the_environment(
    trip2g: Trip2gServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETLINT_TRIP2G_COOKIE", "t0ken")
    file = tmp_path / "key"
    file.touch(0o600)
    file.write_text(f"{ADMIN_KEY}\n")
    fetch_note(connect(trip2g.url, say=pytest.fail, key_file=str(file)), "a.md")
    assert "cookie" not in trip2g.requests[0].headers
    assert trip2g.requests[0].headers["x-api-key"] == ADMIN_KEY


def test_a_file_that_others_can_read_is_told(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("k3y")
    file.chmod(0o640)
    said: list[str] = []
    connect("https://v.example.org", say=said.append, key_file=str(file))
    assert said == [f"{file}: others can read the credential in it; take that right away with `chmod 600`"]
    file.chmod(0o600)
    connect("https://v.example.org", say=pytest.fail, key_file=str(file))


def test_two_credentials_are_one_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLINT_TRIP2G_API_KEY", "k3y")
    monkeypatch.setenv("FLEETLINT_TRIP2G_COOKIE", "t0ken")
    with pytest.raises(Trip2gError, match=r"both FLEETLINT_TRIP2G_API_KEY and FLEETLINT_TRIP2G_COOKIE are set"):
        connect("https://v.example.org", say=pytest.fail)


@pytest.mark.parametrize(
    "value", ["", " \n", "k3y\nX-Admin: yes", "k3y\r\n\r\nGET /", "schlüssel-k3y", "k3y\x00", "k3y k3y"]
)
def test_what_no_header_can_carry_is_refused_and_not_repeated(value: str, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.touch(0o600)
    file.write_bytes(value.encode())
    with pytest.raises(Trip2gError, match=r"key: this is no API key") as raised:
        connect("https://v.example.org", say=pytest.fail, key_file=str(file))
    assert "k3y" not in str(raised.value)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    for file, reason in ((tmp_path / "none", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(Trip2gError, match=rf"the credential cannot be read \({reason}\); name another file"):
            connect("https://v.example.org", say=pytest.fail, key_file=str(file))


def test_without_httpx_there_is_one_sentence() -> None:
    program = """
import sys
sys.modules["httpx"] = None
from fleetlint.cli import main
sys.exit(main(["check", "--trip2g-url", "https://v.example.org"]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr == (
        "Error: speaking to a trip2g server needs httpx; install it with `pip install 'fleetlint[live]'`\n"
    )

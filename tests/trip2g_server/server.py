"""The server: an HTTP server in a thread, a GraphQL schema that graphql-core evaluates, notes in an SQLite database."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import socket
import sqlite3
import threading
from contextlib import contextmanager, suppress
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphql import GraphQLError, build_schema, graphql_sync, parse, validate

from tests.trip2g_server.failures import Failure, fail
from tests.trip2g_server.metadata import metadata

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator, Mapping

ADMIN_KEY = "admin-key-8fe0c1"
USER_COOKIE = "user-token-77ab02"

_SDL = (Path(__file__).parent / "schema.graphql").read_text()
_OLDER_SDL = re.sub(r"# newer.*?# end", "", _SDL, flags=re.DOTALL)


class Request(NamedTuple):
    """A request that arrived; header names are lower case."""

    path: str
    headers: Mapping[str, str]
    body: bytes


def note_hash(content: str) -> str:
    """Padded URL-safe base64 of the SHA-256."""
    return base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).decode()


class Trip2gServer:
    """What the server holds, and how it behaves; tests change the attributes at will.

    `keys` and `cookies` say who each API key and each value of the cookie `trip2g_token` is (GUEST, USER or ADMIN): who
    has neither is a guest, who sends an unknown key gets 401. A guest sees no notes; only an administrator sees webhooks
    and writes. `change_webhooks` and `cron_webhooks` are the nodes of the two listings. `failing` is how it fails from now
    on, so many times as `failures_left` says (None: always). `before_update` is called with the path before a write, outside
    of the lock. `requests` are those that arrived.
    """

    def __init__(self, render: Callable[[str], Mapping[str, str]] = metadata) -> None:
        self.url = ""
        self.keys: dict[str, str] = {ADMIN_KEY: "ADMIN"}
        self.cookies: dict[str, str] = {USER_COOKIE: "USER"}
        self.change_webhooks: list[dict[str, Any]] = []
        self.cron_webhooks: list[dict[str, Any]] = []
        self.has_newer_fields = True
        self.invalid_status = 200
        """Of the answer to a query that the schema does not allow; gqlgen gives 422."""
        self.piece: int | None = None
        """Bytes of each chunk in which an answer is sent; None sends it whole."""
        self.failing: Failure | None = None
        self.failures_left: int | None = None
        self.redirects_to = "http://elsewhere.invalid/_system/graphql"
        self.before_update: Callable[[str], None] | None = None
        self.requests: list[Request] = []
        self.writes: list[str] = []
        """The paths that were written, in order."""
        self.render = render
        self.over = threading.Event()
        self._schemas = {True: build_schema(_SDL), False: build_schema(_OLDER_SDL)}
        self._lock = threading.RLock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute("CREATE TABLE notes (path TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID")

    # --- Notes ---

    def put(self, path: str, content: str) -> None:
        """Write a note as a person does, whatever stands there."""
        with self._lock:
            self._database.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (path, content))

    def put_all(self, notes: Mapping[str, str]) -> None:
        with self._lock:
            self._database.executemany("INSERT OR REPLACE INTO notes VALUES (?, ?)", notes.items())

    def put_folder(self, folder: Path) -> None:
        """Write all notes of a checkout."""
        files = sorted(folder.rglob("*.md"))
        self.put_all({file.relative_to(folder).as_posix(): file.read_bytes().decode("utf-8") for file in files})

    def remove(self, path: str) -> None:
        with self._lock:
            self._database.execute("DELETE FROM notes WHERE path = ?", (path,))

    def content(self, path: str) -> str | None:
        with self._lock:
            found = self._database.execute("SELECT content FROM notes WHERE path = ?", (path,)).fetchone()
        return found[0] if found else None

    def notes(self, like: str = "%") -> list[tuple[str, str]]:
        """Path and content of the notes that SQLite's LIKE takes."""
        with self._lock:
            return self._database.execute("SELECT path, content FROM notes WHERE path LIKE ?", (like,)).fetchall()

    # --- GraphQL ---

    def execute(self, query: str, variables: Mapping[str, Any] | None, viewer: str) -> tuple[int, dict[str, Any]]:
        """Status and body of the answer to a request of a viewer (GUEST, USER or ADMIN)."""
        schema = self._schemas[self.has_newer_fields]
        try:
            invalid = validate(schema, parse(query))
        except GraphQLError as error:
            invalid = [error]
        if invalid:
            return self.invalid_status, {"data": None, "errors": [error.formatted for error in invalid]}
        result = graphql_sync(
            schema,
            query,
            root_value={
                "viewer": {"role": viewer},
                "notePaths": lambda info, filter=None: self._note_paths(viewer, filter or {}),  # noqa: ARG005
                "admin": lambda info: self._admin(viewer),  # noqa: ARG005
                "updateNotes": lambda info, input: self._update(viewer, input["changes"]),  # noqa: ARG005
            },
            variable_values=dict(variables or {}),
        )
        return 200, dict(result.formatted)

    def _note_paths(self, viewer: str, filter: Mapping[str, str]) -> list[dict[str, Any]]:
        if viewer == "GUEST":
            return []
        return [
            {
                "value": path,
                "content": content,
                "latestContentHash": lambda info, content=content: note_hash(content),  # noqa: ARG005
                "latestNoteView": lambda info, content=content: self._view(content),  # noqa: ARG005
            }
            for path, content in self.notes(filter.get("like") or "%")
        ]

    def _view(self, content: str) -> dict[str, Any]:
        return {"meta": [{"key": key, "raw": raw} for key, raw in self.render(content).items()]}

    def _admin(self, viewer: str) -> dict[str, Any]:
        if viewer != "ADMIN":
            raise GraphQLError("unauthorized")
        return {
            "allChangeWebhooks": {"nodes": self.change_webhooks},
            "allCronWebhooks": {"nodes": self.cron_webhooks},
        }

    def _update(self, viewer: str, changes: list[dict[str, dict[str, str]]]) -> dict[str, Any]:
        if viewer != "ADMIN":
            return {"__typename": "ErrorPayload", "message": "unauthorized"}
        for change in changes:
            if self.before_update is not None:
                self.before_update((change.get("upsert") or change["patch"])["path"])
        with self._lock:
            new: dict[str, str] = {}
            for change in changes:
                one = change.get("upsert") or change["patch"]
                path = one["path"]
                old = new.get(path, self.content(path))
                actual = "" if old is None else note_hash(old)
                if one.get("expectedHash") is not None and one["expectedHash"] != actual:
                    return {"__typename": "UpdateNotesHashMismatchPayload", "path": path, "actualHash": actual}
                if "upsert" in change:
                    new[path] = one["content"]
                elif old is None:
                    return {"__typename": "ErrorPayload", "message": f"note not found: {path}"}
                elif one["find"] not in old:
                    return {"__typename": "UpdateNotesPatchNotFoundPayload", "path": path, "find": one["find"]}
                else:
                    new[path] = old.replace(one["find"], one["replace"], 1)
            self.put_all(new)
            self.writes += new
        return {"__typename": "UpdateNotesSuccessPayload", "paths": list(new)}

    # --- HTTP ---

    def viewer(self, headers: Mapping[str, str]) -> str | None:
        """Who sends these headers; None for a key that does not exist."""
        if "x-api-key" in headers:
            return self.keys.get(headers["x-api-key"])
        cookie = SimpleCookie(headers.get("cookie", "")).get("trip2g_token")
        return self.cookies.get(cookie.value, "GUEST") if cookie else "GUEST"

    def next_failure(self) -> Failure | None:
        with self._lock:
            if self.failing is None or self.failures_left == 0:
                return None
            if self.failures_left is not None:
                self.failures_left -= 1
            return self.failing

    def close(self) -> None:
        self._database.close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _HTTPServer

    @property
    def trip2g(self) -> Trip2gServer:
        return self.server.trip2g

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.trip2g.requests.append(Request(self.path, headers, body))
        try:
            self._answer(headers, body)
        except OSError:
            # Who asked is gone, or the test is over.
            self.close_connection = True

    def do_GET(self) -> None:
        self.trip2g.requests.append(
            Request(self.path, {name.lower(): value for name, value in self.headers.items()}, b"")
        )
        self.reply(405, b"")

    def _answer(self, headers: Mapping[str, str], body: bytes) -> None:
        if self.path != "/_system/graphql":
            self.reply(404, b"not found", **{"Content-Type": "text/plain"})
            return
        if not headers.get("content-type", "").startswith("application/json"):
            self.reply(415, b"")
            return
        asked = json.loads(body)
        failure = self.trip2g.next_failure()
        if failure is not None and failure is not Failure.CUT:
            fail(self, failure, asked)
            return
        viewer = self.trip2g.viewer(headers)
        if viewer is None:
            self.reply(401, json.dumps({"errors": [{"message": "unknown key"}]}).encode())
            return
        status, answer = self.trip2g.execute(asked["query"], asked.get("variables"), viewer)
        packed = json.dumps(answer, ensure_ascii=False).encode()
        if failure is Failure.CUT:
            self.begin(status, **{"Content-Type": "application/json", "Content-Length": str(len(packed))})
            self.wfile.write(packed[:-2])
            self.close()
            return
        if "gzip" in headers.get("accept-encoding", "") and len(packed) > 1000:
            self.reply(status, gzip.compress(packed, 1), **{"Content-Encoding": "gzip"})
        else:
            self.reply(status, packed)

    def begin(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        piece = self.trip2g.piece
        if piece is None:
            self.begin(status, **{"Content-Type": "application/json", "Content-Length": str(len(body)), **headers})
            self.wfile.write(body)
            return
        self.begin(status, **{"Content-Type": "application/json", "Transfer-Encoding": "chunked", **headers})
        for at in range(0, len(body), piece):
            part = body[at : at + piece]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def credentials(self) -> str:
        """What was sent to be let in, as a careless server repeats it."""
        return f"{self.headers.get('X-Api-Key', '')}{self.headers.get('Cookie', '')}"

    def wait(self, seconds: float | None = None) -> bool:
        """Until the test is over; whether it is."""
        return self.trip2g.over.wait(seconds)

    def over(self) -> bool:
        return self.trip2g.over.is_set()

    def close(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: a test that fails shows what its client said."""


class _HTTPServer(ThreadingHTTPServer):
    # All threads have ended when the server is closed.
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, trip2g: Trip2gServer, context: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.trip2g = trip2g
        self._open: set[socket.socket] = set()
        if context is not None:
            self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away, or will not shake hands, is no fault of the server."""

    def hang_up(self) -> None:
        for request in list(self._open):
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)


@contextmanager
def serving(
    notes: Mapping[str, str] | None = None,
    *,
    render: Callable[[str], Mapping[str, str]] = metadata,
    tls: ssl.SSLContext | None = None,
) -> Iterator[Trip2gServer]:
    """A server on a free port of the loopback, with these notes; `render` gives the metadata of a note's content."""
    trip2g = Trip2gServer(render)
    trip2g.put_all(notes or {})
    server = _HTTPServer(trip2g, tls)
    trip2g.url = f"http{'s' if tls else ''}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield trip2g
    finally:
        trip2g.over.set()
        server.shutdown()
        thread.join()
        server.hang_up()
        server.server_close()
        trip2g.close()

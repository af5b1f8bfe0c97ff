"""The one module that speaks to a trip2g server with credentials of our own.

    server = connect("https://vault.example.org", say=print)
    registry = fetch_registry(server)

A credential comes from the environment or a file and goes to that server alone: no redirect is followed, and nothing that
is said or logged holds it. Whatever is not the answer that was asked for is a Trip2gError; nothing is ever taken for an
empty answer. One request takes at most the seconds that `connect` is given, with all that is tried again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import stat
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar
from urllib.parse import SplitResult, quote, quote_plus, urljoin, urlsplit

from fleetlint.errors import SourceError, causes_of
from fleetlint.tls import trusting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    import httpx

    from fleetlint.registry import Registry

T = TypeVar("T")

KEY_NAME, COOKIE_NAME = "FLEETLINT_TRIP2G_API_KEY", "FLEETLINT_TRIP2G_COOKIE"
URL_NAME = "FLEETLINT_TRIP2G_URL"
FILE = "_FILE"
"""Behind the name of a credential's variable: the file that holds it."""

ENDPOINT = "/_system/graphql"
SESSION_COOKIE = "trip2g_token"

TIMEOUT = 60.0
"""Seconds for one request, tries included."""
CONNECT_TIMEOUT = 10.0
TRIES = 3
BACKOFF = 0.25
"""Seconds before the second try, doubled before the next."""

MAX_NOTES = 256 * 1024 * 1024
MAX_ANSWER = 32 * 1024 * 1024
"""Bytes of an answer, unpacked: of the notes, and of anything else."""

MAX_FOLDERS = 20
"""So many folders are asked for one by one; of more the whole vault is read."""

EVERYTHING = "%"

NEWER_FIELDS = ("attachNotes", "concurrencyMode", "timeoutSeconds")
"""Fields of webhooks that older servers do not have."""


class Trip2gError(SourceError):
    """A server that cannot be reached, or that does not give what was asked for: one sentence that names its URL and says
    what to do."""


class Server(NamedTuple):
    """How to reach a server. `url` is its base, without a slash at the end and without a user's name."""

    url: str
    credential: Credential | None
    timeout: float


class Credential:
    """What lets us in: the name of a header and its value, which is shown nowhere."""

    __slots__ = ("header", "value")

    def __init__(self, header: str, value: str) -> None:
        self.header = header
        self.value = value

    def __repr__(self) -> str:
        return f"<credential for {self.header}>"

    @property
    def is_key(self) -> bool:
        return self.header == "X-Api-Key"

    def redact(self, text: str) -> str:
        """The text without the credential, in any form in which it may have got there."""
        from base64 import b64encode, urlsafe_b64encode

        values = {self.value, *(part.partition("=")[2] for part in self.value.split("; "))} - {""}
        for value in sorted(values, key=len, reverse=True):
            data = value.encode()
            forms = {
                value,
                quote(value, ""),
                quote_plus(value),
                b64encode(data).decode(),
                urlsafe_b64encode(data).decode(),
            }
            for form in forms | {form.rstrip("=") for form in forms}:
                text = text.replace(form, "***")
        return text


class LiveNote(NamedTuple):
    """A note of a live vault. `hash` is the padded URL-safe base64 of the SHA-256 of its content; `meta` is what the server
    reads in its header, key by key as Go's `%v` prints it, and None where it tells nothing."""

    path: str
    content: str
    hash: str
    meta: Mapping[str, str] | None


class Listing(NamedTuple, Generic[T]):
    """The paths of all notes of a vault, sorted; as whom they were seen (GUEST, USER or ADMIN); and what was made of those
    that were looked into."""

    paths: tuple[str, ...]
    viewer: str
    taken: tuple[T, ...]


class Written(NamedTuple):
    path: str


class HashMismatch(NamedTuple):
    """The note is not what was expected: `actual_hash` is what it is, empty when it does not exist."""

    path: str
    actual_hash: str


class PatchNotFound(NamedTuple):
    path: str
    find: str


class Refused(NamedTuple):
    """The server's own words."""

    message: str


Outcome = Written | HashMismatch | PatchNotFound | Refused


# --- Where the server is, and what lets us in ---


def connect(
    url: str | None,
    *,
    say: Callable[[str], None],
    key_file: str | None = None,
    allow_http: bool = False,
    timeout: float = TIMEOUT,
) -> Server:
    """The server at a URL, or at that of FLEETLINT_TRIP2G_URL. Nothing is sent yet.

    The credential is the API key in `key_file` or what one of the variables FLEETLINT_TRIP2G_API_KEY,
    FLEETLINT_TRIP2G_COOKIE and, for files, the same with `_FILE` hold; without any the server sees a guest. `say` hears of
    a file that others can read. `allow_http` lets a credential go to another machine in clear.

    Raises Trip2gError.
    """
    try:
        import httpx  # noqa: F401 - whether it is there
    except ImportError:
        raise Trip2gError(
            "speaking to a trip2g server needs httpx; install it with `pip install 'fleetlint[live]'`"
        ) from None
    url = url or os.environ.get(URL_NAME)
    if not url:
        raise Trip2gError(f"which trip2g server is meant is not known; give --trip2g-url URL, or set {URL_NAME}")
    base, parts = _base(url)
    credential = _credential(key_file, say)
    if credential is not None and parts.scheme == "http" and not _is_loopback(parts.hostname or "") and not allow_http:
        raise Trip2gError(
            f"{base}: over plain http everyone on the way can read the credential; "
            "give an https URL, or --trip2g-allow-http if you know the way"
        )
    return Server(base, credential, timeout)


def _base(url: str) -> tuple[str, SplitResult]:
    """The base without a slash at the end, and its parts. A URL that may hold a password is not repeated."""
    import httpx

    name = "the trip2g URL"
    try:
        parts = urlsplit(url.strip())
        if parts.username is not None or parts.password is not None:
            raise Trip2gError(
                f"{name} holds a user's name or password, which is not sent; "
                f"take it out, and put the credential into {KEY_NAME}"
            )
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Trip2gError(f"{name} does not begin with https:// and a host; write it as https://vault.example.org")
        if parts.query or parts.fragment:
            raise Trip2gError(f"{name} has something behind `?` or `#`; give the server's base alone")
        if re.search(r"[\s\x00-\x1f\x7f]", url.strip()):
            raise ValueError
        base = f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/").removesuffix(ENDPOINT).rstrip("/")
        httpx.URL(base)
        parts.port  # noqa: B018 - raises
    except (ValueError, httpx.InvalidURL):
        raise Trip2gError(f"{name} cannot be read as a URL; write it as https://vault.example.org") from None
    return base, parts


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _credential(key_file: str | None, say: Callable[[str], None]) -> Credential | None:
    """Raises Trip2gError, which never holds the value."""
    if key_file is not None:
        return _key(_read_secret(key_file, say), key_file)
    names = [name + end for name in (KEY_NAME, COOKIE_NAME) for end in ("", FILE)]
    given = [name for name in names if os.environ.get(name)]
    if len(given) > 1:
        raise Trip2gError(f"both {given[0]} and {given[1]} are set, and one credential is sent; unset the others")
    if not given:
        return None
    (name,) = given
    value = os.environ[name]
    value = _read_secret(value, say) if name.endswith(FILE) else value.strip()
    return _key(value, name) if name.startswith(KEY_NAME) else _cookie(value, name)


def _key(value: str, place: str) -> Credential:
    if not re.fullmatch(r"[\x21-\x7e]+", value):
        raise Trip2gError(
            f"{place}: this is no API key, for it is empty or has characters that no key has; see what it holds"
        )
    return Credential("X-Api-Key", value)


def _cookie(value: str, place: str) -> Credential:
    """From `name=value` as browsers show it, or the value of the session's cookie alone."""
    if not re.fullmatch(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?", value):
        raise Trip2gError(
            f"{place}: this is no cookie, for it is empty or has characters that no cookie has; see what it holds"
        )
    is_pair = re.match(r"[\w!#$%&'*+.^`|~-]+=[^=]", value, re.ASCII)
    return Credential("Cookie", value if is_pair else f"{SESSION_COOKIE}={value}")


def _read_secret(file: str, say: Callable[[str], None]) -> str:
    try:
        with open(file, "rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            data = opened.read(64 * 1024)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise Trip2gError(f"{file}: the credential cannot be read ({reason}); name another file") from None
    if os.name == "posix" and stat.S_ISREG(mode) and mode & (stat.S_IRGRP | stat.S_IROTH):
        say(f"{file}: others can read the credential in it; take that right away with `chmod 600`")
    return data.decode("utf-8", "replace").strip()


# --- What is asked for ---


def fetch_notes(server: Server, folders: Sequence[str], take: Callable[[LiveNote], T | None]) -> Listing[T]:
    """All notes below folders (LIKE prefixes as a fleet has them), given to `take` one by one as they come in.

    What it makes of them is kept where it is not None, and nothing else of their contents. It takes one request, whatever the
    number of notes; when that has to be tried again, so is `take`. Raises Trip2gError, also when a vault seems empty to
    someone who may not see all of it.
    """
    listings = {f"n{number}": prefix for number, prefix in enumerate(_prefixes(folders))}
    declared = ", ".join(f"${alias}: String!" for alias in listings)
    fields = "{ value content latestContentHash latestNoteView { meta { key raw } } }"
    selections = {alias: f"{alias}: notePaths(filter: {{like: ${alias}}}) {fields}" for alias in listings}
    if EVERYTHING not in listings.values():
        selections["all"] = f'all: notePaths(filter: {{like: "{EVERYTHING}"}}) {{ value }}'
    query = f"query Discover({declared}) {{ viewer {{ role }} {' '.join(selections.values())} }}"
    taken: dict[str, T | None] = {}

    def begin() -> Callable[[Any], Any]:
        taken.clear()
        return receive

    def receive(found: Any) -> Any:
        """What takes the place of an object in the answer: a note's path, or what is no note."""
        if not isinstance(found, dict) or "value" not in found:
            return found
        if "content" in found:
            note = _note(server, found)
            if note.path not in taken:
                taken[note.path] = take(note)
        return found["value"]

    data = _ask(server, query, listings, what="to list the notes", limit=MAX_NOTES, begin=begin)
    viewer = _role(server, data)
    paths = [path for alias in selections for path in _list(server, data, alias)]
    if not all(isinstance(path, str) for path in paths):
        raise _odd(server, "an entry of `notePaths` has no path")
    if not paths and viewer != "ADMIN":
        raise Trip2gError(f"{server.url}: the server shows no notes to {_as_whom(server, viewer)}; {_admin(server)}")
    return Listing(tuple(sorted(set(paths))), viewer, tuple(one for one in taken.values() if one is not None))


def _prefixes(folders: Sequence[str]) -> tuple[str, ...]:
    """The LIKE patterns to ask for, none of them plainly inside of another."""
    found: list[str] = []
    for folder in sorted(set(folders)):
        # Wildcards in a shorter one make no difference: what begins with the same text is inside.
        if not any(folder.startswith(other) for other in found):
            found.append(folder)
    if not found or found == [""] or len(found) > MAX_FOLDERS:
        return (EVERYTHING,)
    return tuple(folder + "%" for folder in found)


def fetch_note(server: Server, path: str) -> LiveNote | None:
    """One note; None when there is none. Raises Trip2gError."""
    query = (
        "query Note($like: String!) { notePaths(filter: {like: $like})"
        " { value content latestContentHash latestNoteView { meta { key raw } } } }"
    )
    data = _ask(server, query, {"like": path}, what=f"to show `{path}`", limit=MAX_ANSWER)
    # `_` and `%` in the path stand for others as well.
    notes = [_note(server, found) for found in _list(server, data, "notePaths")]
    return next((note for note in notes if note.path == path), None)


def update_note(server: Server, path: str, content: str, expected_hash: str) -> Outcome:
    """Write a note, if it still is what its hash says; the empty hash stands for a note that does not exist.

    Never sent twice unless the server was not reached. Raises Trip2gError, which says so when the note may have been
    written.
    """
    query = (
        "mutation Update($input: UpdateNotesInput!) { updateNotes(input: $input) { __typename"
        " ... on UpdateNotesSuccessPayload { paths } ... on UpdateNotesHashMismatchPayload { path actualHash }"
        " ... on UpdateNotesPatchNotFoundPayload { path find } ... on ErrorPayload { message } } }"
    )
    change = {"upsert": {"path": path, "content": content, "expectedHash": expected_hash}}
    data = _ask(server, query, {"input": {"changes": [change]}}, what="to write", limit=MAX_ANSWER, writes=True)
    match data.get("updateNotes"):
        case {"__typename": "UpdateNotesSuccessPayload", "paths": list(paths)} if path in paths:
            return Written(path)
        case {"__typename": "UpdateNotesHashMismatchPayload", "path": str(at), "actualHash": str(actual)}:
            return HashMismatch(at, actual)
        case {"__typename": "UpdateNotesPatchNotFoundPayload", "path": str(at), "find": str(find)}:
            return PatchNotFound(at, find)
        case {"__typename": "ErrorPayload", "message": str(message)}:
            return Refused(_clean(server, message))
    raise _odd(server, "`updateNotes` is none of the outcomes that a write has", _UNKNOWN_OUTCOME)


def content_hash(content: str) -> str:
    """The hash by which the server knows a note's content."""
    from base64 import urlsafe_b64encode
    from hashlib import sha256

    return urlsafe_b64encode(sha256(content.encode("utf-8", "surrogatepass")).digest()).decode()


def fetch_registry(server: Server) -> Registry:
    """What is registered; it takes the rights of an administrator. Its `source` is empty, for it lies in no file.

    Fields that an older server does not know are left out. Raises Trip2gError.
    """
    from dataclasses import replace

    from fleetlint.registry.snapshot import MEND, parse_snapshot

    try:
        data = _webhooks(server)
    except _AnsweredError as error:
        if not error.is_about_rights:
            raise
        data = {"admin": None}
    if data.get("admin") is None:
        whom = _as_whom(server, _viewer(server))
        raise Trip2gError(
            f"{server.url}: the server shows what is registered to administrators, and not to {whom}; {_admin(server)}"
        )
    try:
        found = parse_snapshot(json.dumps({"data": data}), server.url)
    except ValueError as error:
        sentence = _clean(server, str(error).removesuffix(MEND), 500)
        raise Trip2gError(f"{sentence} {_OTHER_VERSION}") from None
    return replace(found, source="")


def _webhooks(server: Server) -> dict[str, Any]:
    missing: set[str] = set()
    # An older server names the fields that it does not know, though perhaps not all at once.
    for _ in range(len(NEWER_FIELDS)):
        newer = " ".join(field for field in NEWER_FIELDS if field not in missing)
        query = (
            "query Registry { admin {"
            " allChangeWebhooks { nodes { id url description enabled maxDepth onCreate onUpdate onRemove"
            f" includePatterns excludePatterns readPatterns writePatterns {newer} }} }}"
            f" allCronWebhooks {{ nodes {{ id url description enabled cronSchedule maxDepth readPatterns writePatterns {newer} }} }}"
            " } }"
        )
        try:
            return _ask(server, query, {}, what="to show what is registered", limit=MAX_ANSWER)
        except _AnsweredError as error:
            unknown = {field for field in NEWER_FIELDS for message in error.messages if field in message} - missing
            if not unknown:
                raise
            missing |= unknown
    return _ask(server, query, {}, what="to show what is registered", limit=MAX_ANSWER)


def _viewer(server: Server) -> str:
    """Who the server takes us for; empty when it does not say."""
    try:
        return _role(
            server, _ask(server, "query Viewer { viewer { role } }", {}, what="to say who is asking", limit=MAX_ANSWER)
        )
    except Trip2gError:
        return ""


# --- Answers taken apart ---

_OTHER_VERSION = "see whether this is a trip2g server of a version that fleetlint knows"
_RIGHTS = re.compile(r"(?i)authori[sz]|authentic|forbidden|permission|denied|admin|sign.?in|not allowed")
_UNKNOWN_OUTCOME = "; whether the note was written is not known: look at it before you try again"


class _AnsweredError(Trip2gError):
    """The server answers with errors."""

    def __init__(self, sentence: str, messages: Sequence[str], is_about_rights: bool) -> None:
        super().__init__(sentence)
        self.messages = messages
        self.is_about_rights = is_about_rights


def _as_whom(server: Server, viewer: str = "") -> str:
    credential = server.credential
    what = (
        "someone without a credential" if credential is None else f"this {'API key' if credential.is_key else 'cookie'}"
    )
    return f"{what} ({viewer})" if viewer else what


def _admin(server: Server) -> str:
    """The mend for rights that are missing."""
    if server.credential is not None:
        return "use the API key or the session cookie of an administrator"
    return f"put the API key of an administrator into {KEY_NAME}, or a session cookie into {COOKIE_NAME}"


def _role(server: Server, data: Mapping[str, Any]) -> str:
    match data.get("viewer"):
        case {"role": str(role)}:
            return _clean(server, role)
    raise _odd(server, "`viewer` has no role")


def _list(server: Server, data: Mapping[str, Any], alias: str) -> list[Any]:
    found = data.get(alias)
    if not isinstance(found, list):
        raise _odd(server, f"`notePaths` is {_kind(found)} where a list is needed")
    return found


def _note(server: Server, found: object) -> LiveNote:
    match found:
        case {"value": str(path), "content": str(content), "latestContentHash": str(hash), "latestNoteView": view}:
            return LiveNote(path, content, hash, _meta(server, path, view))
        case {"value": str(path)}:
            raise _odd(server, f"the note `{_clean(server, path)}` lacks its content or its hash")
    raise _odd(server, "an entry of `notePaths` has no path")


def _meta(server: Server, path: str, view: object) -> dict[str, str] | None:
    match view:
        case None:
            return None
        case {"meta": None}:
            return {}
        case {"meta": list(entries)}:
            pairs = [
                (one["key"], one["raw"]) for one in entries if isinstance(one, dict) and {"key", "raw"} <= one.keys()
            ]
            if len(pairs) == len(entries) and all(isinstance(text, str) for pair in pairs for text in pair):
                return dict(pairs)
    raise _odd(server, f"the metadata of the note `{_clean(server, path)}` is not a list of keys and texts")


def _odd(server: Server, what: str, end: str = "") -> Trip2gError:
    return Trip2gError(f"{server.url}: the answer is not one of trip2g, for {what}; {_OTHER_VERSION}{end}")


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return names.get(type(value), "a number")


def _clean(server: Server, text: str, limit: int = 200) -> str:
    """Words of the server as they may be repeated: on one line, short, without a credential."""
    text = server.credential.redact(text) if server.credential is not None else text
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


# --- One request ---


def _ask(
    server: Server,
    query: str,
    variables: Mapping[str, Any],
    *,
    what: str,
    limit: int,
    writes: bool = False,
    begin: Callable[[], Callable[[Any], Any]] | None = None,
) -> dict[str, Any]:
    """The `data` of the answer. `begin` is called for each try, and what it gives then gets the objects in lists of the data
    (the notes) as soon as they are there; what that returns takes their place.

    Raises Trip2gError; _AnsweredError when there are `errors` in the answer.
    """
    body = json.dumps({"query": query, "variables": variables}).encode()
    # Raised anew: what the frames within hold may be a credential that the server repeats.
    try:
        with _redacted_logs(server):
            return _data(server, asyncio.run(_exchange(server, body, limit, writes, begin)), what)
    except _AnsweredError as error:
        raise _AnsweredError(str(error), error.messages, error.is_about_rights) from None
    except _NothingDoneError as error:
        raise Trip2gError(str(error)) from None
    except Trip2gError as error:
        raise Trip2gError(f"{error}{_UNKNOWN_OUTCOME if writes else ''}") from None


class _Answer(NamedTuple):
    status: int
    body: bytearray


class _NothingDoneError(Trip2gError):
    """The server was not reached, or did not go into what was asked: nothing can have been written."""


class _RetriableError(Trip2gError):
    """Another try may succeed."""


class _ConnectionRefusedError(_NothingDoneError, _RetriableError):
    pass


async def _exchange(
    server: Server, body: bytes, limit: int, writes: bool, begin: Callable[[], Callable[[Any], Any]] | None
) -> _Answer:
    """Raises Trip2gError."""
    failed: Trip2gError | None = None
    try:
        async with asyncio.timeout(server.timeout):
            for number in range(TRIES):
                if failed is not None:
                    await asyncio.sleep(BACKOFF * 2 ** (number - 1))
                try:
                    return await _send(server, body, limit, begin() if begin is not None else None)
                except _RetriableError as error:
                    failed = error
                    if writes and not isinstance(error, _NothingDoneError):
                        break
    except TimeoutError:
        if failed is None:
            raise Trip2gError(
                f"{server.url}: the server gave no answer within {server.timeout:g} s; "
                "see whether it runs, or give it more time with --trip2g-timeout"
            ) from None
    assert failed is not None
    raise failed


async def _send(server: Server, body: bytes, limit: int, reduce: Callable[[Any], Any] | None) -> _Answer:
    import httpx

    headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "gzip"}
    is_secure = server.url.startswith("https:")
    if server.credential is not None:
        headers[server.credential.header] = server.credential.value
    try:
        async with (
            httpx.AsyncClient(
                # Over plain http a proxy of the environment would see the credential, and there is nothing to verify.
                trust_env=is_secure,
                verify=trusting() if is_secure else False,
                follow_redirects=False,
                timeout=httpx.Timeout(server.timeout, connect=min(CONNECT_TIMEOUT, server.timeout)),
            ) as client,
            client.stream("POST", server.url + ENDPOINT, content=body, headers=headers) as response,
        ):
            _check_status(server, response)
            _check_type(server, response.headers.get("content-type", ""))
            return _Answer(response.status_code, await _body(server, response, limit, reduce))
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        failure = _transport_failure(server, error)
    # Outside of the block: the exception knows the request, and with it the credential.
    raise failure


def _transport_failure(server: Server, error: Exception) -> Trip2gError:
    import socket
    import ssl

    import httpx

    causes = list(causes_of(error))
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        reason = next((cause.verify_message for cause in causes if isinstance(cause, ssl.SSLCertVerificationError)), "")
        return _NothingDoneError(
            f"{server.url}: no secure connection can be made ({reason or 'the server speaks no TLS there'}); "
            "see the URL and the server's certificate; SSL_CERT_FILE names an authority of your own"
        )
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return _NothingDoneError(
            f"{server.url}: the name of the server is not known; see whether the URL is spelled right"
        )
    if isinstance(error, httpx.ConnectTimeout):
        return _NothingDoneError(
            f"{server.url}: the server cannot be reached, for it does not answer; see whether it runs"
        )
    if isinstance(error, httpx.ProxyError):
        return _NothingDoneError(
            f"{server.url}: the proxy of the environment refuses the way; see HTTPS_PROXY and NO_PROXY"
        )
    if isinstance(error, httpx.ConnectError):
        return _ConnectionRefusedError(
            f"{server.url}: the server refuses the connection; see whether it runs, and the port"
        )
    if isinstance(error, httpx.TimeoutException):
        return Trip2gError(
            f"{server.url}: the server stopped in the middle of its answer; "
            "see whether it runs, or give it more time with --trip2g-timeout"
        )
    if (
        isinstance(error, httpx.RemoteProtocolError)
        and "disconnected" not in str(error)
        and "peer closed" not in str(error)
    ):
        return Trip2gError(f"{server.url}: what answers there does not speak HTTP; see the URL and its port")
    return _RetriableError(
        f"{server.url}: the server closed the connection before its answer was complete; try it again"
    )


def _check_status(server: Server, response: httpx.Response) -> None:
    """Raises Trip2gError for a status with which no answer comes."""
    status = response.status_code
    if 300 <= status < 400:
        raise _NothingDoneError(_redirect(server, response.headers.get("location", "")))
    known = {
        401: f"the server does not let in {_as_whom(server)} (401); {_admin(server)}",
        403: f"the server refuses what {_as_whom(server)} asks for (403); {_admin(server)}",
        404: "there is no trip2g server at this URL (404); give its base, without a path of a note",
        413: "the server finds the request too large (413); write less at once",
        429: f"the server gets too many requests (429); try it again {_later(response)}",
    }
    if status in known:
        raise _NothingDoneError(f"{server.url}: {known[status]}")
    if status in (502, 503, 504):
        raise _RetriableError(
            f"{server.url}: the server is not there behind its proxy, or too busy ({status}); try it again later"
        )
    # A query that is refused comes with 200 from some servers, with 400 or 422 from others.
    if status not in (200, 400, 422):
        raise Trip2gError(
            f"{server.url}: the server fails with the status {status}; see its log, and whether the URL is trip2g's base"
        )


def _redirect(server: Server, location: str) -> str:
    target = urlsplit(urljoin(server.url + ENDPOINT, location))
    own = urlsplit(server.url)
    if re.search(r"(?i)sign.?in|log.?in|auth", target.path) and target.netloc == own.netloc:
        return f"{server.url}: nobody is signed in, for the server sends us to its sign-in page; {_admin(server)}"
    # Without what a user's name or a query may hold.
    where = _clean(server, f"{target.scheme}://{target.netloc.rpartition('@')[2]}{target.path}")
    return f"{server.url}: the server sends us on to {where}, where nothing is sent; give the URL at which trip2g itself answers"


def _later(response: httpx.Response) -> str:
    seconds = response.headers.get("retry-after", "")
    return f"in {int(seconds)} s" if seconds.isascii() and seconds.isdecimal() and len(seconds) < 9 else "later"


async def _body(server: Server, response: httpx.Response, limit: int, reduce: Callable[[Any], Any] | None) -> bytearray:
    """The body, unpacked and reduced piece by piece, so that little more than what is kept of it is in memory.

    Raises Trip2gError.
    """
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip"):
        raise Trip2gError(f"{server.url}: the answer is packed as nobody asked for; see what stands before the server")
    unpack = zlib.decompressobj(31) if encoding != "identity" else None
    body = _Body(reduce)
    size = 0
    try:
        async for packed in response.aiter_raw():
            for piece in [packed] if unpack is None else _unpacked(unpack, packed):
                size += len(piece)
                if size > limit:
                    mend = "name the folders of the fleets in the settings" if reduce else "see what answers there"
                    raise Trip2gError(f"{server.url}: the answer is larger than {limit >> 20} MiB; {mend}")
                body.feed(piece)
    except (ValueError, RecursionError) as error:
        raise _no_json(server, error) from None
    except zlib.error:
        raise _not_unpacked(server) from None
    if unpack is not None and not unpack.eof:
        raise _not_unpacked(server)
    return body.kept


def _unpacked(unpack: Any, packed: bytes) -> Iterator[bytes]:
    """At most 1 MiB at a time: a small piece may unpack into a huge one."""
    while packed and not unpack.eof:
        yield unpack.decompress(packed, 1 << 20)
        packed = unpack.unconsumed_tail


def _not_unpacked(server: Server) -> Trip2gError:
    return Trip2gError(f"{server.url}: the answer cannot be unpacked; see what stands before the server")


_MARK = re.compile(rb'["\[\]{}]')
_REST_OF_STRING = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)


class _Body:
    """JSON that comes in piece by piece. In `kept` is what came, but that each object in a list of the `data` (an object in
    a list in an object in an object) has been given to `reduce`, and has been replaced by what that made of it."""

    LEVEL = 4

    def __init__(self, reduce: Callable[[Any], Any] | None) -> None:
        self.kept = bytearray()
        self._reduce = reduce
        self._object: bytearray | None = None
        self._depth = 0
        self._is_in_string = False
        self._left = b""
        """A backslash at the end of a piece."""

    def feed(self, piece: bytes) -> None:
        """Raises ValueError and RecursionError for an object that is no JSON, and what `reduce` raises."""
        if self._reduce is None:
            self.kept += piece
            return
        piece = self._left + piece
        done = at = 0
        while at < len(piece):
            if self._is_in_string:
                found = _REST_OF_STRING.match(piece, at)
                assert found is not None
                at = found.end()
                if piece[at : at + 1] != b'"':
                    break
                self._is_in_string = False
                at += 1
            mark = _MARK.search(piece, at)
            if mark is None:
                at = len(piece)
                break
            at = mark.end()
            if mark[0] == b'"':
                self._is_in_string = True
            elif mark[0] in b"[{":
                self._depth += 1
                if self._depth == self.LEVEL and mark[0] == b"{":
                    self.kept += piece[done : at - 1]
                    done = at - 1
                    self._object = bytearray()
            else:
                if self._depth == self.LEVEL and self._object is not None:
                    whole = self._object + piece[done:at]
                    done = at
                    self._object = None
                    self.kept += json.dumps(self._reduce(_load(whole))).encode()
                self._depth -= 1
        (self.kept if self._object is None else self._object).extend(piece[done:at])
        self._left = piece[at:]


def _load(data: bytearray) -> Any:
    """Raises ValueError, also for what JSON does not have (NaN), and RecursionError."""

    def refuse(name: str) -> object:
        raise ValueError(f"{name} is no JSON")

    return json.loads(data.decode("utf-8-sig"), parse_constant=refuse)


def _no_json(server: Server, error: Exception) -> Trip2gError:
    if isinstance(error, UnicodeDecodeError):
        return Trip2gError(f"{server.url}: the answer is not UTF-8; see what stands before the server")
    return Trip2gError(f"{server.url}: the answer is no complete JSON; try it again, and see the server's log")


def _data(server: Server, answer: _Answer, what: str) -> dict[str, Any]:
    if not answer.body:
        raise Trip2gError(
            f"{server.url}: the answer is empty; see whether the URL is trip2g's base, and the server's log"
        )
    try:
        value = _load(answer.body)
    except (ValueError, RecursionError) as error:
        raise _no_json(server, error) from None
    if not isinstance(value, dict):
        raise _odd(server, f"it is {_kind(value)} where an object is needed")
    errors = value.get("errors")
    if errors:
        messages = _messages(server, errors)
        more = f", and {len(messages) - 1} more" if len(messages) > 1 else ""
        is_about_rights = _RIGHTS.search(messages[0]) is not None
        mend = _admin(server) if is_about_rights else "see the server's log"
        sentence = f"{server.url}: the server refuses {what} ({messages[0]}{more}); {mend}"
        raise _AnsweredError(sentence, messages, is_about_rights)
    data = value.get("data")
    if answer.status != 200 or not isinstance(data, dict):
        raise _odd(server, f"it has no `data` (status {answer.status})")
    return data


def _messages(server: Server, errors: object) -> list[str]:
    found = errors if isinstance(errors, list) else [errors]
    return [
        _clean(server, str(one["message"]) if isinstance(one, dict) and "message" in one else "it does not say why")
        for one in found
    ]


def _check_type(server: Server, content_type: str) -> None:
    """Raises Trip2gError for what is said to be no JSON."""
    kind, _, parameters = content_type.lower().partition(";")
    kind = kind.strip()
    if kind and kind != "application/json" and not kind.endswith("+json"):
        name = "a web page" if kind in ("text/html", "application/xhtml+xml") else f"`{_clean(server, kind, 60)}`"
        raise Trip2gError(
            f"{server.url}: the server answers with {name}, not with JSON; see whether the URL is trip2g's base"
        )
    charset = re.search(r"charset\s*=\s*\"?([^\s;\"]+)", parameters)
    if charset is not None and charset[1] not in ("utf-8", "utf8", "us-ascii"):
        raise Trip2gError(
            f"{server.url}: the answer is said to be {_clean(server, charset[1], 40)}, and JSON is UTF-8; "
            "see what stands before the server"
        )


@contextmanager
def _redacted_logs(server: Server) -> Iterator[None]:
    """While it lasts, what the libraries log holds no credential: they log headers of answers, and a server may repeat it."""
    credential = server.credential
    if credential is None:
        yield
        return

    def redact(record: logging.LogRecord) -> bool:
        record.msg, record.args = credential.redact(record.getMessage()), ()
        return True

    loggers = [
        logging.getLogger(name) for name in ("httpx", *(f"httpcore.{one}" for one in ("connection", "http11", "proxy")))
    ]
    for logger in loggers:
        logger.addFilter(redact)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(redact)

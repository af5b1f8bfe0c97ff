"""The ways in which the server can fail."""

from __future__ import annotations

import gzip
import json
import zlib
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.trip2g_server.server import Handler


class Failure(Enum):
    # A status 200 with something else than the answer.
    ERRORS = "errors and no data"
    PARTIAL = "errors beside data with nulls in it"
    NULL_DATA = "every field of the data is null"
    WRONG_TYPE = "numbers where lists and objects are needed"
    NO_OBJECT = "JSON that is no object"
    HTML = "a web page"
    EMPTY = "no body"
    TRUNCATED = "JSON that ends in the middle"
    CHARSET = "UTF-16"
    NOT_UTF8 = "bytes that are no UTF-8"
    ZIP_BOMB = "a small body that unpacks into a huge one"
    BROKEN_ZIP = "a body that is said to be packed and is not"
    ENDLESS = "a body without an end"
    # Other statuses.
    SIGN_IN = "a redirect to the sign-in page"
    OTHER_HOST = "a redirect to another host"
    UNAUTHORIZED = 401
    FORBIDDEN = 403
    NOT_FOUND = 404
    TOO_LARGE = 413
    TEAPOT = 418
    TOO_MANY = 429
    INTERNAL = 500
    BAD_GATEWAY = 502
    UNAVAILABLE = 503
    GATEWAY_TIMEOUT = 504
    # No answer, or none of HTTP.
    SILENCE = "nothing, and the connection stays open"
    DRIP = "one byte of a header now and then"
    CLOSED = "the connection is closed before an answer"
    CLOSED_MIDWAY = "the connection is closed in the middle of the body"
    CUT = "the true answer, and the connection is closed before its last bytes"
    NOT_HTTP = "another protocol"


def fail(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:
    """Answer a request by failing. `asked` is the parsed request."""
    _ANSWERS.get(failure, _status)(handler, failure, asked)


def _json(handler: Handler, value: object) -> None:
    handler.reply(200, json.dumps(value).encode())


def _status(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    status = failure.value
    assert isinstance(status, int)
    # A server that knows no tact repeats the credentials that it was sent.
    page = f"<html><h1>{status}</h1>{handler.credentials()}</html>".encode()
    handler.reply(status, page, **{"Content-Type": "text/html", "Retry-After": "7"})


def _errors(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    _json(handler, {"data": None, "errors": [{"message": f"no luck with {handler.credentials()}"}]})


def _partial(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    data = _null_data(str(asked.get("query")))
    _json(handler, {"data": data, "errors": [{"message": "the database is locked", "path": [next(iter(data))]}]})


def _nulls(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    _json(handler, {"data": _null_data(str(asked.get("query")))})


def _wrong_type(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    _json(handler, {"data": dict.fromkeys(_null_data(str(asked.get("query"))), 5)})


def _null_data(query: str) -> dict[str, object]:
    """The fields at the top of a query, each null."""
    from graphql import FieldNode, OperationDefinitionNode, parse

    (operation,) = parse(query).definitions
    assert isinstance(operation, OperationDefinitionNode)
    fields = [one for one in operation.selection_set.selections if isinstance(one, FieldNode)]
    return {(field.alias or field.name).value: None for field in fields}


def _no_object(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    _json(handler, [])


def _html(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.reply(200, b"<!doctype html><title>Welcome</title>", **{"Content-Type": "text/html; charset=utf-8"})


def _empty(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.reply(200, b"")


def _truncated(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.reply(200, b'{"data": {"notePaths": [{"value": "roles/')


def _charset(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.reply(
        200, '{"data": {"notePaths": []}}'.encode("utf-16"), **{"Content-Type": "application/json; charset=utf-16"}
    )


def _not_utf8(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.reply(200, b'{"data": {"notePaths": [{"value": "caf\xe9.md"}]}}')


def _zip_bomb(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.reply(200, _bomb(), **{"Content-Encoding": "gzip"})


def _bomb() -> bytes:
    """1 GiB of blanks, in about 1 MB: a block of deflate that stands by itself, again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(b" " * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return gzip.compress(b"")[:10] + block * (1 << 10)


def _broken_zip(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.reply(200, gzip.compress(b'{"data": {}}')[::-1], **{"Content-Encoding": "gzip"})


def _endless(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.begin(200, **{"Content-Type": "application/json", "Transfer-Encoding": "chunked"})
    chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
    while not handler.over():
        handler.wfile.write(chunk)


def _sign_in(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.reply(302, b"", Location=f"/signin?back=/_system/graphql&was={handler.credentials()}")


def _other_host(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.reply(307, b"", Location=handler.trip2g.redirects_to)


def _silence(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.wait()


def _drip(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not handler.wait(0.05):
        handler.wfile.write(b"a")


def _closed(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.close()


def _closed_midway(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.begin(200, **{"Content-Type": "application/json", "Content-Length": "1000"})
    handler.wfile.write(b'{"data": {"notePaths": [')
    handler.close()


def _not_http(handler: Handler, failure: Failure, asked: dict[str, object]) -> None:  # noqa: ARG001
    handler.wfile.write(b"220 mail.example.org ESMTP\r\n\r\n")
    handler.close()


_ANSWERS = {
    Failure.ERRORS: _errors,
    Failure.PARTIAL: _partial,
    Failure.NULL_DATA: _nulls,
    Failure.WRONG_TYPE: _wrong_type,
    Failure.NO_OBJECT: _no_object,
    Failure.HTML: _html,
    Failure.EMPTY: _empty,
    Failure.TRUNCATED: _truncated,
    Failure.CHARSET: _charset,
    Failure.NOT_UTF8: _not_utf8,
    Failure.ZIP_BOMB: _zip_bomb,
    Failure.BROKEN_ZIP: _broken_zip,
    Failure.ENDLESS: _endless,
    Failure.SIGN_IN: _sign_in,
    Failure.OTHER_HOST: _other_host,
    Failure.SILENCE: _silence,
    Failure.DRIP: _drip,
    Failure.CLOSED: _closed,
    Failure.CLOSED_MIDWAY: _closed_midway,
    Failure.NOT_HTTP: _not_http,
}

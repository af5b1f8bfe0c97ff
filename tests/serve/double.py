"""A trip2g that answers whatever a test wants it to, byte by byte, and remembers what it was sent."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GUEST, USER, ADMIN = (json.dumps({"data": {"viewer": {"role": role}}}).encode() for role in ("GUEST", "USER", "ADMIN"))


class Asked(NamedTuple):
    """A request as it came: its first line, its headers with names in small letters, and its body."""

    line: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes

    def values(self, name: bytes) -> list[bytes]:
        return [value for found, value in self.headers if found == name]


def answer(body: bytes, *, status: str = "200 OK", headers: str = "") -> bytes:
    """A response, complete."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n{headers}\r\n"
    return head.encode() + body


class Double:
    """Listens on a port, a free one by default. `reply` gets a request and gives the bytes of a response, at once or in parts, or None to say
    nothing until the double is closed. Each connection serves one request, and ends."""

    def __init__(self, port: int = 0) -> None:
        self.reply: Callable[[Asked], bytes | Iterator[bytes] | None] = lambda _: answer(ADMIN)
        self.asked: list[Asked] = []
        self._over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Nothing can connect any more."""
        self._over.set()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            data = b""
            while b"\r\n\r\n" not in data:
                part = connection.recv(65_536)
                if not part:
                    return
                data += part
            head, _, body = data.partition(b"\r\n\r\n")
            line, *rest = head.split(b"\r\n")
            headers = [(name.lower(), value.strip()) for name, _, value in (field.partition(b":") for field in rest)]
            size = int(dict(headers).get(b"content-length", b"0"))
            while len(body) < size:
                body += connection.recv(65_536)
            asked = Asked(line, headers, body)
            self.asked.append(asked)
            response = self.reply(asked)
            if response is None:
                self._over.wait()
                return
            for part in (response,) if isinstance(response, bytes) else response:
                connection.sendall(part)

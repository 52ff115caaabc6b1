"""A listener between a client and a door: it keeps every request and its status, and can take a reply away."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, NamedTuple

from tests.support.client import Send

# What belongs to one connection, or is made anew for the next one.
_OF_THE_CONNECTION = {"host", "connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


class Recorded(NamedTuple):
    """A request as it came, header names in lower case, and the status of its answer."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    status: int
    reply_lost: bool

    @property
    def same(self) -> tuple[object, ...]:
        """What a request has in common with its repetitions: all but the client's own account of them."""
        headers = frozenset(item for item in self.headers.items() if not item[0].startswith("x-stainless-"))
        return self.method, self.target, headers, self.body


class Recorder:
    """Hands requests on to a door. The first reply to a body that holds `lost` never arrives."""

    def __init__(self, door: Send, lost: bytes) -> None:
        self.requests: list[Recorded] = []
        self._door = door
        self._lost = lost

    def hand_on(
        self, method: str, target: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes] | None:
        """The door's answer, or None where it is to be lost."""
        status, answered, raw = self._door(method, target, _kept(headers), body or None)
        seen = {request.same for request in self.requests}
        recorded = Recorded(method, target, headers, body, status, reply_lost=False)
        if self._lost in body and recorded.same not in seen:
            recorded = recorded._replace(reply_lost=True)
        self.requests.append(recorded)
        return None if recorded.reply_lost else (status, _kept(answered), raw)


@contextmanager
def recording(door: Send, lost: str) -> Iterator[tuple[str, Recorder]]:
    """A recorder before this door, and its base URL."""
    recorder = Recorder(door, lost.encode())

    class Handler(_Handler):
        record = recorder

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", recorder
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    record: ClassVar[Recorder]

    def _answer(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(int(headers.get("content-length", 0)))
        answer = self.record.hand_on(self.command, self.path, headers, body)
        if answer is None:
            self.close_connection = True
            return
        status, answered, raw = answer
        self.send_response_only(status)
        for name, value in answered.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 - names of the standard library

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed: the requests are kept."""


def _kept(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in _OF_THE_CONNECTION}

"""A small HTTP client that checks, on every answer, what the contract promises of every answer."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode

from tests.support import published

REQUEST_ID = re.compile(r"req_[0-9A-Za-z_-]+")

Query = str | Mapping[str, Any] | Sequence[tuple[str, Any]]


class Send(Protocol):
    """Carries one request to a door and answers `(status, headers, body)`, header names in lower case."""

    def __call__(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, dict[str, str], bytes]: ...


@dataclass(frozen=True)
class Answer:
    """One response: `json` is the parsed body, `headers` have lower-case names."""

    status: int
    headers: dict[str, str]
    text: str
    json: Any

    @property
    def error(self) -> dict[str, Any]:
        """The `error` object of an error's envelope."""
        assert self.status >= 400, f"expected an error, got {self.status}: {self.text[:500]}"
        return dict(self.json["error"])

    @property
    def failure(self) -> tuple[int, str]:
        """`(status, error.type)`: what most refusals are compared with."""
        return self.status, self.error["type"]


class Client:
    """Requests through one door, as one caller. Immutable: the `with_…` methods answer a new client."""

    def __init__(
        self, send: Send, key: str | None = None, *, key_id: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send = send
        self.key = key
        self.key_id = key_id
        self.headers = dict(headers or {})

    def with_key(self, secret: str | None, key_id: str | None = None) -> Client:
        """The same door with another key, or with none."""
        return Client(self.send, secret, key_id=key_id, headers=self.headers)

    def with_headers(self, **headers: str) -> Client:
        """The same caller with further headers; `_` in a name stands for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Client(self.send, self.key, key_id=self.key_id, headers={**self.headers, **named})

    def request(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        data: bytes | str | None = None,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request. `json` is encoded, `data` sent as it is; a `query` string goes raw, others encoded."""
        body = data.encode() if isinstance(data, str) else data
        if json is not None:
            body = jsonlib.dumps(json, ensure_ascii=False).encode()
        sent = dict(self.headers)
        if body is not None:
            sent.setdefault("content-type", "application/json")
        if self.key is not None:
            sent["x-api-key"] = self.key
        sent.update(headers or {})
        status, answered, raw = self.send(method, _target(path, query), sent, body)
        answer = _checked(status, answered, raw)
        published.check(method, path, status, answered, answer.json)
        return answer

    def get(self, path: str, query: Query | None = None, **options: Any) -> Answer:
        return self.request("GET", path, query=query, **options)

    def post(self, path: str, json: Any = None, **options: Any) -> Answer:
        return self.request("POST", path, json=json, **options)

    def delete(self, path: str, query: Query | None = None, **options: Any) -> Answer:
        return self.request("DELETE", path, query=query, **options)

    def walk(self, path: str, query: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """All items of a list, page after page; fails where a page is not 200 or a cursor comes twice."""
        items: list[dict[str, Any]] = []
        page: dict[str, Any] = {}
        seen: set[str] = set()
        while True:
            answer = ok(self.get(path, {**(query or {}), **page}))
            items += answer["data"]
            if answer["next_page"] is None:
                return items
            assert answer["next_page"] not in seen, "a cursor came twice"
            seen.add(answer["next_page"])
            page = {"page": answer["next_page"]}


def ok(answer: Answer) -> Any:
    """The parsed body of a 200."""
    assert answer.status == 200, f"{answer.status}: {answer.text[:1000]}"
    return answer.json


def _target(path: str, query: Query | None) -> str:
    if not query:
        return path
    return f"{path}?{query if isinstance(query, str) else urlencode(query, doseq=True)}"


def _checked(status: int, headers: dict[str, str], raw: bytes) -> Answer:
    text = raw.decode()
    assert headers.get("content-type", "").startswith("application/json"), (status, headers, text[:500])
    answer = Answer(status, headers, text, jsonlib.loads(text))
    request_id = headers.get("request-id", "")
    assert REQUEST_ID.fullmatch(request_id), f"{status} without a request-id header: {headers}"
    if status >= 400:
        assert set(answer.json) == {"type", "error", "request_id"}, text
        assert answer.json["type"] == "error", text
        assert answer.json["request_id"] == request_id, text
        assert isinstance(answer.error["type"], str), text
        assert isinstance(answer.error["message"], str), text
        assert answer.error["message"], "an error says what is wrong"
    else:
        assert status == 200, f"success is 200, not {status}"
    if status == 409:
        assert headers.get("x-should-retry") == "false", "the SDKs would post a 409 three times"
    if status in (429, 503):
        assert int(headers["retry-after"]) >= 0, headers
    return answer

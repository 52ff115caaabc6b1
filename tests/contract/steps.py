"""What the contract tests do to a store, in one line each: calls, walks over pages, checks of an error."""

import hashlib
from collections.abc import Iterator
from typing import Any

from tests.support.client import Answer, Client, ok

Json = dict[str, Any]

RFC3339_MILLISECONDS = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"

INVALID = (400, "invalid_request_error")
UNAUTHENTICATED = (401, "authentication_error")
FORBIDDEN = (403, "permission_error")
NOT_FOUND = (404, "not_found_error")
PATH_CONFLICT = (409, "memory_path_conflict_error")
PRECONDITION_FAILED = (409, "memory_precondition_failed_error")
TOO_LARGE = (413, "request_too_large")


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def guard(text: str) -> Json:
    """The precondition, as the SDKs send it, that the current content is this text."""
    return {"type": "content_sha256", "content_sha256": sha256(text)}


MALFORMED_SHAS = [
    "",
    "abc",
    sha256("one")[:-1],
    sha256("one") + "0",
    sha256("one") + "\n",
    sha256("one").upper(),
    "g" * 64,
    "٣" * 64,
]


def refused(answer: Answer, error: tuple[int, str], *mentions: str) -> Json:
    """The `error` object of an answer that must be this refusal, with a message that mentions each of the words."""
    assert answer.status >= 400, f"not refused: {answer.text[:500]}"
    details = answer.error
    assert answer.failure == error, answer.text[:500]
    for word in mentions:
        assert word in details["message"], f"{word!r} is not mentioned: {details['message']!r}"
    return details


def conflict(answer: Answer, path: str, memory_id: str) -> None:
    """The answer must be a path conflict that names this path and this memory (empty: a directory is in the way)."""
    details = refused(answer, PATH_CONFLICT)
    assert (details["conflicting_path"], details["conflicting_memory_id"]) == (path, memory_id)


def pages(api: Client, url: str, **query: Any) -> Iterator[Json]:
    """Each page of a list, from the first to the one without `next_page`."""
    page = ok(api.get(url, query=query))
    yield page
    for _ in range(1000):
        if page["next_page"] is None:
            return
        page = ok(api.get(url, query=query | {"page": page["next_page"]}))
        yield page
    raise AssertionError("the walk does not end")


def walk(api: Client, url: str, **query: Any) -> list[Json]:
    """All items of a list, over all its pages."""
    return api.walk(url, query)


class StoreClient:
    """One store, seen by one caller."""

    def __init__(self, api: Client, store_id: str) -> None:
        self.api = api
        self.id = store_id
        self.url = f"/v1/memory_stores/{store_id}"
        self.memories_url = f"{self.url}/memories"
        self.versions_url = f"{self.url}/memory_versions"

    def create(self, path: str, content: str = "text", **query: Any) -> Answer:
        return self.api.post(self.memories_url, json={"path": path, "content": content}, query=query)

    def created(self, path: str, content: str = "text") -> Json:
        """A new memory: its JSON with content."""
        return dict(ok(self.create(path, content, view="full")))

    def update(self, memory_id: str, body: Json, **query: Any) -> Answer:
        return self.api.post(f"{self.memories_url}/{memory_id}", json=body, query=query)

    def get(self, memory_id: str, **query: Any) -> Answer:
        return self.api.get(f"{self.memories_url}/{memory_id}", query=query)

    def delete(self, memory_id: str, **query: Any) -> Answer:
        return self.api.delete(f"{self.memories_url}/{memory_id}", query=query)

    def list_memories(self, **query: Any) -> Answer:
        return self.api.get(self.memories_url, query=query)

    def list_versions(self, **query: Any) -> Answer:
        return self.api.get(self.versions_url, query=query)

    def version(self, version_id: str, **query: Any) -> Answer:
        return self.api.get(f"{self.versions_url}/{version_id}", query=query)

    def redact(self, version_id: str) -> Answer:
        return self.api.post(f"{self.versions_url}/{version_id}/redact")

    def restore(self, version_id: str) -> Answer:
        return self.api.post(f"{self.versions_url}/{version_id}/restore")

    def archive(self) -> Json:
        return dict(ok(self.api.post(f"{self.url}/archive")))

    def paths(self) -> list[str]:
        """The path of every living memory, in listed order."""
        return [item["path"] for item in walk(self.api, self.memories_url, limit=100)]

    def history(self, **query: Any) -> list[Json]:
        """Every version that the filters let through, in listed order (newest first), with content."""
        return walk(self.api, self.versions_url, **({"view": "full"} | query))

    def snapshot(self) -> tuple[Json, list[Json], list[Json]]:
        """Everything a reader can see of the store: to prove that a refused request changed nothing."""
        memories = walk(self.api, self.memories_url, view="full")
        return ok(self.api.get(self.url)), memories, self.history()


def fill(notes: StoreClient, *paths: str) -> list[Json]:
    """New memories at these paths."""
    return [notes.created(path) for path in paths]


def names(items: list[Json]) -> list[str]:
    """The path of each item; those of folded directories end with a slash."""
    for item in items:
        if item["type"] == "memory_prefix":
            assert item == {"type": "memory_prefix", "path": item["path"]}
            assert item["path"].endswith("/")
        else:
            assert item["type"] == "memory"
            assert not item["path"].endswith("/")
    return [item["path"] for item in items]


def full_pages(items: int, limit: int) -> list[int]:
    """The sizes of the pages of a list: all full but the last, and only an empty list has an empty one."""
    whole, rest = divmod(items, limit)
    return [limit] * whole + [rest] * (rest > 0) or [0]

"""Every write of the API on a store of its own, and what a reader sees before and after it: for faults at any call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tests.contract.conftest import STORES
from tests.contract.steps import Json, StoreClient, sha256
from tests.support.client import Answer, Client, ok

API_KEYS = "/v1/api_keys"


@dataclass(frozen=True)
class Scene:
    """A store with `/a` (two versions, `old` and `new`), `/gone` (deleted) and a key that nobody uses."""

    notes: StoreClient
    a: Json
    gone: Json
    key_id: str

    @property
    def api(self) -> Client:
        return self.notes.api

    @classmethod
    def set_up(cls, api: Client) -> Scene:
        notes = StoreClient(api, ok(api.post(STORES, {"name": "Notes"}))["id"])
        a, gone = notes.created("/a", "old"), notes.created("/gone", "gone")
        ok(notes.update(a["id"], {"content": "new"}))
        ok(notes.delete(gone["id"]))
        return cls(notes, a, gone, ok(api.post(API_KEYS, {"name": "unused", "role": "read_only"}))["id"])

    def tear_down(self) -> None:
        """Make room: a workspace holds so many stores."""
        assert self.api.delete(self.notes.url).status in (200, 404)

    def seen(self) -> Json:
        """The store as a reader sees it, without what differs from store to store; fails where it is no whole."""
        store = self.api.get(self.notes.url)
        if store.status == 404:
            return {}
        memories = self.api.walk(self.notes.memories_url, {"view": "full"})
        versions = self.notes.history()
        check_whole(self.notes, memories, versions)
        return {
            "store": (ok(store)["name"], ok(store)["archived_at"] is not None),
            "memories": [(memory["path"], memory["content"]) for memory in memories],
            "versions": sorted((v["operation"], str(v["path"]), str(v["content"])) for v in versions),
        }

    def counts(self) -> tuple[int, int]:
        """How many stores and keys the workspace has."""
        return len(self.api.walk(STORES, {"include_archived": "true"})), len(self.api.walk(API_KEYS))


def check_whole(notes: StoreClient, memories: list[Json], versions: list[Json]) -> None:
    """Nothing half-written: each memory stands on its newest version, each text is the one its digest says."""
    newest: dict[str, Json] = {}
    for version in versions:
        newest.setdefault(version["memory_id"], version)
        if version["content"] is not None:
            assert sha256(version["content"]) == version["content_sha256"]
        else:
            assert version["operation"] == "deleted" or version["redacted_at"]
    for memory in memories:
        assert ok(notes.get(memory["id"])) == memory
        assert sha256(memory["content"]) == memory["content_sha256"]
        head = newest[memory["id"]]
        assert (memory["memory_version_id"], memory["path"]) == (head["id"], head["path"])
        assert memory["content"] == head["content"]
    living = {memory_id for memory_id, version in newest.items() if version["operation"] != "deleted"}
    assert living == {memory["id"] for memory in memories}


Write = Callable[[Scene], Answer]

MEMORY_WRITES: dict[str, Write] = {
    "create": lambda scene: scene.notes.create("/x/y", "text"),
    "create_again": lambda scene: scene.notes.create("/gone", "text"),
    "update": lambda scene: scene.notes.update(scene.a["id"], {"content": "newer"}),
    "rename": lambda scene: scene.notes.update(scene.a["id"], {"path": "/d/b"}),
    "update_and_rename": lambda scene: scene.notes.update(scene.a["id"], {"content": "newer", "path": "/b"}),
    "delete": lambda scene: scene.notes.delete(scene.a["id"]),
    "restore": lambda scene: scene.notes.restore(scene.a["memory_version_id"]),
    "restore_deleted": lambda scene: scene.notes.restore(scene.gone["memory_version_id"]),
}
OTHER_WRITES: dict[str, Write] = {
    "redact": lambda scene: scene.notes.redact(scene.a["memory_version_id"]),
    "create_store": lambda scene: scene.api.post(STORES, {"name": "another"}),
    "update_store": lambda scene: scene.api.post(scene.notes.url, {"name": "new"}),
    "archive_store": lambda scene: scene.api.post(f"{scene.notes.url}/archive"),
    "delete_store": lambda scene: scene.api.delete(scene.notes.url),
    "create_api_key": lambda scene: scene.api.post(API_KEYS, {"name": "new", "role": "admin"}),
    "delete_api_key": lambda scene: scene.api.delete(f"{API_KEYS}/{scene.key_id}"),
}
WRITES = MEMORY_WRITES | OTHER_WRITES


class Visible(Protocol):
    """What a write changes: `seen` is all that a reader sees of it, `counts` how many things of two kinds there are."""

    def seen(self) -> Json: ...

    def counts(self) -> tuple[int, int]: ...


Thing = TypeVar("Thing", bound=Visible)


@dataclass(frozen=True)
class Rehearsal:
    """A write where all goes well: what a reader sees before and after, how the counts move, and its AWS calls."""

    before: Json
    done: Json
    more: tuple[int, int]
    calls: list[str]

    @classmethod
    def of(cls, write: Callable[[Thing], Answer], scene: Thing, operations: list[str]) -> Rehearsal:
        before, counted = scene.seen(), scene.counts()
        start = len(operations)
        ok(write(scene))
        calls = operations[start:]
        first, second = scene.counts()
        return cls(before, scene.seen(), (first - counted[0], second - counted[1]), calls)

    @property
    def turns(self) -> list[int]:
        """The numbers, from 1, of the calls to stop at: of a run of equal ones, the first two and the last."""
        named = [None, None, *self.calls, None]
        return [
            number
            for number in range(1, len(self.calls) + 1)
            if not named[number - 1] == named[number] == named[number + 1] == named[number + 2]
        ]

"""A workspace with one thing of each kind in it, and proof that a refused request changed none of them."""

import json
from typing import Any

from tests.contract.agents import KINDS, Binder, create_session, mount
from tests.contract.steps import INVALID, Json, StoreClient, refused
from tests.support.client import Answer, Client, ok

# Every post with arguments: its path and a body it accepts.
POSTS: dict[str, tuple[str, Json]] = {
    "create store": ("/v1/memory_stores", {"name": "New"}),
    "update store": ("/v1/memory_stores/{store}", {"name": "Renamed"}),
    "create memory": ("/v1/memory_stores/{store}/memories", {"path": "/new", "content": "new"}),
    "update memory": ("/v1/memory_stores/{store}/memories/{memory}", {"content": "new"}),
    "create key": ("/v1/api_keys", {"name": "New", "role": "read_only"}),
    "create session": ("/v1/sessions", {"agent": "note-taker", "environment_id": "env_local"}),
    "create credentials": ("/v1/sessions/{session}/credentials", {"type": "bearer"}),
}
# Every post without: its path.
BARE_POSTS = {
    "archive": "/v1/memory_stores/{store}/archive",
    "redact": "/v1/memory_stores/{store}/memory_versions/{version}/redact",
    "restore": "/v1/memory_stores/{store}/memory_versions/{version}/restore",
    "archive session": "/v1/sessions/{session}/archive",
}


class Place:
    """A store with one memory and an old version of it, a key, a session, a deployment and a bot; `ids` fills the
    placeholders of a path."""

    def __init__(self, api: Client, store_id: str) -> None:
        self.api = api
        self.notes = StoreClient(api, store_id)
        memory = self.notes.created("/a", "one")
        ok(self.notes.update(memory["id"], {"content": "two"}))
        key = ok(api.post("/v1/api_keys", json={"name": "Mine", "role": "read_only"}))
        session = ok(create_session(api, mount(store_id)))
        self.binders = [Binder(api, kind, f"{kind}-{session['id'].removeprefix('sesn_')}") for kind in KINDS]
        for binder in self.binders:
            binder.attached(store_id)
        self.ids: dict[str, str] = {
            "store": store_id,
            "memory": memory["id"],
            "version": memory["memory_version_id"],
            "key": key["id"],
            "session": session["id"],
            **{binder.field.removesuffix("_id"): binder.id for binder in self.binders},
        }
        self.before = self.everything()

    def everything(self) -> object:
        """What any change would show in: a memory cannot change without a version."""
        urls = ("/v1/memory_stores", "/v1/api_keys", "/v1/sessions")
        lists = [self.api.walk(url, {"include_archived": "true"}) for url in urls]
        return lists, [binder.resources() for binder in self.binders], self.notes.history()

    def assert_untouched(self) -> None:
        assert self.everything() == self.before

    def url(self, path: str, **ids: str) -> str:
        return path.format(**(self.ids | ids))

    def post(self, path: str, data: str | bytes | None, **headers: str) -> Answer:
        """Send this text as the body."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.api.request("POST", self.url(path), data=data, headers=named)

    def refuses(self, path: str, data: str | bytes | None, *mentions: str, **headers: str) -> None:
        """The body is answered with 400 and a message that mentions these words."""
        answer = self.post(path, data, **headers)
        assert answer.status == 400, f"{path} {data[:80] if data else data!r}: {answer.status} {answer.text[:300]}"
        refused(answer, INVALID, *mentions)


def with_raw(body: Json, field: str, raw: str) -> str:
    """The body as JSON text, with this field's value written as it is."""
    others: list[Any] = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in body.items() if name != field]
    return "{" + ", ".join([f'"{field}": {raw}', *others]) + "}"

"""Cases from the field that have no file of their own: 30, 32 to 34 and 41 to 47."""

from collections.abc import Callable

import pytest

from tests.contract.agents import Binder, MakeAgent, MakeSession, each_door, each_kind_and_door, mount, paths_of
from tests.contract.conftest import STORES
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, Json, StoreClient, pages, refused, sha256
from tests.support.backend import Backend
from tests.support.client import Answer, Client, ok
from tests.support.logs import Logs
from tests.support.moto_backend import MotoBackend
from tests.support.parallel import run_parallel

SECRET = "sk-this-must-be-found-nowhere"


# --- 30: a stage or a mapping before the path ---


@pytest.mark.moto_only
@pytest.mark.parametrize(
    ("stage", "base_path"), [("prod", "/prod"), ("v1", "/v1"), ("$default", "/memory"), ("prod", "/team/memory")]
)
def test_case_30_a_named_stage_or_a_custom_domain_changes_no_answer(
    moto: MotoBackend, api: Client, notes: StoreClient, stage: str, base_path: str
) -> None:
    memory = notes.created("/a", "text")
    there = Client(moto.key_gateway(stage=stage, base_path=base_path), api.key)
    requests = [
        ("GET", STORES, None),
        ("GET", notes.url, None),
        ("GET", notes.memories_url, None),
        ("GET", f"{notes.memories_url}/{memory['id']}", None),
        ("GET", notes.versions_url, None),
        ("GET", f"{notes.versions_url}/{memory['memory_version_id']}", None),
        ("POST", notes.memories_url, {"path": "/a", "content": "again"}),
        ("POST", f"{notes.versions_url}/{memory['memory_version_id']}/redact", None),
        ("GET", "/v1/api_keys", None),
        ("GET", "/nowhere", None),
        ("PUT", STORES, None),
        ("PATCH", f"{notes.memories_url}/{memory['id']}", None),
    ]
    for method, path, body in requests:
        here = api.request(method, path, json=body)
        answer = there.request(method, path, json=body)
        assert (answer.status, comparable(answer)) == (here.status, comparable(here)), f"{method} {path}"
        assert answer.headers.get("allow") == here.headers.get("allow")
    created = ok(StoreClient(there, notes.id).create("/b"))
    assert ok(notes.get(created["id"]))["path"] == "/b"


def comparable(answer: Answer) -> Json:
    """What must not depend on the way: all of a success, an error but for its words, which may name the path."""
    if answer.status >= 400:
        return {name: value for name, value in answer.error.items() if name != "message"}
    return dict(answer.json)


# --- 32 to 34: filters, exact pages, cursors ---


def test_case_32_a_rare_match_comes_on_the_first_page_and_no_empty_page_follows(notes: StoreClient) -> None:
    doomed = notes.created("/doomed")
    ok(notes.delete(doomed["id"]))
    busy = [notes.created(f"/busy/{i}")["id"] for i in range(8)]

    def rewrite(memory_id: str) -> None:
        for i in range(17):
            ok(notes.update(memory_id, {"content": f"text {i}"}))

    run_parallel([lambda m=m: rewrite(m) for m in busy])  # type: ignore[misc]
    assert len(notes.history(view="basic", limit=100)) == 2 + 8 * 18
    found = list(pages(notes.api, notes.versions_url, operation="deleted", limit=1))
    assert [[version["memory_id"] for version in page["data"]] for page in found] == [[doomed["id"]]]
    mixed = list(pages(notes.api, notes.versions_url, operation="created", memory_id=doomed["id"], limit=1))
    assert [[version["id"] for version in page["data"]] for page in mixed] == [[doomed["memory_version_id"]]]


@pytest.mark.parametrize("view", ["basic", "full"])
def test_case_33_exactly_a_page_has_no_ghost_page_after_it(notes: StoreClient, view: str) -> None:
    created = run_parallel([lambda i=i: ok(notes.create(f"/{i:02}")) for i in range(20)])  # type: ignore[misc]
    memories = ok(notes.list_memories(limit=20, view=view))
    assert [item["path"] for item in memories["data"]] == [f"/{i:02}" for i in range(20)]
    assert memories["next_page"] is None
    versions = ok(notes.list_versions(limit=20, view=view))
    assert {version["id"] for version in versions["data"]} == {memory["memory_version_id"] for memory in created}
    assert versions["next_page"] is None


def test_case_34_a_cursor_of_one_store_is_refused_by_another(api: Client, notes: StoreClient) -> None:
    other = StoreClient(api, ok(api.post(STORES, {"name": "other"}))["id"])
    for each in (notes, other):
        for i in range(3):
            ok(each.create(f"/{i}"))
    memories = ok(notes.list_memories(limit=1))["next_page"]
    versions = ok(notes.list_versions(limit=1))["next_page"]
    ok(notes.list_memories(limit=1, page=memories))
    ok(notes.list_versions(limit=1, page=versions))
    refused(other.list_memories(limit=1, page=memories), INVALID, "page")
    refused(other.list_versions(limit=1, page=versions), INVALID, "page")
    refused(notes.list_versions(limit=1, page=memories), INVALID, "page")
    refused(notes.list_memories(limit=1, page=versions), INVALID, "page")


# --- 42 to 44: erasure ---


def test_case_42_redacting_every_version_leaves_the_secret_nowhere(backend: Backend, notes: StoreClient) -> None:
    memory = notes.created("/a", f"{SECRET} 0")
    for i in range(1, 5):
        ok(notes.update(memory["id"], {"content": f"{SECRET} {i}"}))
    head, *older = notes.history()
    assert len(older) == 4
    assert backend.traces_of(SECRET), "the secret is found before it is erased"
    for version in older:
        ok(notes.redact(version["id"]))
    refused(notes.redact(head["id"]), INVALID)
    ok(notes.update(memory["id"], {"content": "clean"}))
    ok(notes.redact(head["id"]))
    assert backend.traces_of(SECRET) == []
    for i in range(5):
        assert backend.traces_of(sha256(f"{SECRET} {i}")) == [], "the digest of a short secret can be guessed"
    for version in notes.history()[1:]:
        erased = [version[field] for field in ("content", "path", "content_sha256", "content_size_bytes")]
        assert erased == [None] * 4
        assert version["redacted_at"]
    assert ok(notes.get(memory["id"]))["content"] == "clean"


@pytest.mark.moto_only
def test_case_42_the_secret_is_in_no_log_either(notes: StoreClient, logs: Logs) -> None:
    memory = notes.created("/a", SECRET)
    ok(notes.update(memory["id"], {"content": "clean"}))
    ok(notes.redact(memory["memory_version_id"]))
    ok(notes.redact(memory["memory_version_id"]))
    refused(notes.restore(memory["memory_version_id"]), INVALID)
    assert logs.records
    assert SECRET not in logs.text
    assert sha256(SECRET) not in logs.text


def test_case_43_the_last_text_of_a_deleted_memory_can_be_erased(backend: Backend, notes: StoreClient) -> None:
    memory = notes.created("/a", SECRET)
    ok(notes.delete(memory["id"]))
    assert backend.traces_of(SECRET)
    redacted = ok(notes.redact(memory["memory_version_id"]))
    assert (redacted["content"], redacted["path"]) == (None, None)
    assert backend.traces_of(SECRET) == []
    assert backend.traces_of(sha256(SECRET)) == []
    assert [version["operation"] for version in notes.history()] == ["deleted", "created"]


@pytest.mark.parametrize("deleted", [False, True])
def test_case_44_what_was_erased_cannot_be_restored(backend: Backend, notes: StoreClient, deleted: bool) -> None:
    memory = notes.created("/a", SECRET)
    ok(notes.update(memory["id"], {"content": "clean"}))
    if deleted:
        ok(notes.delete(memory["id"]))
    ok(notes.redact(memory["memory_version_id"]))
    before = notes.snapshot()
    refused(notes.restore(memory["memory_version_id"]), INVALID)
    assert notes.snapshot() == before
    assert backend.traces_of(SECRET) == []
    if deleted:
        refused(notes.get(memory["id"]), NOT_FOUND)


# --- 41 and 45 to 47: sessions ---


@each_door
def test_case_41_a_read_only_session_changes_nothing_whatever_its_client_tries(
    notes: StoreClient, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    memory = notes.created("/a", "one")
    ok(notes.update(memory["id"], {"content": "two"}))
    theirs = StoreClient(agent(make_session(mount(notes.id, "read_only")), door), notes.id)
    before = notes.snapshot()
    for answer in (
        theirs.create("/b"),
        theirs.update(memory["id"], {"content": "three"}),
        theirs.update(memory["id"], {"path": "/b"}),
        theirs.delete(memory["id"]),
        theirs.restore(memory["memory_version_id"]),
        theirs.redact(memory["memory_version_id"]),
        theirs.api.post(theirs.url, {"name": "Mine"}),
        theirs.api.post(f"{theirs.url}/archive"),
        theirs.api.delete(theirs.url),
    ):
        refused(answer, FORBIDDEN)
    assert notes.snapshot() == before
    assert theirs.snapshot() == before


def test_case_45_a_session_of_a_deployment_has_all_its_stores(
    api: Client, make_store: Callable[..., Json], make_session: MakeSession, binder: Binder, agent: MakeAgent
) -> None:
    one, two = make_store("One")["id"], make_store("Two")["id"]
    attached = [binder.attached(one), binder.attached(two, "read_only")]
    session = make_session(**binder.reference)
    assert sorted(session["resources"], key=lambda each: str(each["name"])) == attached
    assert session[binder.field] == binder.id
    running = agent(session)
    assert [store["id"] for store in running.walk(STORES)] == [two, one]
    ok(StoreClient(running, one).create("/a"))
    ok(StoreClient(running, two).list_memories())
    refused(StoreClient(running, two).create("/a"), FORBIDDEN)


@each_kind_and_door
def test_case_46_a_detached_store_is_closed_to_a_running_agent_at_once(
    notes: StoreClient, make_session: MakeSession, binder: Binder, agent: MakeAgent, door: str
) -> None:
    binder.attached(notes.id)
    running = agent(make_session(**binder.reference), door)
    theirs = StoreClient(running, notes.id)
    memory = theirs.created("/a")
    ok(binder.detach(notes.id))
    before = notes.snapshot()
    for answer in (
        theirs.create("/b"),
        theirs.update(memory["id"], {"content": "new"}),
        theirs.delete(memory["id"]),
        theirs.get(memory["id"]),
        theirs.list_memories(),
        theirs.list_versions(),
        theirs.version(memory["memory_version_id"]),
        theirs.restore(memory["memory_version_id"]),
        running.get(theirs.url),
    ):
        refused(answer, FORBIDDEN)
    assert running.walk(STORES) == []
    assert notes.snapshot() == before


def test_case_47_two_stores_with_one_name_have_two_folders(
    make_store: Callable[..., Json], make_session: MakeSession, binder: Binder
) -> None:
    stores = [make_store("Notes")["id"] for _ in range(3)]
    wanted = ["/mnt/memory/notes", "/mnt/memory/notes-2", "/mnt/memory/notes-3"]
    assert paths_of(make_session(*map(mount, stores))["resources"]) == wanted
    assert [binder.attached(store_id)["mount_path"] for store_id in stores] == wanted
    assert sorted(paths_of(make_session(**binder.reference)["resources"])) == wanted

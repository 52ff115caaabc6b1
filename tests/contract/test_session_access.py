"""What an agent does with the stores of its session, and as whom: every call is checked, on either door."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.contract.agents import (
    NOBODY,
    Binder,
    MakeAgent,
    MakeSession,
    SessionClient,
    create_session,
    each_door,
    mount,
)
from tests.contract.conftest import STORES, MakeKey
from tests.contract.steps import FORBIDDEN, INVALID, NOT_FOUND, Json, StoreClient, refused
from tests.support.client import Client, ok


@pytest.mark.parametrize("door", ["key", "signed"])
def test_an_agent_works_in_its_store(
    notes: StoreClient, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    theirs = StoreClient(agent(make_session(mount(notes.id)), door), notes.id)
    memory = theirs.created("/a", "one")
    assert ok(theirs.get(memory["id"])) == memory
    ok(theirs.update(memory["id"], {"content": "two", "path": "/b"}))
    ok(theirs.restore(memory["memory_version_id"]))
    assert theirs.paths() == ["/b"]
    assert [version["operation"] for version in theirs.history()] == ["modified", "modified", "created"]
    assert ok(theirs.version(memory["memory_version_id"]))["content"] == "one"
    ok(theirs.delete(memory["id"]))
    assert notes.paths() == []


@pytest.mark.parametrize("door", ["key", "signed"])
def test_an_agent_that_reads_only_reads(
    notes: StoreClient, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    memory = notes.created("/a", "one")
    theirs = StoreClient(agent(make_session(mount(notes.id, "read_only")), door), notes.id)
    assert theirs.snapshot() == notes.snapshot()
    assert ok(theirs.get(memory["id"])) == memory
    assert theirs.api.walk(STORES) == [ok(notes.api.get(notes.url))]


@each_door
def test_each_store_has_its_own_access(
    make_store: Callable[..., Json], make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    accesses = ["read_only", "read_write", "read_only", None]
    stores = [make_store(f"{number}")["id"] for number in range(4)]
    running = agent(make_session(*map(mount, stores, accesses)), door)
    for store_id, access in zip(stores, accesses, strict=True):
        theirs = StoreClient(running, store_id)
        ok(theirs.list_memories())
        answer = theirs.create("/a")
        if access == "read_only":
            refused(answer, FORBIDDEN)
        else:
            ok(answer)


@each_door
def test_sessions_that_share_a_store_have_their_own_access(
    notes: StoreClient, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    writer, reader = (agent(make_session(mount(notes.id, access)), door) for access in ("read_write", "read_only"))
    memory = StoreClient(writer, notes.id).created("/a")
    assert ok(StoreClient(reader, notes.id).get(memory["id"])) == memory
    refused(StoreClient(reader, notes.id).delete(memory["id"]), FORBIDDEN)


def test_an_agents_session_is_the_author_of_what_it_writes(
    api: Client, notes: StoreClient, make_session: MakeSession, agent: MakeAgent
) -> None:
    """Whichever credentials it uses; and each filter of authors finds its own."""
    sessions = [make_session(mount(notes.id)) for _ in range(2)]
    by_admin = notes.created("/admin")
    written: dict[str, list[str]] = {session["id"]: [] for session in sessions}
    for session in sessions:
        for door in ("key", "signed"):
            theirs = StoreClient(agent(session, door), notes.id)
            memory = theirs.created(f"/{session['id']}/{door}")
            ok(theirs.update(memory["id"], {"content": "new"}))
            ok(theirs.delete(memory["id"]))
            written[session["id"]].append(memory["id"])
    for session in sessions:
        actor = {"type": "session_actor", "session_id": session["id"]}
        versions = notes.history(session_id=session["id"], limit=2)
        assert [version["created_by"] for version in versions] == [actor] * 6
        assert {version["memory_id"] for version in versions} == set(written[session["id"]])
        deleted = notes.history(session_id=session["id"], operation="deleted")
        assert [version["memory_id"] for version in deleted] == written[session["id"]][::-1]
        running = StoreClient(agent(session), notes.id)
        assert running.history(session_id=session["id"]) == versions, "an agent reads its own history"
    assert [version["memory_id"] for version in notes.history(api_key_id=api.key_id)] == [by_admin["id"]]
    assert notes.history(session_id=f"sesn_{NOBODY}") == []
    assert notes.history(session_id=sessions[0]["id"], api_key_id=api.key_id) == []


def test_the_author_outlives_the_session(
    notes: StoreClient, make_session: MakeSession, agent: MakeAgent, api: Client
) -> None:
    session = make_session(mount(notes.id))
    ok(StoreClient(agent(session), notes.id).create("/a"))
    ok(SessionClient(api, session["id"]).delete())
    (version,) = notes.history(session_id=session["id"])
    assert version["created_by"] == {"type": "session_actor", "session_id": session["id"]}


@each_door
def test_an_agent_reads_its_own_session_and_no_other(
    api: Client, store: Json, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    session, other = make_session(mount(store["id"])), make_session(mount(store["id"]))
    running = agent(session, door)
    own = SessionClient(running, session["id"])
    assert ok(own.get()) == session
    assert ok(own.list_resources()) == {"data": session["resources"], "next_page": None}
    assert ok(own.prompt()) == ok(SessionClient(api, session["id"]).prompt())
    for id_ in (other["id"], f"sesn_{NOBODY}", "x"):
        foreign = SessionClient(running, id_)
        for answer in (foreign.get(), foreign.list_resources(), foreign.prompt()):
            refused(answer, FORBIDDEN)


@each_door
def test_a_session_without_stores_opens_none(
    store: Json, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    session = make_session()
    running = agent(session, door)
    assert ok(running.get(STORES)) == {"data": [], "next_page": None}
    refused(running.get(f"{STORES}/{store['id']}"), FORBIDDEN)
    assert SessionClient(running, session["id"]).resources() == []


@each_door
def test_a_list_of_an_agents_stores_has_pages(
    make_store: Callable[..., Json], make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    """Newest first, like every list of stores, whatever the order in which they were attached."""
    stores = [make_store(f"{number}") for number in range(10)]
    attached = [stores[number] for number in (7, 2, 9, 0, 5, 3)]
    running = agent(make_session(*(mount(store["id"]) for store in attached)), door)
    expected = sorted(attached, key=lambda store: str(store["id"]), reverse=True)
    for limit in (1, 4, 6, 100):
        assert running.walk(STORES, {"limit": limit}) == expected
    middle = expected[2]["created_at"]
    since = [store for store in expected if store["created_at"] >= middle]
    assert running.walk(STORES, {"created_at[gte]": middle, "limit": 2}) == since


@each_door
@pytest.mark.parametrize("access", ["read_write", "read_only"])
def test_an_archived_store_becomes_read_only(
    notes: StoreClient, make_session: MakeSession, agent: MakeAgent, door: str, access: str
) -> None:
    memory = notes.created("/a")
    running = agent(make_session(mount(notes.id, access)), door)
    theirs = StoreClient(running, notes.id)
    archived = notes.archive()
    before = notes.snapshot()
    for answer in (theirs.create("/b"), theirs.delete(memory["id"]), theirs.update(memory["id"], {"content": "x"})):
        refused(answer, INVALID if access == "read_write" else FORBIDDEN)
    assert theirs.snapshot() == before
    assert running.walk(STORES) == []
    assert running.walk(STORES, {"include_archived": "true"}) == [archived]


@each_door
def test_a_deleted_store_is_not_there_for_an_agent(
    api: Client, notes: StoreClient, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    memory = notes.created("/a")
    session = make_session(mount(notes.id))
    running = agent(session, door)
    theirs = StoreClient(running, notes.id)
    ok(api.delete(notes.url))
    for answer in (running.get(theirs.url), theirs.get(memory["id"]), theirs.create("/b"), theirs.list_versions()):
        refused(answer, NOT_FOUND)
    assert running.walk(STORES, {"include_archived": "true"}) == []
    assert SessionClient(running, session["id"]).resources() == []
    assert ok(SessionClient(running, session["id"]).get())["resources"] == []


@each_door
def test_an_agent_of_another_workspace_gets_nothing(
    other_api: Client, notes: StoreClient, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    theirs = StoreClient(other_api, ok(other_api.post(STORES, {"name": "Theirs"}))["id"])
    memory = theirs.created("/a")
    running = StoreClient(agent(make_session(mount(notes.id)), door), theirs.id)
    refused(running.get(memory["id"]), FORBIDDEN)
    refused(StoreClient(running.api, notes.id).get(memory["id"]), NOT_FOUND)


@each_door
def test_an_agent_cannot_tell_a_store_it_lacks_from_one_that_never_was(
    api: Client,
    other_api: Client,
    make_store: Callable[..., Json],
    make_session: MakeSession,
    agent: MakeAgent,
    door: str,
) -> None:
    ids = [f"memstore_{NOBODY}", ok(other_api.post(STORES, {"name": "Theirs"}))["id"]]
    ids += [make_store()["id"] for _ in range(3)]
    ok(api.post(f"{STORES}/{ids[3]}/archive"))
    ok(api.delete(f"{STORES}/{ids[4]}"))
    running = agent(make_session(mount(make_store()["id"])), door)
    for path, body in (
        ("memories", None),
        (f"memories/mem_{NOBODY}", None),
        ("memories", {"path": "/a", "content": ""}),
    ):
        asked = {id_: f"{STORES}/{id_}/{path}" for id_ in ids}
        answers = {id_: running.post(url, body) if body else running.get(url) for id_, url in asked.items()}
        assert len({refused(answer, FORBIDDEN)["message"].replace(id_, "") for id_, answer in answers.items()}) == 1


# --- sessions as their makers see them ---


@pytest.mark.parametrize("role", ["read_write", "read_only"])
def test_none_but_admins_may_make_or_handle_sessions(
    api: Client, make_key: MakeKey, store: Json, make_session: MakeSession, role: str
) -> None:
    session = make_session(mount(store["id"]))
    weak = make_key(role)
    one = SessionClient(weak, session["id"])
    refused(create_session(weak), FORBIDDEN)
    refused(create_session(weak, mount(store["id"], "read_only")), FORBIDDEN)
    refused(weak.get("/v1/sessions"), FORBIDDEN)
    for answer in (one.get(), one.archive(), one.delete(), one.list_resources(), one.prompt(), one.revoke()):
        refused(answer, FORBIDDEN)
    for answer in (one.credentials("bearer"), one.credentials("aws"), one.add(store["id"])):
        refused(answer, FORBIDDEN)
    assert api.walk("/v1/sessions") == [session]


@each_door
def test_an_agent_makes_and_handles_nothing(
    api: Client, notes: StoreClient, make_session: MakeSession, agent: MakeAgent, door: str
) -> None:
    """Not even about itself: it cannot prolong, widen or end what it has."""
    session = make_session(mount(notes.id))
    running = agent(session, door)
    own = SessionClient(running, session["id"])
    for answer in (
        create_session(running, mount(notes.id, "read_only")),
        running.get("/v1/sessions"),
        own.credentials("bearer"),
        own.credentials("aws"),
        own.revoke(),
        own.archive(),
        own.delete(),
        own.add(notes.id),
        own.change(notes.id),
        own.remove(notes.id),
        Binder(running, "deployments").attach(notes.id),
        Binder(running, "bots").list_resources(),
        running.get("/v1/api_keys"),
        running.post("/v1/api_keys", {"name": "n", "role": "read_only"}),
        running.post(STORES, {"name": "n"}),
    ):
        refused(answer, FORBIDDEN)
    ok(running.get(notes.url))
    assert api.walk("/v1/sessions") == [session]

"""Many calls at once, through the package's asynchronous client: what agents of one team do to one store."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest
from anthropic import AsyncAnthropic, ConflictError

from infra.local.deployment import Deployment
from tests.support.backend import fresh_workspace
from tests.support.ministack_backend import MiniStackBackend

AT_ONCE = 10

Work = Callable[[Any, str], Awaitable[None]]


@pytest.fixture
def run(deployed: Deployment, backend: MiniStackBackend, monkeypatch: pytest.MonkeyPatch) -> Callable[[Work], None]:
    """Runs a test's work with the memories of a client and the id of a new store."""
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_")]:
        monkeypatch.delenv(name)
    key = backend.first_key(fresh_workspace(), "parallel", "admin")["secret"]

    async def with_store(work: Work) -> None:
        async with AsyncAnthropic(base_url=deployed.key_door, api_key=key) as client:
            store = await client.beta.memory_stores.create(name="Shared")
            await work(client.beta.memory_stores.memories, store.id)

    return lambda work: asyncio.run(with_store(work))


async def outcomes(calls: Iterable[Awaitable[Any]]) -> tuple[list[Any], list[dict[str, Any]]]:
    """What succeeded, and the `error` objects of the conflicts. Fails where there is any other error."""
    answers = await asyncio.gather(*calls, return_exceptions=True)
    conflicts = [answer for answer in answers if isinstance(answer, ConflictError)]
    for answer in answers:
        if isinstance(answer, BaseException) and answer not in conflicts:
            raise answer
    errors: list[Any] = [conflict.body for conflict in conflicts]
    return [answer for answer in answers if answer not in conflicts], [body["error"] for body in errors]


def test_creates_in_one_folder_all_succeed(run: Callable[[Work], None]) -> None:
    async def work(memories: Any, store: str) -> None:
        paths = [f"/folder/{number:02}.md" for number in range(AT_ONCE)]
        created, conflicts = await outcomes(memories.create(store, path=path, content=path) for path in paths)
        assert (len(created), conflicts) == (AT_ONCE, [])
        listed = {memory.path: memory.content async for memory in memories.list(store, view="full")}
        assert listed == {path: path for path in paths}

    run(work)


def test_one_create_wins_a_path_and_the_others_are_told_who(run: Callable[[Work], None]) -> None:
    async def work(memories: Any, store: str) -> None:
        won, lost = await outcomes(memories.create(store, path="/plan.md", content=str(n)) for n in range(AT_ONCE))
        (winner,) = won
        assert {(error["conflicting_path"], error["conflicting_memory_id"]) for error in lost} == {
            ("/plan.md", winner.id)
        }
        assert len(lost) == AT_ONCE - 1
        (listed,) = [memory async for memory in memories.list(store)]
        assert (listed.id, listed.content_sha256) == (winner.id, winner.content_sha256)

    run(work)


def test_one_guarded_update_wins_and_the_others_lose_nothing(run: Callable[[Work], None]) -> None:
    async def work(memories: Any, store: str) -> None:
        memory = await memories.create(store, path="/plan.md", content="old")
        guard = {"type": "content_sha256", "content_sha256": hashlib.sha256(b"old").hexdigest()}
        won, lost = await outcomes(
            memories.update(memory.id, memory_store_id=store, content=f"new {n}", precondition=guard, view="full")
            for n in range(AT_ONCE)
        )
        (winner,) = won
        assert [error["type"] for error in lost] == ["memory_precondition_failed_error"] * (AT_ONCE - 1)
        assert await memories.retrieve(memory.id, memory_store_id=store) == winner

    run(work)

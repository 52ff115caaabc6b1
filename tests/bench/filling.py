"""Fills a store fast with the rows that creating its memories one by one would leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_stores.domain import attributes, ids
from memory_stores.domain.models import Actor, ActorType, Memory, Operation, Version
from memory_stores.domain.paths import ancestors
from memory_stores.storage import fences, items
from memory_stores.storage.expressions import to_wire

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

BODIES = 20
"""How many of the memories, the first ones, get a body: a page with texts holds no more."""

_BATCH = 25
_AUTHOR = Actor(ActorType.API, ids.new(ids.API_KEY))


@dataclass(frozen=True)
class Target:
    """Where to write."""

    dynamodb: DynamoDBClient
    s3: S3Client
    table: str
    bucket: str


def paths(folders: int, files: int) -> list[str]:
    """Paths of equal length in byte order: so many folders with so many files each."""
    return [f"/filled/{folder:04d}/{file:04d}.md" for folder in range(folders) for file in range(files)]


def fill(target: Target, workspace_id: str, store_id: str, paths: Sequence[str], text: str) -> None:
    """Write one memory a path, all with the same text."""
    memories = [_memory(store_id, path, text) for path in paths]
    contents = items.contents(workspace_id, store_id)
    rows = [{"pk": contents, **row} for row in _rows(memories)]
    batches = [rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH)]

    def write(batch: list[dict[str, Any]]) -> None:
        puts: Any = [{"PutRequest": {"Item": to_wire(row)}} for row in batch]
        answer = target.dynamodb.batch_write_item(RequestItems={target.table: puts})
        assert not answer["UnprocessedItems"]

    def upload(memory: Memory) -> None:
        key = items.body_key(workspace_id, store_id, memory.id, memory.version_id)
        target.s3.put_object(Bucket=target.bucket, Key=key, Body=text.encode())

    with ThreadPoolExecutor(8) as executor:
        list(executor.map(write, batches))
        list(executor.map(upload, memories[:BODIES]))


def _rows(memories: Sequence[Memory]) -> Iterator[dict[str, Any]]:
    for directory in sorted({directory for memory in memories for directory in ancestors(memory.path)}):
        yield {"sk": directory, "node": items.DIRECTORY}
    for memory in memories:
        yield {
            "sk": memory.path,
            "node": items.FILE,
            "memory_id": memory.id,
            **items.memory_attributes(memory),
        }
        yield {"sk": memory.id, **items.memory_item(memory)}
        yield {"sk": memory.version_id, **items.version_attributes(_version(memory))}
    for number in range(fences.COUNT):
        share = memories[number :: fences.COUNT]
        size = sum(memory.content_size_bytes for memory in share)
        yield {"sk": f"fence#{number:02d}", "fence": 0, "entries": len(share), "bytes": size}


def _memory(store_id: str, path: str, text: str) -> Memory:
    body = text.encode()
    version_id = ids.new(ids.VERSION)
    created_at = ids.time_of(version_id)
    return Memory(
        id=ids.new(ids.MEMORY),
        store_id=store_id,
        version_id=version_id,
        path=path,
        content_sha256=attributes.sha256_of(body),
        content_size_bytes=len(body),
        metadata={},
        revision=1,
        created_at=created_at,
        updated_at=created_at,
    )


def _version(memory: Memory) -> Version:
    return Version(
        id=memory.version_id,
        store_id=memory.store_id,
        memory_id=memory.id,
        operation=Operation.CREATED,
        revision=1,
        path=memory.path,
        content_sha256=memory.content_sha256,
        content_size_bytes=memory.content_size_bytes,
        created_at=memory.created_at,
        created_by=_AUTHOR,
    )

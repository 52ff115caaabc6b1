"""Objects survive being written down and read back."""

from dataclasses import replace

from memory_stores.domain import ids
from memory_stores.domain.models import Actor, ActorType, Memory, Operation, Store, Tombstone, Version
from memory_stores.storage import items
from memory_stores.storage.expressions import from_wire, to_wire

ARN = "arn:aws:iam::111122223333:user/a#b"
CONTENTS = items.contents("wrkspc_one", "memstore_" + "0" * 32)
STORE = Store("memstore_" + "0" * 32, "n", "", {}, 1, 2, None, 1)
MEMORY = Memory(
    id="mem_" + "1" * 32,
    store_id=STORE.id,
    version_id=ids.new(ids.VERSION),
    path="/a",
    content_sha256="0" * 64,
    content_size_bytes=0,
    metadata={"k": ""},
    revision=1,
    created_at=1,
    updated_at=2,
)
VERSION = Version(
    id=MEMORY.version_id,
    store_id=STORE.id,
    memory_id=MEMORY.id,
    operation=Operation.CREATED,
    revision=1,
    path="/a",
    content_sha256="0" * 64,
    content_size_bytes=0,
    created_at=ids.time_of(MEMORY.version_id),
    created_by=Actor(ActorType.SERVICE_ACCOUNT, ARN),
)


def stored(pk: str, sk: str, attributes: dict[str, object]) -> dict[str, object]:
    return from_wire(to_wire({"pk": pk, "sk": sk, **attributes}))


def test_a_store() -> None:
    for store in (STORE, replace(STORE, archived_at=3, metadata={"a": "b"})):
        assert items.parse_store(stored("wrkspc_one", store.id, items.store_attributes(store))) == store


def test_a_memory_from_either_of_its_items() -> None:
    by_id = stored(CONTENTS, MEMORY.id, items.memory_item(MEMORY))
    node = stored(CONTENTS, MEMORY.path, {"memory_id": MEMORY.id, **items.memory_attributes(MEMORY)})
    assert items.parse_memory(by_id) == items.parse_memory(node) == MEMORY


def test_a_tombstone_is_not_living() -> None:
    tombstone = Tombstone(MEMORY.id, STORE.id, MEMORY.version_id, "/a", {"k": ""}, 2, 1)
    item = stored(CONTENTS, MEMORY.id, items.tombstone_item(tombstone, deleted_at=9))
    assert items.parse_tombstone(item) == tombstone
    assert not items.is_living(item)
    assert "0" * 64 not in item.values()


def test_a_version_with_an_author_whose_name_holds_the_separator() -> None:
    assert items.parse_version(stored(CONTENTS, VERSION.id, items.version_attributes(VERSION))) == VERSION

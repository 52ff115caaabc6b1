"""How an attachment changes: the lesser access first, the wanted one when the fences are raised."""

from dataclasses import replace
from itertools import permutations

import pytest
from memory_stores.domain.holders import Attachment, HolderRecord
from memory_stores.domain.models import Access, Actor, ActorType, Holder, HolderKind

STORE = "memstore_0123456789abcdef0123456789abcdef"
RANKS = [None, Access.READ_ONLY, Access.READ_WRITE]


def record(held_access: Access | None) -> HolderRecord:
    held = Attachment("Notes", "", "/mnt/memory/notes", held_access)
    holder = Holder(HolderKind.BOT, "b", "i")
    return HolderRecord(holder, Actor(ActorType.API, "apikey_1"), 0, revision=7, attachments={STORE: held})


def access(record: HolderRecord) -> Access | None:
    """What a session without stores of its own may do in the store."""
    seen = {resource.store_id: resource.access for resource in record.seen_beside((), None, limit=8)}
    return seen.get(STORE)


@pytest.mark.parametrize(("old", "new"), list(permutations(RANKS, 2)))
def test_a_change_holds_only_what_both_allow_until_it_is_settled(old: Access | None, new: Access | None) -> None:
    before = record(old)
    begun = before.begun(STORE, before.attachments[STORE], new, "change")
    assert access(begun) == RANKS[min(RANKS.index(old), RANKS.index(new))]
    assert STORE in begun.attachments, "who ends a session meanwhile must find the store"
    settled = begun.settled(STORE, "change")
    assert settled is not None
    assert access(settled) == new
    assert (STORE in settled.attachments) == (new is not None)
    assert [each.revision for each in (before, begun, settled)] == [7, 8, 9]


def test_a_change_that_another_has_replaced_is_not_settled() -> None:
    first = record(Access.READ_WRITE).begun(STORE, record(Access.READ_WRITE).attachments[STORE], None, "first")
    second = first.begun(STORE, first.attachments[STORE], Access.READ_ONLY, "second")
    assert second.settled(STORE, "first") is None
    assert access(second) is None
    settled = second.settled(STORE, "second")
    assert settled is not None
    assert access(settled) is Access.READ_ONLY


def test_an_equal_change_joins_the_one_under_way() -> None:
    """So whichever of two equal requests settles first settles for both."""
    first = record(Access.READ_ONLY).begun(
        STORE, record(Access.READ_ONLY).attachments[STORE], Access.READ_WRITE, "first"
    )
    assert first.begun(STORE, first.attachments[STORE], Access.READ_WRITE, "second") is first


def test_a_change_of_nothing_is_none() -> None:
    before = record(Access.READ_ONLY)
    assert before.begun(STORE, before.attachments[STORE], Access.READ_ONLY, "change") is before


def test_a_session_sees_the_first_attached_while_there_is_room_beside_its_own() -> None:
    first, *others = [f"{STORE[:-1]}{number}" for number in range(8)]
    held = {id: Attachment("Notes", "", f"/mnt/memory/{id}", Access.READ_WRITE) for id in (first, *others)}
    full = replace(record(None), attachments=held)
    assert [each.store_id for each in full.seen_beside((), None, limit=8)] == [first, *others]
    assert [each.store_id for each in full.seen_beside({"another"} | {first}, None, limit=8)] == others[:6]
    assert [each.store_id for each in full.seen_beside((), {others[3]}, limit=1)] == [others[3]]
    assert full.seen_beside({str(number) for number in range(8)}, None, limit=8) == []


def test_of_a_closing_one_nothing_holds_and_everything_is_found() -> None:
    changing = record(Access.READ_WRITE).begun(STORE, record(Access.READ_WRITE).attachments[STORE], None, "change")
    closing = changing.closing()
    assert closing.settled(STORE, "change") is None
    assert closing.is_closing
    assert closing.resources == []
    assert STORE in closing.attachments

"""How an attachment changes: the lesser access first, the wanted one when the fences are raised."""

from itertools import permutations

import pytest
from memory_stores.domain.holders import Attachment, HolderRecord
from memory_stores.domain.models import Access, Actor, ActorType, Holder, HolderKind

STORE = "memstore_0123456789abcdef0123456789abcdef"
RANKS = [None, Access.READ_ONLY, Access.READ_WRITE]


def record(access: Access | None) -> HolderRecord:
    held = Attachment("Notes", "", "/mnt/memory/notes", access)
    holder = Holder(HolderKind.BOT, "b", "i")
    return HolderRecord(holder, Actor(ActorType.API, "apikey_1"), 0, revision=7, attachments={STORE: held})


@pytest.mark.parametrize(("old", "new"), list(permutations(RANKS, 2)))
def test_a_change_holds_only_what_both_allow_until_it_is_settled(old: Access | None, new: Access | None) -> None:
    before = record(old)
    begun = before.begun(STORE, before.attachments[STORE], new, "change")
    assert begun.access_to(STORE) == RANKS[min(RANKS.index(old), RANKS.index(new))]
    assert STORE in begun.attachments, "who ends a session meanwhile must find the store"
    settled = begun.settled(STORE, "change")
    assert settled is not None
    assert settled.access_to(STORE) == new
    assert (STORE in settled.attachments) == (new is not None)
    assert [each.revision for each in (before, begun, settled)] == [7, 8, 9]


def test_a_change_that_another_has_replaced_is_not_settled() -> None:
    first = record(Access.READ_WRITE).begun(STORE, record(Access.READ_WRITE).attachments[STORE], None, "first")
    second = first.begun(STORE, first.attachments[STORE], Access.READ_ONLY, "second")
    assert second.settled(STORE, "first") is None
    assert second.access_to(STORE) is None
    settled = second.settled(STORE, "second")
    assert settled is not None
    assert settled.access_to(STORE) is Access.READ_ONLY


def test_of_a_closing_one_nothing_holds_and_everything_is_found() -> None:
    closing = record(Access.READ_WRITE).closing()
    assert closing.is_closing
    assert closing.resources == []
    assert STORE in closing.attachments

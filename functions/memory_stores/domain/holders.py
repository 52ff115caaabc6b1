"""Deployments and bots: the stores attached to them now, and how an attachment changes while sessions use it.

A change takes effect in two steps, with the store's fences bumped in between: at first the lesser of old and new
access holds, then the new one. So whoever ends a session meanwhile finds every store that it could still be writing to,
whether that is just being attached or detached.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from memory_stores.domain.models import Access, Actor, Holder, Resource

_RANKS = {None: 0, Access.READ_ONLY: 1, Access.READ_WRITE: 2}


@dataclass(frozen=True, slots=True)
class Attachment:
    """A store as a deployment or bot has it now; name, description and mount path were fixed when it was attached.

    `access` is what holds now, None for nothing. While a change is under way, `change` names it and `target` is what
    will hold, None for a detached store.
    """

    name: str
    description: str
    mount_path: str
    access: Access | None = None
    target: Access | None = None
    change: str | None = None

    @property
    def target_or_access(self) -> Access | None:
        """What will hold when the change that may be under way has taken effect."""
        return self.target if self.change else self.access


@dataclass(frozen=True, slots=True)
class HolderRecord:
    """A deployment or bot: its owner, and its attachments in the order they were made.

    `revision` counts its changes from 1. A closing one is being deleted: nothing of it holds any more.
    """

    holder: Holder
    owner: Actor
    created_at: int
    revision: int
    attachments: Mapping[str, Attachment]
    is_closing: bool = False

    @property
    def resources(self) -> list[Resource]:
        """The attachments that hold now."""
        return [
            Resource(store_id, attachment.access, attachment.name, attachment.description, attachment.mount_path)
            for store_id, attachment in self.attachments.items()
            if attachment.access is not None
        ]

    def seen_beside(self, own: Collection[str], scope: Collection[str] | None, limit: int) -> list[Resource]:
        """What a session sees that has stores of its own, a creator limited to `scope`, and at most `limit` stores.

        The first attached come first; a store of its own is what the session says.
        """
        others = [resource for resource in self.resources if resource.store_id not in own]
        allowed = [resource for resource in others if scope is None or resource.store_id in scope]
        return allowed[: max(0, limit - len(own))]

    def begun(self, store_id: str, attachment: Attachment, target: Access | None, change: str) -> "HolderRecord":
        """The next revision, with a change of one attachment under way; itself where that is so or done already."""
        if attachment == self.attachments.get(store_id) and target == attachment.target_or_access:
            return self
        lesser = min(attachment.access, target, key=_RANKS.__getitem__)
        begun = replace(attachment, access=lesser, target=target, change=change)
        return self._next({**self.attachments, store_id: begun})

    def settled(self, store_id: str, change: str) -> "HolderRecord | None":
        """The next revision, with the change in effect; None where another change has taken its place."""
        attachment = self.attachments.get(store_id)
        if attachment is None or attachment.change != change:
            return None
        others = {other: held for other, held in self.attachments.items() if other != store_id}
        if attachment.target is None:
            return self._next(others)
        settled = replace(attachment, access=attachment.target, target=None, change=None)
        return self._next({**self.attachments, store_id: settled})

    def closing(self) -> "HolderRecord":
        """The next revision, in which nothing holds."""
        ended = {id: replace(held, access=None, target=None, change=None) for id, held in self.attachments.items()}
        return replace(self._next(ended), is_closing=True)

    def _next(self, attachments: Mapping[str, Attachment]) -> "HolderRecord":
        return replace(self, revision=self.revision + 1, attachments=attachments)

"""The endpoints of stores."""

from memory_stores.dialects.claude import parameters as p
from memory_stores.dialects.claude import render
from memory_stores.http.endpoint import Call, Json, endpoint
from memory_stores.operations import stores


@endpoint("MemoryStore", body=(p.NAME.required(), p.DESCRIPTION, p.METADATA))
def create_store(call: Call) -> Json:
    """Create a memory store."""
    return render.store(stores.create_store(call.context, **call.body))


@endpoint("MemoryStorePage", query=(p.CREATED_GTE, p.CREATED_LTE, p.INCLUDE_ARCHIVED, p.LIMIT, p.PAGE))
def list_stores(call: Call) -> Json:
    """List memory stores, newest first.

    A key that is limited to some memory stores is shown only those.
    """
    page = stores.list_stores(
        call.context,
        created=p.period_of(call.query),
        include_archived=call.query.get("include_archived", False),
        limit=p.limit_of(call.query),
        page=call.query.get("page"),
    )
    return render.page(page, render.store)


@endpoint("MemoryStore")
def get_store(call: Call) -> Json:
    """Retrieve a memory store."""
    return render.store(stores.get_store(call.context, call.path["store"]))


@endpoint("MemoryStore", body=(p.NAME, p.DESCRIPTION, p.METADATA_PATCH))
def update_store(call: Call) -> Json:
    """Update a memory store; what is left out or null stays as it is."""
    return render.store(stores.update_store(call.context, call.path["store"], **call.body))


@endpoint("MemoryStoreDeleted")
def delete_store(call: Call) -> Json:
    """Delete a memory store with all its memories and versions.

    They are gone at once for every caller; what they occupy is freed in the background.
    """
    stores.delete_store(call.context, call.path["store"])
    return render.deleted("memory_store_deleted", call.path["store"])


@endpoint("MemoryStore", body=())
def archive_store(call: Call) -> Json:
    """Archive a memory store, for good.

    It takes no more changes of itself or its memories; reading, redacting and deleting the store still work. Repeating
    it answers the same.
    """
    return render.store(stores.archive_store(call.context, call.path["store"]))

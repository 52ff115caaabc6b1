"""The endpoints of the stores attached to deployments and bots: the same for both."""

from memory_stores.dialects.claude import parameters as p
from memory_stores.dialects.claude import render
from memory_stores.domain.models import Access, HolderKind
from memory_stores.http.endpoint import Call, Json, endpoint
from memory_stores.http.fields import Field, one_of
from memory_stores.operations import bindings

_ACCESS = Field(
    "access", one_of(*Access), p.ACCESS_SCHEMA, "What sessions may do in the store from now on.", is_required=True
)


def _list(call: Call, kind: HolderKind) -> Json:
    return render.whole_list(bindings.list_stores(call.context, kind, call.path[kind]), render.resource)


def _get(call: Call, kind: HolderKind) -> Json:
    return render.resource(bindings.get_store(call.context, kind, call.path[kind], call.path["store"]))


def _attach(call: Call, kind: HolderKind) -> Json:
    access = Access(call.body["access"])
    return render.resource(bindings.attach_store(call.context, kind, call.path[kind], call.path["store"], access))


def _detach(call: Call, kind: HolderKind) -> Json:
    bindings.detach_store(call.context, kind, call.path[kind], call.path["store"])
    return render.deleted("memory_store_detached", call.path["store"])


def _delete(call: Call, kind: HolderKind) -> Json:
    bindings.delete_holder(call.context, kind, call.path[kind])
    return render.deleted(f"{kind}_deleted", call.path[kind])


@endpoint("ResourcePage")
def list_deployment_stores(call: Call) -> Json:
    """List the memory stores attached to a deployment, in the order they were attached."""
    return _list(call, HolderKind.DEPLOYMENT)


@endpoint("Resource")
def get_deployment_store(call: Call) -> Json:
    """Retrieve a memory store as it is attached to a deployment."""
    return _get(call, HolderKind.DEPLOYMENT)


@endpoint("Resource", body=(_ACCESS,))
def attach_deployment_store(call: Call) -> Json:
    """Attach a memory store to a deployment, or change its access; its sessions see that at once.

    The first attachment makes the deployment's record, owned by the caller; only the owner attaches and changes.
    """
    return _attach(call, HolderKind.DEPLOYMENT)


@endpoint("StoreDetached")
def detach_deployment_store(call: Call) -> Json:
    """Detach a memory store from a deployment; from then on its sessions are refused."""
    return _detach(call, HolderKind.DEPLOYMENT)


@endpoint("DeploymentDeleted")
def delete_deployment(call: Call) -> Json:
    """Remove a deployment's record and attachments; the memory stores stay."""
    return _delete(call, HolderKind.DEPLOYMENT)


@endpoint("ResourcePage")
def list_bot_stores(call: Call) -> Json:
    """List the memory stores attached to a bot, in the order they were attached."""
    return _list(call, HolderKind.BOT)


@endpoint("Resource")
def get_bot_store(call: Call) -> Json:
    """Retrieve a memory store as it is attached to a bot."""
    return _get(call, HolderKind.BOT)


@endpoint("Resource", body=(_ACCESS,))
def attach_bot_store(call: Call) -> Json:
    """Attach a memory store to a saved bot, or change its access; its sessions see that at once.

    The first attachment makes the bot's record, owned by the caller; only the owner attaches and changes.
    """
    return _attach(call, HolderKind.BOT)


@endpoint("StoreDetached")
def detach_bot_store(call: Call) -> Json:
    """Detach a memory store from a bot; from then on its sessions are refused."""
    return _detach(call, HolderKind.BOT)


@endpoint("BotDeleted")
def delete_bot(call: Call) -> Json:
    """Remove a bot's record and attachments; the memory stores stay."""
    return _delete(call, HolderKind.BOT)

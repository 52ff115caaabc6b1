"""The endpoints of API keys."""

from memory_stores.dialects.claude import parameters as p
from memory_stores.dialects.claude import render
from memory_stores.domain import ids
from memory_stores.domain.models import Role
from memory_stores.http.endpoint import Call, Json, endpoint
from memory_stores.http.fields import Field, one_of, string_list
from memory_stores.operations import api_keys

_ROLE = Field(
    "role",
    one_of(*Role),
    {"type": "string", "enum": [str(role) for role in Role]},
    "What the key may do in its workspace.",
    is_required=True,
)
_STORE_IDS = Field(
    "memory_store_ids",
    string_list,
    {"type": "array", "items": p.id_schema(ids.STORE), "minItems": 1, "maxItems": api_keys.MAX_SCOPE},
    "The only stores the key opens; null for all.",
)


@endpoint("NewApiKey", body=(p.NAME.required(), _ROLE, _STORE_IDS, p.EXPIRES_AT))
def create_api_key(call: Call) -> Json:
    """Create an API key; the answer is the only one that shows its secret.

    No credential makes a key that opens more memory stores, or lives longer, than itself.
    """
    key, secret = api_keys.create_api_key(
        call.context,
        name=call.body["name"],
        role=Role(call.body["role"]),
        store_ids=call.body.get("memory_store_ids"),
        expires_at=call.body.get("expires_at"),
    )
    return {**render.api_key(key), "secret": secret}


@endpoint("ApiKeyPage", query=(p.LIMIT, p.PAGE))
def list_api_keys(call: Call) -> Json:
    """List API keys, newest first."""
    page = api_keys.list_api_keys(call.context, limit=p.limit_of(call.query), page=call.query.get("page"))
    return render.page(page, render.api_key)


@endpoint("ApiKeyDeleted")
def delete_api_key(call: Call) -> Json:
    """Revoke an API key; from then on it opens nothing."""
    api_keys.delete_api_key(call.context, call.path["key"])
    return render.deleted("api_key_deleted", call.path["key"])

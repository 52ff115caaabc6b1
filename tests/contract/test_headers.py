"""Headers: versions and betas, the workspace, the two ways to send a key."""

import pytest

from tests.contract.place import POSTS, Place
from tests.contract.steps import FORBIDDEN, INVALID, UNAUTHENTICATED, Json, StoreClient, refused
from tests.support.client import Client, ok


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


@pytest.fixture
def place(api: Client, store: Json) -> Place:
    return Place(api, store["id"])


def test_any_api_version_is_served(notes: StoreClient) -> None:
    for version in ("2023-06-01", "1999-01-01", "2999-12-31", "nonsense", ""):
        ok(notes.api.with_headers(anthropic_version=version).get(notes.url))


BETAS = ["agent-memory-2026-07-22", "managed-agents-2026-04-01"]


def test_one_beta_or_another_is_served(notes: StoreClient) -> None:
    one, other = BETAS
    for beta in ("", one, other, "other-2025-01-01", f"other-2025-01-01,{one}", f"{other}, other", one + other):
        ok(notes.api.with_headers(anthropic_beta=beta).get(notes.url))


@pytest.mark.parametrize(
    "beta", [",".join(BETAS), ", ".join(BETAS[::-1]), f"{BETAS[0]},other,{BETAS[1]}", f" {BETAS[0]} ,\t{BETAS[1]} "]
)
def test_both_betas_together_are_refused(place: Place, beta: str) -> None:
    api = place.api.with_headers(anthropic_beta=beta)
    for path in ("/v1/memory_stores", place.notes.url, place.notes.memories_url, place.notes.versions_url):
        refused(api.get(path), INVALID, "anthropic-beta")
    for path, body in POSTS.values():
        if "memory_stores" in path:
            refused(api.post(place.url(path), json=body), INVALID, "anthropic-beta")
    place.assert_untouched()


def test_both_betas_together_are_for_sessions(place: Place) -> None:
    """The SDKs send one with every call of a session; the other is what their users add."""
    api = place.api.with_headers(anthropic_beta=",".join(BETAS))
    ok(api.get("/v1/sessions"))
    ok(api.get(place.url("/v1/sessions/{session}/resources")))


def test_the_workspace_header_must_name_the_callers_own(place: Place, workspace: str, other_api: Client) -> None:
    ok(place.api.with_headers(anthropic_workspace_id=workspace).get(place.notes.url))
    for other in ("wrkspc_other", workspace.upper(), workspace + "x"):
        refused(place.api.with_headers(anthropic_workspace_id=other).get(place.notes.url), FORBIDDEN)
    path, body = POSTS["create memory"]
    answer = place.api.with_headers(anthropic_workspace_id="wrkspc_other").post(place.url(path), json=body)
    refused(answer, FORBIDDEN)
    refused(other_api.with_headers(anthropic_workspace_id=workspace).get(place.notes.url), FORBIDDEN)
    place.assert_untouched()


KEYS = [
    {"x-api-key": "KEY"},
    {"X-API-KEY": "KEY"},
    {"Authorization": "Bearer KEY"},
    {"AUTHORIZATION": "bearer KEY"},
    {"authorization": "BEARER KEY"},
    {"x-api-key": "KEY", "Authorization": "Bearer KEY"},
]
NO_KEYS = [
    {},
    {"Authorization": "KEY"},
    {"Authorization": "Basic KEY"},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer KEYx"},
    {"x-api-key": "KEY", "Authorization": "Bearer other"},
    {"x-api-key": "other", "Authorization": "Bearer KEY"},
]


def with_secret(headers: dict[str, str], api: Client) -> dict[str, str]:
    return {name: value.replace("KEY", str(api.key)) for name, value in headers.items()}


def test_both_ways_to_send_a_key(notes: StoreClient, subtests: pytest.Subtests) -> None:
    """Case 31."""
    for headers in KEYS:
        with subtests.test(headers=headers):
            ok(notes.api.with_key(None).get(notes.url, headers=with_secret(headers, notes.api)))


def test_no_key_or_two_that_differ(place: Place, subtests: pytest.Subtests) -> None:
    nobody = place.api.with_key(None)
    path, body = POSTS["create memory"]
    for headers in NO_KEYS:
        with subtests.test(headers=headers):
            sent = with_secret(headers, place.api)
            refused(nobody.get(place.notes.url, headers=sent), UNAUTHENTICATED)
            refused(nobody.post(place.url(path), json=body, headers=sent), UNAUTHENTICATED)
    place.assert_untouched()

"""Headers: versions and betas, the workspace, the two ways to send a key."""

import pytest

from tests.contract.place import POSTS, Place
from tests.contract.steps import FORBIDDEN, INVALID, UNAUTHENTICATED, Json, refused
from tests.support.client import Client, ok


@pytest.fixture
def place(api: Client, store: Json) -> Place:
    return Place(api, store["id"])


@pytest.mark.parametrize("version", ["2023-06-01", "1999-01-01", "2999-12-31", "nonsense", ""])
def test_any_api_version_is_served(place: Place, version: str) -> None:
    ok(place.api.with_headers(anthropic_version=version).get(place.notes.url))


BOTH = ["agent-memory-2026-07-22", "managed-agents-2026-04-01"]


@pytest.mark.parametrize(
    "beta", ["", BOTH[0], BOTH[1], "other-2025-01-01", f"other-2025-01-01,{BOTH[0]}", f"{BOTH[1]}, other", BOTH[0] * 2]
)
def test_one_beta_or_another_is_served(place: Place, beta: str) -> None:
    ok(place.api.with_headers(anthropic_beta=beta).get(place.notes.url))


@pytest.mark.parametrize(
    "beta", [",".join(BOTH), ", ".join(BOTH[::-1]), f"{BOTH[0]},other,{BOTH[1]}", f" {BOTH[0]} ,\t{BOTH[1]} "]
)
def test_both_betas_together_are_refused(place: Place, beta: str) -> None:
    for path in ("/v1/memory_stores", place.notes.url, place.notes.memories_url, place.notes.versions_url):
        refused(place.api.with_headers(anthropic_beta=beta).get(path), INVALID, "anthropic-beta")
    for path, body in POSTS.values():
        if "memory_stores" in path:
            answer = place.api.with_headers(anthropic_beta=beta).post(place.url(path), json=body)
            refused(answer, INVALID, "anthropic-beta")
    place.assert_untouched()


def test_the_workspace_header_must_name_the_callers_own(place: Place, workspace: str, other_api: Client) -> None:
    ok(place.api.with_headers(anthropic_workspace_id=workspace).get(place.notes.url))
    for other in ("wrkspc_other", workspace.upper(), workspace + "x"):
        refused(place.api.with_headers(anthropic_workspace_id=other).get(place.notes.url), FORBIDDEN)
    path, body = POSTS["create memory"]
    answer = place.api.with_headers(anthropic_workspace_id="wrkspc_other").post(place.url(path), json=body)
    refused(answer, FORBIDDEN)
    refused(other_api.with_headers(anthropic_workspace_id=workspace).get(place.notes.url), FORBIDDEN)
    place.assert_untouched()


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": "KEY"},
        {"X-API-KEY": "KEY"},
        {"Authorization": "Bearer KEY"},
        {"AUTHORIZATION": "bearer KEY"},
        {"authorization": "BEARER KEY"},
        {"x-api-key": "KEY", "Authorization": "Bearer KEY"},
    ],
    ids=str,
)
def test_both_ways_to_send_a_key(place: Place, headers: dict[str, str]) -> None:
    """Case 31."""
    sent = {name: value.replace("KEY", str(place.api.key)) for name, value in headers.items()}
    ok(place.api.with_key(None).get(place.notes.url, headers=sent))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "KEY"},
        {"Authorization": "Basic KEY"},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer KEYx"},
        {"x-api-key": "KEY", "Authorization": "Bearer other"},
        {"x-api-key": "other", "Authorization": "Bearer KEY"},
    ],
    ids=str,
)
def test_no_key_or_two_that_differ(place: Place, headers: dict[str, str]) -> None:
    sent = {name: value.replace("KEY", str(place.api.key)) for name, value in headers.items()}
    nobody = place.api.with_key(None)
    refused(nobody.get(place.notes.url, headers=sent), UNAUTHENTICATED)
    path, body = POSTS["create memory"]
    refused(nobody.post(place.url(path), json=body, headers=sent), UNAUTHENTICATED)
    place.assert_untouched()

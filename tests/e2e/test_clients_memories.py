"""The published clients, with nothing changed but the base URL and the key: memories and their versions."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from tests.e2e.walks import TEXT, Facts, Walk, invalid, not_found, refused, sha256

# --- memories ---


def test_a_memory_is_created_and_read(stores: Facts, memories: Facts) -> None:
    created = memories["created"]
    assert created == {
        "id": created["id"],
        "type": "memory",
        "memory_store_id": stores["created"]["id"],
        "memory_version_id": created["memory_version_id"],
        "path": "/notes/a.md",
        "content": TEXT,
        "content_sha256": sha256(TEXT),
        "content_size_bytes": len(TEXT.encode()),
        "created_at": created["created_at"],
        "updated_at": created["created_at"],
    }
    assert memories["retrieved"] == created
    assert memories["retrieved_basic"] == created | {"content": None}
    basic = memories["basic"]
    assert (basic["content"], basic["content_size_bytes"], basic["content_sha256"]) == (None, 0, sha256(""))


def test_the_largest_memory_comes_back_as_it_went(memories: Facts) -> None:
    large = memories["large"]
    assert (large["content_size_bytes"], large["content_sha256"]) == (102_400, sha256("\x01" * 102_400))
    assert memories["large_is_whole"] is True


def test_a_memory_is_changed_and_renamed(memories: Facts) -> None:
    created, updated, renamed = memories["created"], memories["updated"], memories["renamed"]
    assert (updated["id"], updated["path"], updated["content"]) == (created["id"], "/notes/a.md", "two")
    assert (renamed["id"], renamed["path"], renamed["content"]) == (created["id"], "/notes/z.md", "two")
    assert len({memory["memory_version_id"] for memory in (created, updated, renamed)}) == 3
    assert created["updated_at"] < updated["updated_at"] < renamed["updated_at"]


def test_memories_are_listed_over_all_pages(memories: Facts) -> None:
    paths = ["/e.md", "/large", "/notes/b.md", "/notes/deep/c.md", "/notes/deep/d.md", "/notes/z.md"]
    assert memories["paths"] == paths
    assert memories["children"] == ["/notes/b.md", "/notes/deep/", "/notes/z.md"]
    assert memories["folded"] == [{"type": "memory_prefix", "path": "/notes/deep/"}]
    unchanged = {path: path for path in ("/e.md", "/notes/deep/c.md", "/notes/deep/d.md")}
    assert memories["full"] == {**unchanged, "/notes/b.md": "", "/notes/z.md": "two"}


def test_conflicts_say_what_is_in_the_way(memories: Facts) -> None:
    def in_the_way(name: str) -> tuple[str, str]:
        error = refused(memories["refusals"][name], 409, "memory_path_conflict_error", "ConflictError")
        return error["conflicting_path"], error["conflicting_memory_id"]

    assert in_the_way("taken") == ("/notes/z.md", memories["created"]["id"])
    path, memory_id = in_the_way("below_a_file")
    assert (path, memory_id[:4]) == ("/e.md", "mem_")
    assert in_the_way("a_directory") == ("/notes/deep", "")
    for name in ("stale", "stale_delete"):
        refused(memories["refusals"][name], 409, "memory_precondition_failed_error", "ConflictError")


def test_refusals_of_memories_are_the_clients_own_errors(memories: Facts) -> None:
    invalid(memories["refusals"]["bad_path"], "path")
    not_found(memories["refusals"]["unknown"])
    not_found(memories["refusals"]["deleted"])
    assert memories["deleted"] == {"id": memories["basic"]["id"], "type": "memory_deleted"}


# --- versions ---


def test_versions_tell_what_happened(walked: Walk, memories: Facts, versions: Facts) -> None:
    created, updated, renamed = memories["created"], memories["updated"], memories["renamed"]
    newest, middle, oldest = versions["of_memory"]
    assert [version["id"] for version in versions["of_memory"]] == [
        memory["memory_version_id"] for memory in (renamed, updated, created)
    ]
    assert oldest == {
        "id": created["memory_version_id"],
        "type": "memory_version",
        "memory_store_id": created["memory_store_id"],
        "memory_id": created["id"],
        "operation": "created",
        "path": "/notes/a.md",
        "content": TEXT,
        "content_sha256": sha256(TEXT),
        "content_size_bytes": len(TEXT.encode()),
        "created_at": created["created_at"],
        "created_by": {"type": "api_actor", "api_key_id": walked.key_id},
        "redacted_at": None,
        "redacted_by": None,
    }
    assert [(version["operation"], version["path"], version["content"]) for version in (middle, newest)] == [
        ("modified", "/notes/a.md", "two"),
        ("modified", "/notes/z.md", "two"),
    ]
    assert versions["retrieved"] == oldest
    assert versions["retrieved_basic"] == oldest | {"content": None}


def test_versions_are_listed_over_all_pages_and_by_filters(walked: Walk, versions: Facts) -> None:
    everything = versions["everything"]
    operations = Counter(version["operation"] for version in everything)
    assert operations == {"created": 6, "modified": 2, "deleted": 1}
    assert [version["content"] for version in everything] == [None] * 9
    times = [version["created_at"] for version in everything]
    assert times == sorted(times, reverse=True)
    ids = [version["id"] for version in everything]
    assert versions["by_author"] == ids
    assert (versions["by_nobody"], versions["by_no_service"]) == ([], [])
    middle = versions["of_memory"][1]
    assert versions["at_one_time"] == [version["id"] for version in everything if at_once(version, middle)]
    (deletion,) = versions["deletions"]
    assert deletion == everything[0]
    assert (deletion["operation"], deletion["path"]) == ("deleted", "/notes/b.md")
    assert (deletion["content_sha256"], deletion["content_size_bytes"]) == (None, None)


def at_once(one: Facts, other: Facts) -> bool:
    return bool(one["created_at"] == other["created_at"])


def test_an_old_version_is_restored_and_then_redacted(walked: Walk, memories: Facts, versions: Facts) -> None:
    newest, _, oldest = versions["of_memory"]
    invalid(versions["head"])
    restored = versions["restored"]
    assert (restored["id"], restored["path"]) == (memories["created"]["id"], "/notes/z.md")
    assert restored["content_sha256"] == sha256(TEXT)
    assert restored["memory_version_id"] not in (newest["id"], oldest["id"])
    redacted = versions["redacted"]
    erased: Facts = {"content": None, "path": None, "content_size_bytes": None, "content_sha256": None}
    by: Facts = {"redacted_by": oldest["created_by"], "redacted_at": redacted["redacted_at"]}
    assert redacted == oldest | erased | by
    assert isinstance(redacted["redacted_at"], datetime)
    assert versions["redacted_again"] == redacted
    assert versions["kept_for_audit"] == redacted
    invalid(versions["restored_redacted"], "redacted")

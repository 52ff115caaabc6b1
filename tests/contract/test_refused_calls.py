"""AWS refuses a call once or for good, loses its reply, or lost a body: what the caller is told and what is stored."""

import pytest

from tests.contract.steps import StoreClient, refused
from tests.contract.writes import MEMORY_WRITES, WRITES, Rehearsal, Scene
from tests.support.client import Client, ok
from tests.support.faults import FOREVER, PUT_OBJECT, TRANSACT, Faults, Reply, cancelled, dynamodb, s3, throttled
from tests.support.logs import Logs
from tests.support.moto_backend import MotoBackend

pytestmark = pytest.mark.moto_only

UNEXPECTED = (500, "api_error")
TRY_LATER = {(429, "rate_limit_error"), (503, "overloaded_error")}


def hurried(moto: MotoBackend, api: Client) -> Client:
    """The same caller of a function with little time, so that it gives up soon."""
    return Client(moto.key_gateway(timeout=6), api.key)


# --- refusals that pass, and those that stay ---


@pytest.mark.parametrize("name", WRITES)
def test_every_call_throttled_once_is_retried(
    moto: MotoBackend, api: Client, other_api: Client, faults: Faults, name: str
) -> None:
    rehearsal = Rehearsal.of(WRITES[name], Scene.set_up(other_api), moto.wire.operations)
    scene = Scene.set_up(api)
    stores, keys = scene.counts()
    with faults.refuse("", throttled, each_once=True):
        ok(WRITES[name](scene))
    assert scene.seen() == rehearsal.done
    assert scene.counts() == (stores + rehearsal.more[0], keys + rehearsal.more[1])


@pytest.mark.parametrize("name", WRITES)
def test_every_reply_lost_once_is_no_failure_and_doubles_nothing(
    moto: MotoBackend, api: Client, other_api: Client, faults: Faults, name: str
) -> None:
    rehearsal = Rehearsal.of(WRITES[name], Scene.set_up(other_api), moto.wire.operations)
    scene = Scene.set_up(api)
    stores, keys = scene.counts()
    with faults.lose_reply("", each_once=True):
        answer = WRITES[name](scene)
    ok(answer)
    assert scene.seen() == rehearsal.done
    assert scene.counts() == (stores + rehearsal.more[0], keys + rehearsal.more[1])


@pytest.mark.parametrize("name", WRITES)
def test_a_lost_reply_of_any_one_write_is_no_failure_and_doubles_nothing(
    moto: MotoBackend, api: Client, other_api: Client, faults: Faults, name: str
) -> None:
    """The reads between are not disturbed, so that what they say of an earlier try is believed."""
    rehearsal = Rehearsal.of(WRITES[name], Scene.set_up(other_api), moto.wire.operations)
    for nth in rehearsal.turns:
        operation = rehearsal.calls[nth - 1]
        if operation.partition(".")[2].startswith(("Get", "BatchGet", "Query")):
            continue
        scene = Scene.set_up(api)
        stores, keys = scene.counts()
        with faults.lose_reply("", nth=nth):
            answer = WRITES[name](scene)
        assert answer.status == 200, f"{operation} ({nth}): {answer.text}"
        assert scene.seen() == rehearsal.done, f"{operation} ({nth})"
        assert scene.counts() == (stores + rehearsal.more[0], keys + rehearsal.more[1]), f"{operation} ({nth})"
        scene.tear_down()


@pytest.mark.parametrize("name", ["create", "update", "rename", "delete"])
def test_replies_of_the_commit_that_are_always_lost_double_nothing(
    moto: MotoBackend, api: Client, other_api: Client, faults: Faults, name: str
) -> None:
    """The outcome stays unknown for the caller; what a reader sees is whole, and there once."""
    write = MEMORY_WRITES[name]
    rehearsal = Rehearsal.of(write, Scene.set_up(other_api), [])
    scene = Scene.set_up(hurried(moto, api))
    with faults.lose_reply(TRANSACT, times=FOREVER):
        answer = write(scene)
    assert answer.status == 200 or answer.status >= 500, answer.text
    seen = scene.seen()
    assert seen in (rehearsal.before, rehearsal.done)
    if answer.status == 200:
        assert seen == rehearsal.done


@pytest.mark.parametrize(
    "reply",
    [cancelled("TransactionConflict", 0), cancelled("ThrottlingError", -1), dynamodb("ThrottlingException")],
    ids=["conflict", "throttled inside", "throttled"],
)
def test_a_commit_refused_until_the_time_is_up_asks_to_come_back(
    moto: MotoBackend, api: Client, faults: Faults, reply: Reply
) -> None:
    scene = Scene.set_up(hurried(moto, api))
    before = scene.seen()
    with faults.refuse(TRANSACT, reply, times=FOREVER):
        answer = scene.notes.create("/new")
    assert answer.failure in TRY_LATER
    assert scene.seen() == before
    ok(scene.notes.create("/new"))


@pytest.mark.parametrize(
    ("code", "status"), [("ConditionalRequestConflict", 409), ("SlowDown", 503), ("InternalError", 500)]
)
def test_a_body_refused_once_is_put_again(notes: StoreClient, faults: Faults, code: str, status: int) -> None:
    with faults.refuse(PUT_OBJECT, s3(code, status)):
        memory = ok(notes.create("/a", "text"))
    assert ok(notes.get(memory["id"]))["content"] == "text"


@pytest.mark.parametrize(("code", "status"), [("SlowDown", 503), ("ConditionalRequestConflict", 409)])
def test_a_body_that_cannot_be_put_leaves_no_memory(
    moto: MotoBackend, api: Client, faults: Faults, code: str, status: int
) -> None:
    scene = Scene.set_up(hurried(moto, api))
    before = scene.seen()
    with faults.refuse(PUT_OBJECT, s3(code, status), times=FOREVER):
        answers = [scene.notes.create("/new"), scene.notes.update(scene.a["id"], {"content": "newer"})]
    assert {answer.failure for answer in answers} <= TRY_LATER
    assert scene.seen() == before


@pytest.mark.parametrize("operation", ["s3.GetObject", "dynamodb"])
def test_reads_throttled_until_the_time_is_up_ask_to_come_back(
    moto: MotoBackend, api: Client, faults: Faults, operation: str
) -> None:
    scene = Scene.set_up(hurried(moto, api))
    with faults.refuse(operation, throttled, times=FOREVER):
        answers = [scene.notes.get(scene.a["id"]), scene.notes.list_memories(view="full")]
    assert {answer.failure for answer in answers} <= TRY_LATER


# --- bodies that are not there ---


def test_a_read_that_lost_its_body_to_a_redaction_starts_over(api: Client, faults: Faults) -> None:
    """Between the row and the body, another caller writes a newer version and redacts the one that was read."""
    scene = Scene.set_up(api)
    head = ok(scene.notes.get(scene.a["id"]))["memory_version_id"]

    def overtake() -> None:
        ok(scene.notes.update(scene.a["id"], {"content": "newest"}))
        ok(scene.notes.redact(head))

    with faults.meanwhile("s3.GetObject", overtake) as happened:
        answer = scene.notes.get(scene.a["id"])
    assert happened
    assert ok(answer)["content"] == "newest"


def test_a_version_read_while_it_is_redacted_is_read_as_redacted(api: Client, faults: Faults) -> None:
    scene = Scene.set_up(api)
    version = scene.a["memory_version_id"]
    with faults.meanwhile("s3.GetObject", lambda: ok(scene.notes.redact(version))) as happened:
        answer = scene.notes.version(version)
    assert happened
    assert (ok(answer)["content"], answer.json["content_sha256"]) == (None, None)


def test_a_body_that_is_missing_is_an_unexpected_error(moto: MotoBackend, notes: StoreClient, logs: Logs) -> None:
    memory = notes.created("/a", "text")
    for found in moto.s3.list_objects_v2(Bucket=moto.bucket_name)["Contents"]:
        moto.s3.delete_object(Bucket=moto.bucket_name, Key=found["Key"])
    answer = notes.get(memory["id"])
    refused(answer, UNEXPECTED)
    assert "NoSuchKey" not in answer.text
    assert "ERROR" in {record.get("level") for record in logs.records}
    assert notes.paths() == ["/a"], "the list without content still works"

"""A file and a file below it, with one request run whole before each AWS call of the other: never both, never neither.

Threads meet the narrow moments of the tree rule by chance; here each of them is chosen.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from tests.contract.steps import PATH_CONFLICT, Json, StoreClient, refused
from tests.support.client import Answer, Client, ok
from tests.support.faults import Faults
from tests.support.moto_backend import MotoBackend

pytestmark = pytest.mark.moto_only

Call = Callable[[], Answer]
Write = Callable[[StoreClient, str], Call]  # what a write needs is there before it is called


@pytest.fixture
def notes(api: Client, store: Json) -> StoreClient:
    return StoreClient(api, store["id"])


@pytest.fixture
def hasty(moto: MotoBackend, notes: StoreClient) -> StoreClient:
    """The same caller through a function that has only a second or so, and gives up on what the other one holds."""
    return StoreClient(Client(moto.key_gateway(timeout=6), notes.api.key), notes.id)


def create_file(notes: StoreClient, directory: str) -> Call:
    return partial(notes.create, directory)


def create_below(notes: StoreClient, directory: str) -> Call:
    return partial(notes.create, f"{directory}/x")


def rename_below(notes: StoreClient, directory: str) -> Call:
    return partial(notes.update, notes.created(f"/aside{directory}")["id"], {"path": f"{directory}/deep/x"})


def emptied(notes: StoreClient, name: str) -> str:
    """A directory whose last file is gone."""
    ok(notes.delete(notes.created(f"/{name}/last")["id"]))
    return f"/{name}"


def moments(moto: MotoBackend, notes: StoreClient, write: Write) -> list[tuple[str, int]]:
    """Each AWS call of a write, as operation and count; of many equal ones (the bumps of fences) the first two."""
    call = write(notes, emptied(notes, "rehearsal"))
    moto.wire.operations.clear()
    ok(call())
    seen: Counter[str] = Counter()
    calls = []
    for operation in moto.wire.operations:
        seen[operation] += 1
        if operation != "dynamodb.UpdateItem" or seen[operation] <= 2:
            calls.append((operation, seen[operation]))
    return calls


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (create_file, create_below),
        (create_below, create_file),
        (rename_below, create_file),
    ],
)
def test_whatever_the_moment_one_of_them_gets_the_path(
    moto: MotoBackend, faults: Faults, notes: StoreClient, hasty: StoreClient, outer: Write, inner: Write
) -> None:
    """Cases 13, 14 and 17: the directory is empty and would be given up to a file."""
    for number, (operation, nth) in enumerate(moments(moto, notes, outer)):
        directory = emptied(notes, f"d{number}")
        first, second = inner(hasty, directory), outer(notes, directory)
        with faults.meanwhile(operation, first, nth=nth) as answers:
            late = second()
        [early] = answers
        where = f"{inner.__name__} before {operation} {nth} of {outer.__name__}"
        assert [early.status, late.status].count(200) == 1, f"{where}: {early.status}, {late.status}"
        if early.status == 200:
            assert late.failure == PATH_CONFLICT, where
        elif early.status != 503:  # where the other was about to take the path, and kept it meanwhile
            refused(early, PATH_CONFLICT)
        living = [path for path in notes.paths() if path == directory or path.startswith(f"{directory}/")]
        assert living == [(early if early.status == 200 else late).json["path"]], where

"""The bodies of versions in S3: one object a version, written once, never shared and never changed."""

import base64
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from botocore.exceptions import ClientError

from memory_stores.domain.errors import BodyMissing
from memory_stores.storage.errors import OutcomeUnknown, Stale, code_of, translated

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from mypy_boto3_s3 import S3Client

T = TypeVar("T")
_DELETED_KEYS = 1000
_LISTED_KEYS = 100


class DamagedBody(Exception):
    """A stored body does not have the digest that its version says it has."""


class Bodies:
    """One bucket that is not versioned; every method may raise Throttled or OutcomeUnknown."""

    def __init__(self, client: "S3Client", bucket: str, executor: "Executor") -> None:
        self._client = client
        self._bucket = bucket
        self._executor = executor

    def put(self, key: str, body: bytes, sha256: str) -> None:
        """Write a new object; S3 itself refuses bytes that do not have the digest.

        A lost reply makes the repeat find the object there: the same checksum says that it is ours.
        """
        try:
            with translated():
                self._client.put_object(
                    Bucket=self._bucket,
                    Key=key,
                    Body=body,
                    ContentType="text/plain; charset=utf-8",
                    ChecksumAlgorithm="SHA256",
                    ChecksumSHA256=_checksum(sha256),
                    IfNoneMatch="*",
                )
        except ClientError as error:
            self._accept_own_object(error, key, sha256)

    def copy(self, source: str, key: str, sha256: str) -> None:
        """Give a version its own copy of another version's body; raises BodyMissing where that is gone.

        Not conditional: repeated after a lost reply, it writes the same bytes to the same key.
        """
        with translated(), _missing(source):
            answer = self._client.copy_object(
                Bucket=self._bucket,
                Key=key,
                CopySource={"Bucket": self._bucket, "Key": source},
                ChecksumAlgorithm="SHA256",
            )
        if answer["CopyObjectResult"].get("ChecksumSHA256", _checksum(sha256)) != _checksum(sha256):
            raise DamagedBody(source)

    def get(self, key: str) -> bytes:
        """The bytes of a body; raises BodyMissing."""
        with translated(), _missing(key):
            stream = self._client.get_object(Bucket=self._bucket, Key=key)["Body"]
        try:
            with translated():
                return stream.read()
        except OutcomeUnknown:  # botocore repeats calls, but not the reading of what they answer
            raise Stale from None

    def each(self, function: Callable[[T], T], items: Iterable[T]) -> list[T]:
        """Run a function that reads bodies over the items, side by side, in order."""
        return list(self._executor.map(function, items))

    def delete(self, key: str) -> None:
        """Remove a body for good; one that is not there is fine."""
        with translated():
            self._client.delete_object(Bucket=self._bucket, Key=key)

    def list_older(self, prefix: str, milliseconds: int) -> Iterator[list[str]]:
        """The keys below a prefix that were written before a time (since the epoch), up to 100 a step."""
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=prefix, PaginationConfig={"PageSize": _LISTED_KEYS}
        )
        with translated():
            for page in pages:
                entries = page.get("Contents", [])
                older = [entry["Key"] for entry in entries if entry["LastModified"].timestamp() * 1000 < milliseconds]
                if older:
                    yield older

    def delete_prefix(self, prefix: str) -> Iterator[int]:
        """Remove all objects below a prefix, up to 1,000 a step; yields how many each step removed."""
        while True:
            with translated():
                listed = self._client.list_objects_v2(Bucket=self._bucket, Prefix=prefix, MaxKeys=_DELETED_KEYS).get(
                    "Contents", []
                )
            if not listed:
                return
            with translated():
                answer = self._client.delete_objects(
                    Bucket=self._bucket, Delete={"Objects": [{"Key": entry["Key"]} for entry in listed], "Quiet": True}
                )
            if answer.get("Errors"):
                raise Stale
            yield len(listed)

    def _accept_own_object(self, error: ClientError, key: str, sha256: str) -> None:
        if code_of(error) == "ConditionalRequestConflict":
            raise Stale from error
        if code_of(error) != "PreconditionFailed":
            raise error
        with translated():
            head = self._client.head_object(Bucket=self._bucket, Key=key, ChecksumMode="ENABLED")
        if head.get("ChecksumSHA256") != _checksum(sha256):
            raise error


@contextmanager
def _missing(key: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if code_of(error) == "NoSuchKey":
            raise BodyMissing(key) from error
        raise


def _checksum(sha256: str) -> str:
    return base64.b64encode(bytes.fromhex(sha256)).decode()

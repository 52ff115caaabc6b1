"""A request, read from the event of an HTTP API."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self
from urllib.parse import parse_qsl

from memory_stores.domain.errors import InvalidRequest, RequestTooLarge
from memory_stores.http import json_body

_MAX_QUERY_FIELDS = 100


@dataclass(frozen=True)
class Request:
    """One request; header names are lowercase, `iam_arn` is set where the gateway has checked a signature."""

    method: str
    path: str
    route_key: str
    path_parameters: Mapping[str, str]
    raw_query: str
    headers: Mapping[str, str]
    iam_arn: str | None
    iam_access_key_id: str
    raw_body: str
    is_base64: bool

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> Self:
        """Read an event; nothing in it is judged yet."""
        context = event["requestContext"]
        iam = context.get("authorizer", {}).get("iam") or {}
        return cls(
            method=context["http"]["method"],
            path=event.get("rawPath", ""),
            route_key=event["routeKey"],
            path_parameters=event.get("pathParameters") or {},
            raw_query=event.get("rawQueryString", ""),
            headers={name.lower(): value for name, value in (event.get("headers") or {}).items()},
            iam_arn=iam.get("userArn"),
            iam_access_key_id=iam.get("accessKey") or "",
            raw_body=event.get("body") or "",
            is_base64=bool(event.get("isBase64Encoded")),
        )

    @cached_property
    def query(self) -> dict[str, list[str]]:
        """The decoded query parameters. Raises InvalidRequest for what is not percent-encoded UTF-8."""
        try:
            pairs = parse_qsl(self.raw_query, keep_blank_values=True, errors="strict", max_num_fields=_MAX_QUERY_FIELDS)
        except UnicodeDecodeError:
            raise InvalidRequest("the query string is not percent-encoded UTF-8") from None
        except ValueError:
            raise InvalidRequest(f"the query string has more than {_MAX_QUERY_FIELDS} parameters") from None
        query: dict[str, list[str]] = {}
        for name, value in pairs:
            query.setdefault(name, []).append(value)
        return query

    def json_object(self, *, max_bytes: int, may_be_empty: bool) -> dict[str, Any]:
        """The body as a JSON object; where it may be empty, no body is an empty object.

        Raises InvalidRequest where it is anything else, RequestTooLarge where it is larger than `max_bytes`.
        """
        body = self._body()
        if len(body) > max_bytes:
            raise RequestTooLarge(f"the request body is larger than {max_bytes} bytes")
        if not body and may_be_empty:
            return {}
        media_type, _, parameters = self.headers.get("content-type", "application/json").partition(";")
        if media_type.strip().lower() != "application/json":
            raise InvalidRequest("must be application/json", "content-type")
        if "charset" in parameters.lower() and "utf-8" not in parameters.lower():
            raise InvalidRequest("must have the charset utf-8", "content-type")
        return json_body.parse_object(body)

    def _body(self) -> bytes:
        try:
            return base64.b64decode(self.raw_body, validate=True) if self.is_base64 else self.raw_body.encode()
        except (binascii.Error, ValueError):
            raise InvalidRequest("the body is not what its encoding says") from None

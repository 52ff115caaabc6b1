"""A stand-in for an HTTP API in this process: matches the routes, builds payload 2.0 events, calls the handlers."""

from __future__ import annotations

import base64
import itertools
import json
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from memory_stores.routes import ROUTES

Event = dict[str, Any]
Handler = Callable[[Event, Any], Mapping[str, Any]]

MAX_INVOCATION_BYTES = 6 * 1024 * 1024
ACCOUNT = "123456789012"
_TEXT_TYPES = ("text/", "application/json", "application/javascript", "application/xml")
_numbers = itertools.count(1)


@dataclass
class Context:
    """What Lambda gives a handler beside the event."""

    function_name: str
    timeout: float
    memory_limit_in_mb: int = 512
    function_version: str = "$LATEST"
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    started: float = field(default_factory=time.monotonic)

    @property
    def invoked_function_arn(self) -> str:
        return f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        return max(0, int((self.timeout - (time.monotonic() - self.started)) * 1000))


@dataclass
class Gateway:
    """One door. `iam` is the caller the IAM authorizer found (signed door); `base_path` is what a named stage or a
    custom domain's mapping puts before the path; `timeout` is the function's, in seconds."""

    handler: Callable[[str], Handler]
    iam: dict[str, Any] | None = None
    stage: str = "$default"
    base_path: str = ""
    timeout: float = 29

    def __call__(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, dict[str, str], bytes]:
        return self.invoke(self.event(method, target, headers, body))

    def event(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Event:
        """The event API Gateway would build for this request."""
        path, _, query = target.partition("?")
        raw_path = unquote(path).partition("?")[0]  # an HTTP API decodes the path and cuts it at a decoded `?`
        function, key, parameters = _match(method, raw_path)
        lower = {name.lower(): value for name, value in headers.items()}
        lower.setdefault("host", f"{_host(self)}")
        lower["content-length"] = str(len(body or b""))
        event: Event = {
            "version": "2.0",
            "routeKey": key,
            "rawPath": self.base_path + raw_path,
            "rawQueryString": query,
            "headers": lower,
            "requestContext": self._request_context(method, self.base_path + raw_path, key, lower),
            "isBase64Encoded": False,
            "_function": function,
        }
        if query:
            event["queryStringParameters"] = _joined(query)
        if parameters:
            event["pathParameters"] = parameters
        if body:
            event["body"], event["isBase64Encoded"] = _body(body, lower.get("content-type", ""))
        return event

    def invoke(self, event: Event) -> tuple[int, dict[str, str], bytes]:
        """Call the function an event is for; anything but a proxy answer that Lambda could carry fails."""
        event = dict(event)
        name = event.pop("_function")
        sent = json.loads(json.dumps(event))
        assert len(json.dumps(sent, ensure_ascii=False).encode()) <= MAX_INVOCATION_BYTES, "the gateway answers 413"
        result = self.handler(name)(sent, Context(name, self.timeout))
        assert len(json.dumps(result, ensure_ascii=False).encode()) <= MAX_INVOCATION_BYTES, "Lambda would refuse this"
        headers = {name.lower(): str(value) for name, value in (result.get("headers") or {}).items()}
        body = result.get("body") or ""
        raw = base64.b64decode(body) if result.get("isBase64Encoded") else body.encode()
        return result["statusCode"], headers, raw

    def _request_context(self, method: str, path: str, key: str, headers: dict[str, str]) -> dict[str, Any]:
        context: dict[str, Any] = {
            "accountId": ACCOUNT if self.iam else "anonymous",
            "apiId": "api",
            "domainName": _host(self),
            "domainPrefix": _host(self).partition(".")[0],
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.1",
                "userAgent": headers.get("user-agent", "tests"),
            },
            "requestId": f"JKJaXmPLvHcESHA{next(_numbers):06d}=",
            "routeKey": key,
            "stage": self.stage,
            "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime()),
            "timeEpoch": int(time.time() * 1000),
        }
        if self.iam:
            context["authorizer"] = {"iam": self.iam}
        return context


def iam_caller(arn: str, session_name: str = "session", access_key: str = "ASIAIOSFODNN7EXAMPLE") -> dict[str, Any]:
    """What the IAM authorizer says of a role's session (or, for another ARN, of whom it names)."""
    account, _, resource = arn.split(":", 4)[4].partition(":")
    if resource.startswith("role/"):
        arn = f"arn:aws:sts::{account}:assumed-role/{resource.rpartition('/')[2]}/{session_name}"
    return {
        "accessKey": access_key,
        "accountId": account,
        "callerId": f"AROAEXAMPLE:{session_name}",
        "cognitoIdentity": None,
        "principalOrgId": "aws:PrincipalOrgID",
        "userArn": arn,
        "userId": f"AROAEXAMPLE:{session_name}",
    }


def _host(gateway: Gateway) -> str:
    return "memory.example.com" if gateway.base_path and gateway.stage == "$default" else "api.execute-api.example.com"


def _match(method: str, path: str) -> tuple[str, str, dict[str, str]]:
    segments = path.split("/")
    for route in sorted(ROUTES, key=lambda route: route.path.count("{")):
        pattern = route.path.split("/")
        if route.method != method or len(pattern) != len(segments):
            continue
        pairs = list(zip(pattern, segments, strict=True))
        if all(there if wanted.startswith("{") else wanted == there for wanted, there in pairs):
            found = {wanted[1:-1]: there for wanted, there in pairs if wanted.startswith("{")}
            return route.function, route.key, found
    return "unrouted", "$default", {}


def _joined(query: str) -> dict[str, str]:
    values: dict[str, list[str]] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        values.setdefault(name, []).append(value)
    return {name: ",".join(several) for name, several in values.items()}


def _body(body: bytes, content_type: str) -> tuple[str, bool]:
    """An HTTP API hands text over as it is, where it is UTF-8, and everything else in base64."""
    if content_type.lower().startswith(_TEXT_TYPES):
        try:
            return body.decode(), False
        except UnicodeDecodeError:
            pass
    return base64.b64encode(body).decode(), True

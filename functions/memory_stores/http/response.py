"""A response in the form that an HTTP API takes from a function."""

import json
from collections.abc import Mapping
from typing import Any


def response(status: int, body: Mapping[str, Any], request_id: str, **headers: str) -> dict[str, Any]:
    """A JSON response; every one carries its `request-id`, and none may be kept by a cache."""
    return {
        "statusCode": status,
        "headers": {
            "content-type": "application/json",
            "cache-control": "no-store",
            "request-id": request_id,
            **headers,
        },
        "body": json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        "isBase64Encoded": False,
    }

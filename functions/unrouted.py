"""The function of all requests that no route takes: 405 for a known path, 404 for the rest, in the same envelope."""

import re
from collections.abc import Mapping
from typing import Any, NoReturn

from memory_stores.boundary import answer
from memory_stores.domain.errors import MethodNotAllowed, NotFound
from memory_stores.http.request import Request
from memory_stores.routes import ROUTES


def handler(event: Mapping[str, Any], _: Any) -> dict[str, Any]:
    """Answer an event of the `$default` route."""
    return answer(event, _refuse)


def _refuse(request: Request) -> NoReturn:
    allowed = sorted({route.method for route in ROUTES if _ends_with(request.path, route.path)})
    if allowed and request.method not in allowed:
        raise MethodNotAllowed(request.method, allowed)
    raise NotFound("route", f"{request.method} {request.path}")


def _ends_with(path: str, route_path: str) -> bool:
    """Whether a path is the route's, behind whatever stage or base path the request came through."""
    pattern = re.sub(r"\{\w+\}", "[^/]+", route_path)
    return re.fullmatch(f"(?:/[^/]+)*{pattern}", path) is not None

"""An endpoint: what one operation takes, how it is run, and what is published about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memory_stores.http.fields import Field, parse_body, parse_query
from memory_stores.http.request import Request
from memory_stores.operations.context import Context

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an endpoint: `path`, `body` and `query` hold the parsed parameters that were given."""

    context: Context
    path: Mapping[str, str]
    body: Mapping[str, Any]
    query: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A function with its declared parameters; `body` is None where it takes none, `answers` names the schema."""

    run: Callable[[Call], Json]
    answers: str
    body: tuple[Field, ...] | None
    query: tuple[Field, ...]

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (self.run.__doc__ or "").strip().partition("\n")[0]

    @property
    def description(self) -> str:
        """The rest of the docstring, as one line; it may be empty."""
        return " ".join((self.run.__doc__ or "").strip().partition("\n")[2].split())

    def __call__(self, context: Context, request: Request) -> Json:
        """Parse the request and run it. Raises what parsing and the operation raise."""
        query = parse_query(request, self.query)
        # What a GET carries means nothing; but fields of a DELETE may be a guard, which must not be lost in silence.
        is_read = request.method != "GET"
        body = parse_body(request, self.body or (), context.limits.max_body_bytes) if is_read else {}
        return self.run(Call(context, request.path_parameters, body, query))


def endpoint(
    answers: str, *, body: tuple[Field, ...] | None = None, query: tuple[Field, ...] = ()
) -> Callable[[Callable[[Call], Json]], Endpoint]:
    """Declare what a function takes and answers."""

    def declare(run: Callable[[Call], Json]) -> Endpoint:
        return Endpoint(run, answers, body, query)

    return declare

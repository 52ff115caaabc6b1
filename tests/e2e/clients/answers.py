"""What the walks make of answers and refusals of the `anthropic` package."""

from collections.abc import Callable, Iterable
from typing import Any

import anthropic

Facts = dict[str, Any]


def plain(answer: Any) -> Any:
    """The answer as JSON, once it has been found to be what the package's types say."""
    fields = answer.to_dict(mode="json")
    type(answer).model_validate(fields)
    return fields


def strictly(raw: Any) -> Any:
    """The same of a raw response: its very text has to be of the package's types, nothing converted."""
    answer = raw.parse()
    type(answer).model_validate_json(raw.http_response.content, strict=True)
    return plain(answer)


def ids(answers: Iterable[Any]) -> list[str]:
    return [answer.id for answer in answers]


def refusal(call: Callable[[], object]) -> Facts:
    """How a call is refused."""
    try:
        call()
    except anthropic.APIStatusError as error:
        return {
            "class": type(error).__name__,
            "status": error.status_code,
            "body": error.body,
            "request_id": error.request_id,
        }
    return {"class": None}

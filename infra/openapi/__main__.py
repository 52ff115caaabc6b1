"""`make openapi`: write the document to where it is kept."""

import json

from infra import PROJECT
from infra.openapi.document import document

FILE = PROJECT / "docs" / "openapi.json"


def text() -> str:
    """The document as it is kept: the same for the same code."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text(), encoding="utf-8")

"""What the functions print, to look for what must not be there."""

import json
import logging
import sys
from typing import Any

import pytest


class _StandardOutput:
    """Whatever the standard output is at the moment: the test runner replaces it from phase to phase."""

    def write(self, text: str) -> int:
        return sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()


class Logs:
    """All that is printed to the standard output from now on, through any logger or otherwise."""

    def __init__(self, capture: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capture = capture
        self._text = ""
        for logger in logging.root.manager.loggerDict.values():
            for handler in getattr(logger, "handlers", ()):
                if type(handler) is logging.StreamHandler:  # not those of pytest, which derive from it
                    monkeypatch.setattr(handler, "stream", _StandardOutput())

    @property
    def text(self) -> str:
        """Everything, as it was printed."""
        self._text += self._capture.readouterr().out
        return self._text

    @property
    def records(self) -> list[dict[str, Any]]:
        """The structured records, one JSON object a line."""
        return [json.loads(line) for line in self.text.splitlines() if line.startswith("{")]

    def clear(self) -> None:
        """Forget what was printed so far."""
        self._capture.readouterr()
        self._text = ""

"""The option that says which backends the contract tests run over."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--backend",
        choices=("moto", "ministack", "all"),
        default="moto",
        help="where the contract tests run: in process over moto (default), over a deployed MiniStack, or both",
    )

"""The stages of `make test`: their choice, their budgets and their failures."""

import time

import pytest

from tests.__main__ import STAGES, Stage, StageError, choose, run


def test_all_budgets_together_are_15_minutes() -> None:
    assert sum(stage.budget for stage in STAGES) <= 15 * 60


def test_stages_are_chosen_by_name() -> None:
    assert [stage.name for stage in choose(["types", "lint"])] == ["lint", "types"]
    assert choose([]) == list(STAGES)
    with pytest.raises(StageError, match=r"^No such stage: nonsense \(there are lint, types, "):
        choose(["nonsense"])


def test_a_stage_that_passes() -> None:
    _run(Stage("good", 10, [["true"], ["true"]]))


def test_a_command_that_fails_ends_its_stage() -> None:
    with pytest.raises(StageError, match=r"^Stage bad failed: `false` ended with 1\.$"):
        _run(Stage("bad", 10, [["false"], ["sleep", "60"]]))


def test_a_stage_over_its_budget_is_ended() -> None:
    with pytest.raises(StageError, match=r"^Stage slow is over its budget of 0 s\.$"):
        _run(Stage("slow", 0, [["sleep", "60"]]))


def _run(stage: Stage) -> None:
    run(stage, time.monotonic() + stage.budget)

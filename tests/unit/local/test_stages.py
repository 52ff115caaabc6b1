"""The stages of `make test`: their choice, their budgets and their failures."""

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
    assert run(Stage("good", 10, [["true"], ["true"]])).endswith(" of 10 s")


def test_a_command_that_fails_ends_its_stage() -> None:
    with pytest.raises(StageError, match=r"^Stage bad failed: `false` ended with 1\.$"):
        run(Stage("bad", 10, [["false"], ["sleep", "60"]]))


def test_a_stage_over_its_budget_says_so() -> None:
    assert run(Stage("quick", 10, [["true"]])) == "0 s of 10 s"
    assert run(Stage("slow", 1, [["sleep", "1.1"]])) == "1 s of 1 s, OVER ITS BUDGET"


def test_a_stage_that_is_stuck_is_ended() -> None:
    with pytest.raises(StageError, match=r"^Stage stuck is stuck: it took 0 s\.$"):
        run(Stage("stuck", 0, [["sleep", "60"]]))

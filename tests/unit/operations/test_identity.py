"""The ARN by which an IAM identity is known."""

import pytest
from memory_stores.operations.identity import principal_arn


@pytest.mark.parametrize(
    ("arn", "principal"),
    [
        ("arn:aws:sts::111122223333:assumed-role/Agent/one", "arn:aws:sts::111122223333:assumed-role/Agent"),
        ("arn:aws:sts::111122223333:assumed-role/Agent/a@b=c", "arn:aws:sts::111122223333:assumed-role/Agent"),
        ("arn:aws-cn:sts::111122223333:assumed-role/Agent/one", "arn:aws-cn:sts::111122223333:assumed-role/Agent"),
        ("arn:aws:iam::111122223333:role/Agent", "arn:aws:sts::111122223333:assumed-role/Agent"),
        ("arn:aws:iam::111122223333:role/team/blue/Agent", "arn:aws:sts::111122223333:assumed-role/Agent"),
        ("arn:aws:iam::111122223333:user/team/ann", "arn:aws:iam::111122223333:user/team/ann"),
        ("arn:aws:iam::111122223333:root", "arn:aws:iam::111122223333:root"),
    ],
)
def test_sessions_of_one_role_are_one_principal(arn: str, principal: str) -> None:
    assert principal_arn(arn) == principal

"""What both stacks have in common: name, way of deployment, and what happens to their data when they go."""

from aws_cdk import CliCredentialsStackSynthesizer, DefaultStackSynthesizer, RemovalPolicy, Stack
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.settings import Settings

_RETENTION = {
    1: logs.RetentionDays.ONE_DAY,
    3: logs.RetentionDays.THREE_DAYS,
    7: logs.RetentionDays.ONE_WEEK,
    14: logs.RetentionDays.TWO_WEEKS,
    30: logs.RetentionDays.ONE_MONTH,
    90: logs.RetentionDays.THREE_MONTHS,
    180: logs.RetentionDays.SIX_MONTHS,
    365: logs.RetentionDays.ONE_YEAR,
    731: logs.RetentionDays.TWO_YEARS,
    1827: logs.RetentionDays.FIVE_YEARS,
    3653: logs.RetentionDays.TEN_YEARS,
}


class ProjectStack(Stack):
    """A stack of this project, bound to no account and no region."""

    def __init__(self, scope: Construct, part: str, settings: Settings, description: str) -> None:
        by_cli = settings.deploy_with_cli_credentials
        super().__init__(
            scope,
            part.title(),
            stack_name=f"{settings.name}-{part}",
            description=description,
            synthesizer=CliCredentialsStackSynthesizer() if by_cli else DefaultStackSynthesizer(),
        )


def removal_policy(settings: Settings) -> RemovalPolicy:
    """What happens to data and logs when their stack is deleted."""
    return RemovalPolicy.RETAIN if settings.retain_data else RemovalPolicy.DESTROY


def log_group(scope: Construct, construct_id: str, settings: Settings) -> logs.LogGroup:
    """A log group with the deployment's retention. Its name is generated, so a retained one is in nobody's way."""
    return logs.LogGroup(
        scope, construct_id, retention=_RETENTION[settings.log_retention_days], removal_policy=removal_policy(settings)
    )

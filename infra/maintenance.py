"""Background work: a schedule that wakes the maintenance function, and a queue that keeps what failed."""

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.functions import Functions
from infra.nag import acknowledge

_INTERVAL = Duration.minutes(5)


class Maintenance(Construct):
    """Works the queue of purges and redactions every five minutes; after a failed run, the next one goes on."""

    def __init__(self, scope: Construct, construct_id: str, functions: Functions) -> None:
        super().__init__(scope, construct_id)
        self.failures = sqs.Queue(
            self,
            "Failures",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
        )
        acknowledge(
            self.failures,
            "This is where failures end: nothing consumes it, so nothing can fail to.",
            "AwsSolutions-SQS3",
            "Serverless-SQSRedrivePolicy",
        )
        self.function: lambda_.Function = functions.add(
            "maintenance", timeout=_INTERVAL, failures=destinations.SqsDestination(self.failures)
        )
        events.Rule(
            self,
            "Schedule",
            schedule=events.Schedule.rate(_INTERVAL),
            targets=[targets.LambdaFunction(self.function, dead_letter_queue=self.failures)],
        )

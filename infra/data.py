"""The data stack: one table, one bucket for bodies. Both outlive the stack unless it is a throw-away one."""

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.nag import acknowledge
from infra.settings import Settings
from infra.stack import ProjectStack, removal_policy

LOCAL_INDEXES = ("by_created", "by_memory")


class DataStack(ProjectStack):
    """Holds what must never be lost: rows in the table, bodies in the bucket."""

    def __init__(self, scope: Construct, settings: Settings) -> None:
        super().__init__(scope, "data", settings, "Memory stores: table and bucket")
        # A new stack would start with an empty table beside the retained one.
        self.termination_protection = settings.retain_data
        self.table = self._table(settings)
        self.bucket = self._bucket(settings)
        # An export with a name of its own: the acknowledgements for cdk-nag have to spell it.
        self.bodies_export = f"{settings.name}-bodies-arn"
        self.bucket_arn = self.export_value(self.bucket.bucket_arn, name=self.bodies_export)
        CfnOutput(self, "TableName", value=self.table.table_name)
        CfnOutput(self, "BucketName", value=self.bucket.bucket_name)

    def _table(self, settings: Settings) -> dynamodb.Table:
        string = dynamodb.AttributeType.STRING
        table = dynamodb.Table(
            self,
            "Table",
            partition_key=dynamodb.Attribute(name="pk", type=string),
            sort_key=dynamodb.Attribute(name="sk", type=string),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            time_to_live_attribute="expires",
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            deletion_protection=settings.retain_data,
            removal_policy=removal_policy(settings),
        )
        # Local indexes can only be made with the table: the product lists on both from its first day.
        for index in LOCAL_INDEXES:
            table.add_local_secondary_index(
                index_name=index,
                sort_key=dynamodb.Attribute(name=index, type=string),
                projection_type=dynamodb.ProjectionType.ALL,
            )
        return table

    def _bucket(self, settings: Settings) -> s3.Bucket:
        bucket = s3.Bucket(
            self,
            "Bodies",
            # The product keeps versions itself; in a versioned bucket a redaction would leave the bytes behind.
            versioned=False,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            lifecycle_rules=[s3.LifecycleRule(abort_incomplete_multipart_upload_after=Duration.days(1))],
            removal_policy=removal_policy(settings),
        )
        acknowledge(
            bucket,
            "Only the functions reach the bucket and each request is in the access log of its door; server access logs "
            "would need a second bucket. Where object-level audit is wanted, CloudTrail data events give it.",
            "AwsSolutions-S1",
        )
        return bucket

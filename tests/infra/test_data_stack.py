"""The table and the bucket: what keeps data safe, and what a throw-away deployment gives up."""

from tests.infra.assembly import Assembly


def test_the_table_has_one_key_schema_and_two_local_indexes(default: Assembly) -> None:
    table = default.data.only("AWS::DynamoDB::Table")["Properties"]
    assert table["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]
    assert {(item["AttributeName"], item["AttributeType"]) for item in table["AttributeDefinitions"]} == {
        ("pk", "S"),
        ("sk", "S"),
        ("by_created", "S"),
        ("by_memory", "S"),
    }
    assert {
        (index["IndexName"], index["KeySchema"][0]["AttributeName"], index["KeySchema"][1]["AttributeName"])
        for index in table["LocalSecondaryIndexes"]
    } == {("by_created", "pk", "by_created"), ("by_memory", "pk", "by_memory")}
    assert all(index["Projection"] == {"ProjectionType": "ALL"} for index in table["LocalSecondaryIndexes"])
    assert "GlobalSecondaryIndexes" not in table
    assert "StreamSpecification" not in table


def test_the_table_is_paid_on_demand_and_expires_rows(default: Assembly) -> None:
    table = default.data.only("AWS::DynamoDB::Table")["Properties"]
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert "ProvisionedThroughput" not in table
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires", "Enabled": True}


def test_the_table_can_be_restored_and_not_be_deleted(default: Assembly) -> None:
    table = default.data.only("AWS::DynamoDB::Table")
    assert table["Properties"]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["Properties"]["DeletionProtectionEnabled"] is True
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")


def test_the_stack_itself_is_protected_unless_it_is_a_throw_away_one(default: Assembly, changed: Assembly) -> None:
    for assembly, protected in ((default, True), (changed, False)):
        properties = assembly.json("manifest.json")["artifacts"]["Data"]["properties"]
        assert properties.get("terminationProtection", False) is protected


def test_the_bucket_keeps_one_version_and_is_private(default: Assembly) -> None:
    bucket = default.data.only("AWS::S3::Bucket")
    properties = bucket["Properties"]
    assert "VersioningConfiguration" not in properties
    assert properties["PublicAccessBlockConfiguration"] == {
        "BlockPublicAcls": True,
        "BlockPublicPolicy": True,
        "IgnorePublicAcls": True,
        "RestrictPublicBuckets": True,
    }
    assert properties["BucketEncryption"]["ServerSideEncryptionConfiguration"] == [
        {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    ]
    assert properties["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    assert (bucket["DeletionPolicy"], bucket["UpdateReplacePolicy"]) == ("Retain", "Retain")


def test_no_body_ever_expires(default: Assembly) -> None:
    rules = default.data.only("AWS::S3::Bucket")["Properties"]["LifecycleConfiguration"]["Rules"]
    assert rules == [{"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1}, "Status": "Enabled"}]


def test_the_bucket_refuses_requests_without_tls(default: Assembly) -> None:
    policy = default.data.only("AWS::S3::BucketPolicy")["Properties"]["PolicyDocument"]
    (statement,) = policy["Statement"]
    assert (statement["Effect"], statement["Action"], statement["Principal"]) == ("Deny", "s3:*", {"AWS": "*"})
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert len(statement["Resource"]) == 2  # the bucket and everything in it


def test_outputs(default: Assembly) -> None:
    table, bucket = default.data.of_type("AWS::DynamoDB::Table"), default.data.of_type("AWS::S3::Bucket")
    assert default.data.outputs["TableName"]["Value"] == {"Ref": next(iter(table))}
    assert default.data.outputs["BucketName"]["Value"] == {"Ref": next(iter(bucket))}


def test_a_throw_away_deployment_leaves_nothing(changed: Assembly) -> None:
    table = changed.data.only("AWS::DynamoDB::Table")
    assert table["Properties"]["DeletionProtectionEnabled"] is False
    assert table["Properties"]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    kept = [
        name
        for template in (changed.data, changed.api)
        for name, resource in template.document["Resources"].items()
        if "Retain" in (resource.get("DeletionPolicy"), resource.get("UpdateReplacePolicy"))
    ]
    assert kept == []

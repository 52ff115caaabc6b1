"""Memory stores: long-term memory for AI agents on DynamoDB and S3."""

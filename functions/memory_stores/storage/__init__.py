"""DynamoDB and S3, the only places where state lives; nothing outside this package calls them."""

"""The published contract: an OpenAPI 3.1 document, made from the routes, the endpoints and the table of errors."""

"""HTTP as API Gateway hands it over (payload format 2.0): requests read, JSON bodies parsed, responses written."""

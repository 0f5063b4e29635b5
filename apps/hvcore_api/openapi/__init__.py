"""The OpenAPI document of the API, made of the route table."""

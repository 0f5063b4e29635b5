"""The pages of the API's address: what it is, and the description of every route."""

"""The use cases of the service: one class for each group of them, with its ports as fields."""

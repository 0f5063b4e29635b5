"""Use cases: one class per group, its ports as fields."""

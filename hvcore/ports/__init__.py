"""The core's needs of the world: one module per port."""

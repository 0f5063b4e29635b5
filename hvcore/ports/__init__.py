"""What the core needs from the world: one module per port."""

"""Send HTTP answers as fast as each client takes them, without holding a thread for slow clients."""

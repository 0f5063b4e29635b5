"""Send answers as fast as each client takes them."""

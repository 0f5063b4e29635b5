"""What answers at the addresses of the pages."""

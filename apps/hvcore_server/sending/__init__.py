"""Send answers at the pace of their viewers."""

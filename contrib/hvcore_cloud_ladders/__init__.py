"""What the transcoders of clouds share: reading what was made, places, and spending."""

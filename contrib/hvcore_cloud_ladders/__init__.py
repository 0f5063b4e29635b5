"""Code that the transcoders of clouds share: made files, places and spending."""

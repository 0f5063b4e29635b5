"""Code that cloud transcoders share: reading made files, storage addresses, limits of spending."""

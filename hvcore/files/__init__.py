"""Write files that other processes of the machine may read at the same time."""

"""Files that other processes of the machine read while they are written."""

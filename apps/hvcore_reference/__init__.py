"""The reference service: which apps run in which process, and how it is served."""

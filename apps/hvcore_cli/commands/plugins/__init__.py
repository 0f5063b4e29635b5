"""Commands that list plugins, check one, and write the files of a new one."""

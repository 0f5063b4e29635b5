"""The log lines and log files of processes."""

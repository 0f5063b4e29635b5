"""The loop that sends published files on many connections without a thread for each."""

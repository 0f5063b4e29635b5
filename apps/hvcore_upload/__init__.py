"""The upload address: files on their way in."""

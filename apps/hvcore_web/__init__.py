"""The Falcon code that all apps share."""

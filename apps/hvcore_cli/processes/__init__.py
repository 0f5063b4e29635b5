"""Commands that run processes of the service, one each or all on one machine under a supervisor."""

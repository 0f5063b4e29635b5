"""The processes of the service, run separately or all on one machine under a supervisor."""

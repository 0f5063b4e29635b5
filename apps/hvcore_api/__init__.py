"""The API app: Family A under ``/v1/api``, Family B under ``/v1``."""

"""The API app: routes by organization below ``/v1/api/{orgID}``, and by key below ``/v1``."""

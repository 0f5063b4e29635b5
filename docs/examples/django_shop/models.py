"""The tables of the shop."""

from django.db import models


class Order(models.Model):
    """A film that a customer may send."""

    # Type checkers read the quotes; whoever runs the plugin of django-stubs needs none.
    customer: "models.CharField[str, str]" = models.CharField(max_length=150)
    video_id: "models.CharField[str, str]" = models.CharField(
        max_length=64, unique=True
    )
    is_ready: "models.BooleanField[bool, bool]" = models.BooleanField(default=False)

"""Makes the table of orders."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """The first version of the tables."""

    initial = True
    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("customer", models.CharField(max_length=150)),
                ("video_id", models.CharField(max_length=64, unique=True)),
                ("is_ready", models.BooleanField(default=False)),
            ],
        )
    ]

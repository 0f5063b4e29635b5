"""The settings of Django. With PGDATABASE in the environment it is PostgreSQL."""

import os
from pathlib import Path

FOLDER = Path(os.environ.get("SHOP_FOLDER", "var")).resolve()
FOLDER.mkdir(parents=True, exist_ok=True)
SECRET_KEY = os.environ["DJANGO_SECRET_KEY"]
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "django_shop.urls"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django_shop",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": os.environ["PGDATABASE"],
    }
    if "PGDATABASE" in os.environ
    else {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(FOLDER / "shop.sqlite3"),
        # Orders wait for each other before they have read, and not after it.
        "OPTIONS": {"transaction_mode": "IMMEDIATE"},
        # The service has connections of its own: the tests' database is a file, too.
        "TEST": {"NAME": str(FOLDER / "test.sqlite3")},
    }
}

"""The application that a server such as gunicorn loads."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "django_shop.settings")
django = get_wsgi_application()

from django_shop.videos import service  # noqa: E402 - Django is set up first

hv = service()
application = hv.beside(django)

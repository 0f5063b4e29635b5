"""
Where the objects lie, and how a store is entered: the settings.
"""

import attrs


@attrs.frozen(kw_only=True)
class ObstoreOptions:
    """
    Settings under ``[storage.options]``.

    Attributes:
        url: ``s3://bucket/prefix``, ``gs://…``, ``az://…``, ``file:///path``,
            ``memory:///``.
        endpoint: Of a store that speaks S3 and is not AWS, such as
            ``https://store.example``.
        region: Of the bucket (S3).
        key: The access key (S3).
        secret_file: A file with the secret of the key (S3), or the key file of a service
            account (Google).
    """

    url: str
    endpoint: str = ""
    region: str = ""
    key: str = ""
    secret_file: str = ""

    def __attrs_post_init__(self) -> None:
        """
        Look at what belongs together.

        Raises:
            ValueError: A key without a secret, or the other way round.
        """
        if self.url.startswith("s3://") and bool(self.key) != bool(self.secret_file):
            raise ValueError("key and secret_file go together")

"""Sign and seal (encrypt) texts and upload addresses with secrets of the service."""

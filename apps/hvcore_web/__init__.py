"""Code for Falcon that several web apps of the service use."""

"""Sign people in at an OpenID provider, such as Keycloak, Entra, Okta, Auth0 or Google."""

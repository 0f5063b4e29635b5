"""The pages of the dashboard: each package has the routes, resources and forms of one area."""

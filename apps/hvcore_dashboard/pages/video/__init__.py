"""The pages of one video, a module a tab."""

"""Pictures of a video, in the sizes that viewers ask for."""

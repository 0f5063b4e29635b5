"""Write down what is said with Whisper models on this machine, by faster-whisper."""

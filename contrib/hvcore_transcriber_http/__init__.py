"""Have a server write down what is said: any that speaks OpenAI's form of transcriptions."""

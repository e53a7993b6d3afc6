"""Text to model and back, pure. The only room that knows YAML."""

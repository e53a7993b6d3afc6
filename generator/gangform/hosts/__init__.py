"""Programs that run gangform: what they say, and what they want to hear. Pure."""

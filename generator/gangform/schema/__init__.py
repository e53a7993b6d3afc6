"""Whether data has the shape its API demands, and why not. The only room that knows JSON Schema."""

"""One module per fault. A module's docstring is its page; rules never import each other."""

"""One module per thing that a user does; joins the pure pipeline with the edges."""

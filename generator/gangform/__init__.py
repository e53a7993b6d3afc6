"""Gang scheduling for MPI jobs, as code."""

__version__ = "0.1.0"

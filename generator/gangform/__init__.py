"""Gang scheduling for MPI jobs, as code."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gangform.library import render, transform, validate

__all__ = ["__version__", "render", "transform", "validate"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Load the library face when it is first used (PEP 562): the command line never pays for it."""
    if name not in __all__:
        raise AttributeError(f"module 'gangform' has no attribute {name!r}")
    from gangform import library

    return getattr(library, name)

"""Whether data has the shape its API demands, and why not. The only room that knows JSON Schema.

``store`` finds and loads the files, ``pruning`` drops nulls as the API server does, ``lists`` compares
the items of keyed lists, ``acceptance`` answers yes or no quickly, ``engine`` and ``explanation`` find out why not,
``hints`` says how to mend it; ``unreadable`` finds what fits and is no quantity all the same. JSON Schema engines are
imported only when a schema is used.
"""

from gangform.schema.checking import CODES, check
from gangform.schema.pruning import prune
from gangform.schema.store import load, location, name_of, names, root, text
from gangform.schema.unreadable import unreadable

__all__ = ["CODES", "check", "load", "location", "name_of", "names", "prune", "root", "text", "unreadable"]

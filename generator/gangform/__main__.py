"""``python -m gangform``."""

import sys

from gangform.cli.main import main

sys.exit(main())

"""Why a gang is not running, told from the objects of a live cluster. Pure: it asks nobody and writes nothing."""

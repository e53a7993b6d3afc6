"""Files that a user asks for: reports and baselines."""

import os

from gangform.edges.disk import unusable, write_beside


def write_file(path: str, text: str) -> None:
    """Write a file, whole or not at all, or a device or pipe as it comes.

    Raises:
        InputError: its folder is missing, or it cannot be written.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
                stream.write(text)
            return
        target = os.path.realpath(path)
        temporary = write_beside(target, text, like=target)
        try:
            os.replace(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, ValueError) as error:
        raise unusable("write", path, error, "name a file in a folder that exists and may be written") from error

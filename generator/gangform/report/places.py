"""Findings with paths relative to the top of the repository, as reports for other programs need them."""

import posixpath

from gangform.model.finding import Finding


def rebase(finding: Finding, prefix: str) -> Finding:
    """Return the finding with its paths seen from the top of the repository.

    Args:
        finding: with paths relative to the working folder.
        prefix: the working folder, relative to the top; empty when it is the top.
    """
    where = finding.location
    builds = tuple(rebase_path(build, prefix) for build in finding.builds)
    return finding._replace(location=where._replace(path=rebase_path(where.path, prefix)), builds=builds)


def rebase_path(path: str, prefix: str) -> str:
    """Do the same for one path; absolute ones and ``<stdin>`` stay."""
    return path if path.startswith("<") else posixpath.normpath(posixpath.join(prefix, path))


def file_of(finding: Finding) -> str:
    """Return the file that a report may link to, without ``./``."""
    path = finding.location.file
    return path if path.startswith("<") else posixpath.normpath(path)

"""A scene from a text, and what the rules say about it."""

from gangform import pipeline
from gangform.catalog import CATALOG
from gangform.model.finding import Finding
from gangform.provenance import locate_written
from gangform.settings import Cluster
from gangform.text import reading


def judge(text: str, cluster: Cluster | None = None, *, whole: bool = True) -> list[Finding]:
    """Judge a stream of objects as the whole of a deployment."""
    read = reading.read("scene.yaml", text)
    assert read.documents
    inspection = pipeline.inspect(read.documents, CATALOG, embedded=True)
    scene = pipeline.assemble(inspection, CATALOG, whole=whole, cluster=cluster)
    statements = (*inspection.statements, *pipeline.judge(inspection, scene, CATALOG))
    return list(pipeline.settle(statements, locate_written))

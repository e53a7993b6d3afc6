"""gangform.yaml to Settings, and the options of a backend wherever they are given. Pure."""

from gangform.model.tree import Layout
from gangform.settings.captures import fill, match
from gangform.settings.options import read_options
from gangform.settings.reading import read
from gangform.settings.values import Cluster, Kubeconform, RulesAt, Settings, Target

__all__ = [
    "Cluster", "Kubeconform", "Layout", "RulesAt", "Settings", "Target",
    "fill", "match", "read", "read_options",
]

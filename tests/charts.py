"""A Helm chart that a user could have written."""

CHART = "apiVersion: v2\nname: vision\nversion: 0.1.0\n"

JOB = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
spec:
  runPolicy: {cleanPodPolicy: Running}
  mpiReplicaSpecs:
    Launcher:
      template:
        spec:
          containers:
          - name: main
            image: {{ .Values.image }}
            resources: {requests: {cpu: "1", memory: 2Gi}}
    Worker:
      replicas: {{ .Values.workers }}
      template:
        spec:
          containers:
          - name: main
            image: {{ .Values.image }}
            resources: {requests: {cpu: "8", memory: 64Gi}}
"""

CONFIG = """\
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-config}
data: {kube: {{ .Capabilities.KubeVersion.Version | quote }}, revision: "1e3"}
"""

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
"""

HOOK = """\
apiVersion: v1
kind: Pod
metadata: {name: {{ .Release.Name }}-%s, annotations: {helm.sh/hook: %s}}
spec: {containers: [{name: main, image: check}]}
"""


def chart(folder: str = "chart") -> dict[str, str]:
    """The chart's files below a folder; with ``values-prod.yaml`` it has eight workers."""
    return {f"{folder}/{name}": text for name, text in {
        "Chart.yaml": CHART,
        "values.yaml": "workers: 2\nimage: mpi\n",
        "values-prod.yaml": "workers: 8\n",
        "crds/things.yaml": CRD,
        "templates/job.yaml": JOB,
        "templates/config.yaml": CONFIG,
        "templates/hook.yaml": HOOK % ("before", "pre-install"),
        "templates/test.yaml": HOOK % ("check", "test"),
        "templates/NOTES.txt": "Thank you.\n",
        "templates/_helpers.tpl": '{{ define "vision.name" }}x{{ end }}\n',
    }.items()}

"""The ids that workflows themselves report: about sources, overlays and builds as a whole."""

from collections.abc import Mapping

from gangform.model.finding import Code, Severity

CODES: Mapping[str, Code] = {
    "name-generated": Code(Severity.ERROR, """A job with generateName cannot become an overlay.

kustomize builds only objects that have a name, and the job's pods find their group by the job's name.

Mend: write metadata.name; give each run a name of its own."""),
    "scheduler-name-foreign": Code(Severity.ERROR, """The job asks for a scheduler that is not known here.

An overlay would have to replace the author's schedulerName, and nobody but the author knows whether that is
meant.

Mend: take schedulerName out of the job, name your scheduler with the option schedulerName, or render with
--force to replace it."""),
    "priority-unknown": Code(Severity.NOTE, """A PriorityClass whose value is not known counts as 0.

Which pods must start first decides the gang's minResources when minMember is below the number of pods.

Mend: put the PriorityClass into the source, or its value under priorities in the settings."""),
    "source-large": Code(Severity.WARNING, """A source with very many objects.

kustomize grows worse than quadratically: 1,000 objects take seconds, 10,000 ten minutes. Many small builds are
quick.

Mend: split the source, and let the settings map many sources to many overlays."""),
    "policy-field-ignored": Code(Severity.NOTE, """The schedulingPolicy asks for what this scheduler cannot express.

coscheduling has no queue and no priorityClass, Volcano has no scheduleTimeoutSeconds.

Mend: nothing, or take the field out; the message names field and scheduler."""),
    "kustomize-build-failed": Code(Severity.ERROR, """kustomize cannot build a kustomization.

Whoever syncs this folder would fail in the same way.

Mend: run `kustomize build` on the folder that the message names."""),
    "replicas-names-job": Code(Severity.ERROR, """kustomize's field replicas names an MPIJob, so that nothing builds.

The field knows Deployments, StatefulSets and their like. An MPIJob has its replicas elsewhere, and its PodGroup
has a minMember that must follow (kustomize#686).

Mend: change the replicas of the Worker by a patch, and minMember with it; `gangform render` computes minMember."""),
    "kubeconform": Code(Severity.ERROR, """kubeconform refuses an object that gangform's own checks let pass.

It reads the built overlay with the schemas that gangform ships and those that the settings name.

Mend: as the message says."""),
    "overlay-drifted": Code(Severity.ERROR, """A generated file is not what rendering would write now.

The jobs have changed since, or somebody edited the file, so that gangs are formed for jobs as they were.

Mend: run the command that `gangform check` prints last, and commit what it writes."""),
    "overlay-without-source": Code(Severity.WARNING, """An overlay that gangform wrote for a source that is gone.

It fits an overlay path of the settings, but no source stands behind it. Nothing keeps it fresh; what it holds
goes on being applied, or its build fails.

Mend: delete the folder that the message names, and take it out of whatever applies it."""),
    "component-not-listed": Code(Severity.ERROR, """A rendered component that no overlay lists.

A component does nothing until the overlay beside it names it under components: its jobs start without a gang,
and nothing in the cluster says so.

Mend: add the line that the message shows, or run `gangform render --enlist`."""),
    "job-passed": Code(Severity.NOTE, """An MPIJob of an API that gangform does not speak was passed on unchanged.

Nothing says which fields of it make a gang: it is of another API group, or of a version that mpi-operator 0.3
and later no longer serve.

Mend: move the job to kubeflow.org/v2beta1, or leave it."""),
    "job-repeated": Code(Severity.ERROR, """Two jobs of a stream have the same name and namespace.

Only one of them will exist, and both would get the same PodGroup.

Mend: give one of them another name, or take it out."""),
    "edit-refused": Code(Severity.ERROR, """A text is written so that marks cannot be put into it safely.

gangform changes only the lines that it must. Where a value is shared through an anchor, or a key stands twice, a
change at one place would change others.

Mend: write out what the message names."""),
    "chart-render-failed": Code(Severity.ERROR, """helm cannot render a chart that the settings name.

Whoever installs the chart with these values would fail in the same way.

Mend: run `helm template` with the values that the message names; `helm dependency build` puts missing
dependencies into the chart."""),
}

"""A field that only another scheduler's group object has is told under an id of its own, once."""

from scenes import judge

GROUP = """\
apiVersion: {api}
kind: PodGroup
metadata: {{name: pi}}
spec:
  minMember: 3
  {line}
"""


def test_a_timeout_on_a_volcano_group_is_told_at_its_line() -> None:
    text = GROUP.format(api="scheduling.volcano.sh/v1beta1", line="scheduleTimeoutSeconds: 60")
    assert [(finding.rule, finding.location.line) for finding in judge(text)] == [("timeout-on-volcano", 6)]


def test_the_same_field_where_it_belongs_is_fine_and_other_unknown_fields_stay_unknown() -> None:
    sound = GROUP.format(api="scheduling.x-k8s.io/v1alpha1", line="scheduleTimeoutSeconds: 60")
    assert [finding.rule for finding in judge(sound, whole=False)] == []
    other = GROUP.format(api="scheduling.volcano.sh/v1beta1", line="timeoutSeconds: 60")
    assert [finding.rule for finding in judge(other)] == ["unknown-field"]

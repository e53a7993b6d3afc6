"""Both of PyYAML's parsers: libyaml's, and the pure one that is there on every platform."""

import pytest


@pytest.fixture(params=[False, True], ids=["libyaml", "pure"])
def pure(request) -> bool:
    return request.param

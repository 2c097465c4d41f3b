"""What the tests share."""

import os

import hypothesis
import pytest

# GW_NIGHTLY=1 tries ten thousand cases in all, as in the rest of the project.
hypothesis.settings.register_profile("usual", max_examples=15, deadline=None, derandomize=True)
hypothesis.settings.register_profile("nightly", max_examples=240, deadline=None)
hypothesis.settings.load_profile("nightly" if os.environ.get("GW_NIGHTLY") == "1" else "usual")


@pytest.fixture
def nx_backend():
    """NetworkX with this backend in front, graphs of any size taken."""
    import networkx as nx

    with nx.config(backend_priority=["graphwright"], warnings_to_ignore={"cache"}):
        with nx.config.backends.graphwright(least_edges=0):
            yield nx

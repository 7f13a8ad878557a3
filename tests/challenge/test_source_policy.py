"""Which texts may be asked where: no text that others may hold goes out on a network as it is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.challenge.policy import SourcePlan, is_network, plan_source
from compression_subnet.errors import ConfigurationError

NETWORKS = ("finney", "test", "archive", "wss://entrypoint-finney.opentensor.ai:443", "ws://192.168.1.5:9944")
LOCAL = ("local", "ws://127.0.0.1:9944", "ws://localhost:9944", "ws://[::1]:9944", "ws://127.0.0.7:1")
SOURCES = ("builtin", "jsonl:texts.jsonl", "squad:dev.json", "folder:texts", "hf:org/name", "jsonl:a, builtin")

plans = st.builds(
    SourcePlan,
    source=st.sampled_from((*SOURCES, "auto", "written")),
    rewrite=st.booleans(),
    paraphrase=st.booleans(),
    write_questions=st.sampled_from((None, True, False)),
    near_misses=st.booleans(),
    allow_public=st.booleans(),
)


@pytest.mark.parametrize("endpoint", NETWORKS)
def test_strangers_are_on_every_chain_but_a_local_one(endpoint: str) -> None:
    assert is_network(endpoint)


@pytest.mark.parametrize("endpoint", LOCAL)
def test_a_loopback_chain_is_no_network(endpoint: str) -> None:
    assert not is_network(endpoint)


@given(plans, st.sampled_from(NETWORKS + LOCAL))
def test_what_goes_out_on_a_network_was_written_or_disguised_or_allowed(wanted: SourcePlan, endpoint: str) -> None:
    try:
        plan = plan_source(wanted, endpoint)
    except ConfigurationError:
        # On a local chain only what contradicts itself is refused.
        assert is_network(endpoint) or wanted.source == "written"
        return
    assert plan.source != "auto"
    disguised = plan.rewrite and plan.paraphrase and bool(plan.write_questions) and "builtin" not in plan.source
    left = wanted.write_questions is False and plan.rewrite and plan.paraphrase and "builtin" not in plan.source
    assert not is_network(endpoint) or plan.is_written or disguised or left or plan.allow_public


@pytest.mark.parametrize(("endpoint", "source"), [("finney", "written"), ("test", "written"), ("local", "builtin")])
def test_the_source_is_chosen_by_the_network(endpoint: str, source: str) -> None:
    assert plan_source(SourcePlan(source="auto"), endpoint).source == source


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("extra", [{}, {"rewrite": True}, {"paraphrase": True}])
def test_a_refusal_says_why_and_names_the_fix_and_the_override(source: str, extra: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        plan_source(SourcePlan(source=source, **extra), "finney")
    said = str(caught.value)
    for word in ("looks them up", "0.24", "0.14", "--challenge.source written", "--challenge.allow-public"):
        assert word in said
    assert ("--challenge.rewrite" in said) == ("builtin" not in source)


def test_the_questions_of_texts_that_exist_are_asked_afresh_on_a_network() -> None:
    wanted = SourcePlan(source="jsonl:a", rewrite=True, paraphrase=True)
    assert plan_source(wanted, "finney").write_questions
    assert not plan_source(wanted, "local").write_questions


def test_written_goes_with_no_other_source() -> None:
    with pytest.raises(ConfigurationError, match="stands alone"):
        plan_source(SourcePlan(source="written,builtin"), "local")

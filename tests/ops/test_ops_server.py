import json
import socket
import threading
import time
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from prometheus_client import CollectorRegistry, Gauge
from prometheus_client.parser import text_string_to_metric_families

from compression_subnet.errors import ConfigurationError
from compression_subnet.ops import Conditions
from compression_subnet.ops.server import ops_app, serving_ops


def get(url: str) -> tuple[int, str]:
    try:
        with urlopen(url, timeout=10) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Ops:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.conditions = Conditions("chain")
        self.fault = ""
        self.app = ops_app(self.registry, lambda: self.fault, self.conditions)
        self.port = free_port()
        self.url = ""


@pytest.fixture
def ops() -> Iterator[Ops]:
    made = Ops()
    with serving_ops(made.app, "127.0.0.1", made.port) as url:
        assert url is not None
        made.url = url
        yield made


def test_metrics_are_those_of_the_registry_in_prometheus_text(ops: Ops) -> None:
    Gauge("rounds_of_mine", "How many", registry=ops.registry).set(7)
    status, text = get(ops.url + "/metrics")
    (family,) = text_string_to_metric_families(text)
    assert status == 200
    assert [(s.name, s.value) for s in family.samples] == [("rounds_of_mine", 7)]


def test_healthz_is_what_the_watchdog_thinks(ops: Ops) -> None:
    assert get(ops.url + "/healthz") == (200, '{"alive":"ok"}')
    ops.fault = "nothing has gone on"
    assert get(ops.url + "/healthz") == (503, '{"alive":"nothing has gone on"}')


def test_readyz_names_what_is_missing(ops: Ops) -> None:
    status, body = get(ops.url + "/readyz")
    assert (status, json.loads(body)) == (503, {"chain": "not known yet"})
    ops.conditions.well("chain")
    status, body = get(ops.url + "/readyz")
    assert (status, json.loads(body)) == (200, {"chain": "ok"})


def test_nothing_else_is_served(ops: Ops) -> None:
    for path in ("/", "/docs", "/openapi.json"):
        assert get(ops.url + path)[0] == 404


def test_it_answers_while_the_thread_that_started_it_is_busy(ops: Ops) -> None:
    seen: list[int] = []
    client = threading.Thread(target=lambda: seen.append(get(ops.url + "/healthz")[0]))
    client.start()
    end = time.monotonic() + 10
    while not seen and time.monotonic() < end:  # never yields to an event loop
        sum(range(1000))
    client.join()
    assert seen == [200]


def test_a_second_neuron_on_the_same_port_is_told_the_setting(ops: Ops) -> None:
    with (
        pytest.raises(ConfigurationError, match=rf"port {ops.port}: .*--ops.port"),
        serving_ops(ops.app, "127.0.0.1", ops.port),
    ):
        pass


def test_what_is_no_address_is_named() -> None:
    with (
        pytest.raises(ConfigurationError, match=r"'metrics\.example' is not an IP address"),
        serving_ops(Ops().app, "metrics.example", 9),
    ):
        pass


def test_port_zero_serves_nothing() -> None:
    before = threading.active_count()
    with serving_ops(Ops().app, "127.0.0.1", 0) as url:
        assert url is None
        assert threading.active_count() == before


def test_the_port_and_the_thread_are_given_back_even_where_a_client_stays(ops: Ops) -> None:
    port = free_port()
    with serving_ops(ops.app, "127.0.0.1", port):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
    with client, serving_ops(ops.app, "127.0.0.1", port) as url:
        assert get(f"{url}/healthz")[0] == 200

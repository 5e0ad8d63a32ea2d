"""A headless Chromium, driven through its debugging pipe with nothing but the standard library."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def find_browser() -> str | None:
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Page:
    """A tab. `problems` collects everything that the console would show in red."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        target = browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = browser.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def _call(self, method: str, **parameters: Any) -> Any:
        return self._browser.call(method, parameters, self._session)

    def open(self, file: Path, *, width: int, height: int = 900, dark: bool = False) -> None:
        """Show the file at this size and wait until it has been drawn."""
        phone = width < 600
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._call("Page.navigate", url=file.absolute().as_uri())
        self._browser.wait_for("Page.loadEventFired")
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def evaluate(self, expression: str) -> Any:
        """Return the awaited value of a JavaScript expression."""
        answer = self._call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def screenshot(self, file: Path, *, whole: bool = True) -> None:
        """Return the whole page, or its visible part, as a PNG."""
        answer = self._call(
            "Page.captureScreenshot", captureBeyondViewport=whole, **self._clip(whole)
        )
        file.write_bytes(base64.b64decode(answer["data"]))

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self._call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {**size, "scale": 1}}

    @property
    def problems(self) -> list[str]:
        """Return the console's exceptions, errors and warnings, and requests that left the page."""
        found = []
        for event in self._browser.events:
            details = event["params"]
            match event["method"]:
                case "Runtime.exceptionThrown":
                    found.append(json.dumps(details["exceptionDetails"]))
                case "Log.entryAdded" if details["entry"]["level"] in ("error", "warning"):
                    found.append(details["entry"]["text"])
                case "Runtime.consoleAPICalled" if details["type"] in ("error", "warning"):
                    found.append(json.dumps(details["args"]))
                case "Network.requestWillBeSent":
                    url = details["request"]["url"]
                    if not url.startswith(("file:", "data:")):
                        found.append(f"request to {url}")
        return found


class Browser:
    """The process and its pipe: messages are JSON, each ended by a zero byte."""

    def __init__(self, program: str, profile: Path) -> None:
        browser_end, test_end = os.pipe(), os.pipe()
        # The browser reads file descriptor 3 and writes file descriptor 4.
        script = f'exec 3<&{browser_end[0]} 4>&{test_end[1]}; exec "$0" "$@"'
        command = ["bash", "-c", script, program, "--headless=new", "--remote-debugging-pipe"]
        command += ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        self._process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}"],
            pass_fds=(browser_end[0], test_end[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(browser_end[0])
        os.close(test_end[1])
        self._to = os.fdopen(browser_end[1], "wb", buffering=0)
        self._from = os.fdopen(test_end[0], "rb")
        self._numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, parameters: dict[str, Any], session: str | None = None) -> Any:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self._to.write(json.dumps(message).encode() + b"\0")
        while (answer := self._read()).get("id") != number:
            self.events.append(answer)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def wait_for(self, event: str) -> None:
        while (message := self._read()).get("method") != event:
            self.events.append(message)

    def _read(self) -> dict[str, Any]:
        message = bytearray()
        while (byte := self._from.read(1)) != b"\0":
            assert byte, "the browser ended"
            message += byte
        return dict(json.loads(message))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=30)
        self._to.close()
        self._from.close()


@contextmanager
def browser_page(program: str, profile: Path) -> Iterator[Page]:
    """Start a browser and yield its tab; `profile` is an empty folder."""
    browser = Browser(program, profile)
    try:
        yield Page(browser)
    finally:
        browser.close()

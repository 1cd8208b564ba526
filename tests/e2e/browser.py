"""A headless Chromium, controlled over a pipe (Chrome DevTools Protocol), with the standard library alone.

`python3 dev.py run tests.e2e.browser http://127.0.0.1:8000/docs page.png --width 1200` takes a picture of a page.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Self

import pytest

from tests.launch.kit import PATIENCE_SECONDS, within

FULL_BROWSER: Final = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
BROWSER: Final = shutil.which("chromium-headless-shell") or FULL_BROWSER
"""The same engine without a window and without what surrounds a page: it takes two thirds of the CPU.

It denies notifications, so tests of these need the full browser.
"""

ISOLATION_FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)
ATTEMPTS: Final = 3
"""Number of attempts: a browser may die as it starts (SIGABRT, seen on two busy cores)."""

ERROR_BYTES: Final = 2000

AUDIT: Final = """
axe.run(document, { resultTypes: ['violations'], preload: { assets: ['media'] } })
  .then(({ passes, violations }) => [passes.length, violations])
"""
"""A script that returns the number of rules a page keeps, and the violations; it needs axe-core on the page.

No rule that axe-core runs by default reads style sheets, so it loads none.
"""

WAIT: Final = """
new Promise((found, fail) => {
  const end = performance.now() + %d;
  const look = () => {
    try {
      const value = %s;
      if (value || performance.now() > end) found(value);
      else setTimeout(look, 20);
    } catch (error) {
      fail(error);
    }
  };
  look();
})
"""
"""A script that waits on the page for another to be true; polling over the pipe would take CPU in three processes."""

WAIT_MS: Final = 500
"""Time of one wait, so that a page that is being left keeps nobody waiting."""

needs_browser = pytest.mark.skipif(BROWSER is None, reason="needs chromium on PATH")
needs_full_browser = pytest.mark.skipif(FULL_BROWSER is None, reason="needs the full chromium on PATH")


class BrowserDiedError(RuntimeError):
    """The browser has closed its pipe; the message has the end of its standard error."""


class Browser:
    """One browser with one page; `requests` and `console` have the requests and the messages of the page.

    `acted` has the Idempotency-Keys of all requests with the response 201, by URL, and `refused` the statuses of the
    others. `workers` has the registrations of service workers by scope, if their domain is enabled.
    `received` has the bytes of responses by URL, headers included.
    """

    def __init__(self, folder: Path, program: str | None = BROWSER) -> None:
        told, tell = os.pipe()
        hear, said = os.pipe()

        def place() -> None:
            # Both are above 4 first, so that neither is closed by the other's new place.
            high = os.dup(told), os.dup(said)
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by `close`
        command = [str(program), *ISOLATION_FLAGS, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            command,
            close_fds=False,
            preexec_fn=place,  # noqa: PLW1509 -- the pipe has its place at 3 and 4
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            start_new_session=True,
        )
        os.close(told)
        os.close(said)
        self._tell, self._hear = tell, hear
        self._rest = b""
        self._last = 0
        self._page = ""
        self._session: str | None = None
        self._scripts = True
        self.requests: list[str] = []
        self.console: list[str] = []
        self.acted: dict[str, set[str]] = {}
        self.refused: dict[str, set[int]] = {}
        self.workers: dict[str, str] = {}
        self.received: dict[str, int] = {}
        self._urls: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        try:
            self._attach()
        except BrowserDiedError:
            self.close()
            raise

    @classmethod
    @contextmanager
    def open(cls, folder: Path, program: str | None = BROWSER) -> Iterator[Self]:
        for attempt in range(ATTEMPTS):
            try:
                browser = cls(folder / f"profile-{attempt}", program)
                break
            except BrowserDiedError:
                if attempt == ATTEMPTS - 1:
                    raise
        try:
            yield browser
        finally:
            browser.close()

    def _attach(self) -> None:
        targets = self.do("Target.getTargets")["targetInfos"]
        self._follow(next(target["targetId"] for target in targets if target["type"] == "page"))

    def _follow(self, page: str) -> None:
        self._page = page
        self._scripts = True
        self._session = self.do("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.do(f"{domain}.enable")

    def forget(self, origin: str) -> None:
        """Take a new page in place of the old one, and forget the records and the stored data of an origin."""
        old, self._session = self._page, None
        page = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.do("Target.closeTarget", targetId=old)
        self._follow(page)
        self.do("Storage.clearDataForOrigin", origin=origin, storageTypes="all")
        for noted in (self.requests, self.console, self.acted, self.refused, self.received):
            noted.clear()

    def close(self) -> None:
        """End the browser and everything it has started."""
        os.close(self._tell)
        os.close(self._hear)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE_SECONDS)
        self._errors.close()

    def do(self, method: str, **params: Any) -> dict[str, Any]:
        """Carry out a command and return its result; raise RuntimeError if the browser refuses it."""
        self._last += 1
        text: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session:
            text["sessionId"] = self._session
        try:
            os.write(self._tell, json.dumps(text).encode() + b"\0")
        except BrokenPipeError:
            raise self._death() from None
        while True:
            heard = self._next()
            if heard.get("id") == self._last:
                if "error" in heard:
                    raise RuntimeError(f"{method}: {heard['error']}")
                result: dict[str, Any] = heard["result"]
                return result

    def _death(self) -> BrowserDiedError:
        self._errors.seek(0)
        return BrowserDiedError(self._errors.read()[-ERROR_BYTES:].decode(errors="replace"))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._hear, 1 << 20)
            if not part:
                raise self._death()
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        params = message.get("params", {})
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
                self._urls[params["requestId"]] = params["request"]["url"]
                self._keys[params["requestId"]] = params["request"]["headers"].get("Idempotency-Key", "")
            case "Network.loadingFinished":
                url = self._urls.get(params["requestId"], "")
                self.received[url] = self.received.get(url, 0) + int(params["encodedDataLength"])
            case "Network.responseReceived" if params["response"]["status"] == HTTPStatus.CREATED:
                self.acted.setdefault(params["response"]["url"], set()).add(self._keys.get(params["requestId"], ""))
            case "Network.responseReceived" if params["response"]["status"] >= HTTPStatus.BAD_REQUEST:
                self.refused.setdefault(params["response"]["url"], set()).add(params["response"]["status"])
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                self.console.append(json.dumps(params))
            case "ServiceWorker.workerRegistrationUpdated":
                self.workers |= {each["scopeURL"]: each["registrationId"] for each in params["registrations"]}
            case "Log.entryAdded":
                self.console.append(params["entry"]["text"])
        return message

    def run(self, script: str) -> Any:
        """Return the value of a script on the page; a promise is waited for."""
        done = self.do("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(json.dumps(done["exceptionDetails"]))
        return done["result"].get("value")

    def visit(self, url: str, ready: str = "true") -> None:
        """Go to a page and wait until all of it is there and a script is true; the page before is not taken for it."""
        self.run("window.left = true")
        self.requests.clear()
        self.console.clear()
        self.do("Page.navigate", url=url)
        self.until(f"!window.left && document.readyState === 'complete' && {ready}")

    def until(self, script: str) -> None:
        assert self.becomes(script, PATIENCE_SECONDS), script

    def becomes(self, script: str, seconds: float) -> bool:
        """Wait until a script is true, and return whether it became so in time."""
        return bool(self.wait(f"Boolean({script})", seconds))

    def wait(self, script: str, seconds: float) -> Any:
        """Wait until the value of a script counts as true, and return it; return another value if time runs out."""
        value: Any = None
        # A page without scripts has no timers.
        waiting = WAIT % (WAIT_MS, script) if self._scripts else script

        def met() -> bool:
            nonlocal value
            try:
                value = self.run(waiting)
            except RuntimeError:  # the page is being left
                return False
            return bool(value)

        within(seconds, met)
        return value

    def look(
        self, *, width: int = 1200, height: int = 900, dark: bool = False, scripts: bool = True, still: bool = False
    ) -> None:
        """Set the display of the next page; `still` prefers no movement."""
        self.do(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        features = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce" if still else "no-preference",
        }
        self.do("Emulation.setEmulatedMedia", features=[{"name": k, "value": v} for k, v in features.items()])
        self.do("Emulation.setScriptExecutionDisabled", value=not scripts)
        self._scripts = scripts

    def picture(self, *, whole: bool = False) -> bytes:
        """Return the screen as PNG; the whole page, or the part in the window."""
        data: str = self.do("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        return base64.b64decode(data)


def main(arguments: list[str]) -> None:
    parser = ArgumentParser(prog="tests.e2e.browser", description=main.__doc__)
    parser.add_argument("url")
    parser.add_argument("file", type=Path)
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--whole", action="store_true")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, Browser.open(Path(folder)) as browser:
        browser.look(width=asked.width, height=asked.height, dark=asked.dark)
        browser.visit(asked.url)
        asked.file.write_bytes(browser.picture(whole=asked.whole))


if __name__ == "__main__":
    main(sys.argv[1:])

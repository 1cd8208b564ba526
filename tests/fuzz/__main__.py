"""A load of nearly right requests with valid credentials on a service of its own; any fault fails the run.

With `--minutes` it fuzzes the readers of snapshots, views, replays and stored records instead (tests/fuzz/guided.py).
`python3 dev.py fuzz --requests 100000` takes a night on a busy machine; `--seed` repeats one, except for the service's
own draws. Faults are a 5xx response, except a busy one, and a response that takes longer than the longest wait. A web
process that ends or grows, and an error in the logs, are faults, too.
"""

import argparse
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Final

import httpx

from service.launch.lifeline import run
from service.launch.redis import launch
from tests.fuzz.forge import Call, Forge, operations
from tests.fuzz.readers import BUSY_CODES
from tests.fuzz.served import Served, served
from tests.fuzz.stock import Stock

CALLERS: Final = 4
HANG_SECONDS: Final = 30.0
"""Far more than a request may cost and than a wait may take here, on a machine however busy."""

LISTEN_SECONDS: Final = 2.0
RENEW_EACH: Final = 400
TELL_EACH: Final = 2_000
WARM_SHARE: Final = 0.25
"""After this part of the requests everything is loaded; memory counts from there."""

GROWTH_BYTES: Final = 64 * 2**20


@dataclass
class Tally:
    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    sent: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def main() -> None:
    parser = argparse.ArgumentParser(prog="dev.py fuzz", description="Send nearly right requests to a service.")
    parser.add_argument("--requests", type=int, default=100_000, help="how many (100000)")
    parser.add_argument("--minutes", type=float, help="fuzz the readers instead, guided by coverage, for so long")
    parser.add_argument("--seed", type=int, help="which ones (random)")
    wanted = parser.parse_args()
    seed = secrets.randbelow(2**32) if wanted.seed is None else wanted.seed
    if wanted.minutes is not None:
        sys.exit(guided(wanted.minutes, seed))
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    say(f"{wanted.requests} requests, --seed {seed}, logs in {folder}")
    with served(folder) as service:
        faults = fuzz(service, wanted.requests, seed)
    if faults:
        sys.exit(f"fuzz: {len(faults)} faults with --seed {seed}, logs in {folder}:\n" + "\n".join(faults[:20]))
    shutil.rmtree(folder)


def guided(minutes: float, seed: int) -> int:
    """Fuzz the readers in a process of its own, whose modules are instrumented; return 0 if nothing was found."""
    if find_spec("atheris") is None:
        sys.exit("fuzz: there is no atheris for this machine and Python, which guides by coverage")
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    (folder / "findings").mkdir()
    say(f"readers for {minutes:g} minutes, --seed {seed}, findings in {folder / 'findings'}")
    redis = launch(folder, {"appendfsync": "no"})
    try:
        options = ["--redis", redis.url, "--minutes", str(minutes), "--seed", str(seed), "--folder", str(folder)]
        command = [sys.executable, "-P", "-m", "tests.fuzz.guided", *options]
        left = run(command, ending=signal.SIGTERM)
    finally:
        redis.stop()
    found = findings(folder / "findings")
    for finding in found:
        say(finding)
    say(f"readers are done, {len(found)} findings in {folder / 'findings'}")
    return left or int(bool(found))


def findings(folder: Path) -> list[str]:
    """Return a line on each input that lies in a folder because it broke a reader, or took too long."""
    told = [text.read_text("utf-8").partition("\n")[0] for text in sorted(folder.glob("*.txt"))]
    return told + [
        f"an input in {path.name}" for path in sorted(folder.iterdir()) if path.suffix not in {".txt", ".json"}
    ]


def fuzz(service: Served, requests: int, seed: int) -> list[str]:
    """Send requests from several callers at once, print the results, and return the faults."""
    tally, began = Tally(), time.monotonic()
    with httpx.Client(base_url=service.url, timeout=HANG_SECONDS) as client:
        stock = Stock(client, [service.key(), service.key()])
        stock.fill(Random(seed))
        forges = [
            Forge(operations(client.get("/openapi.json").json()), stock, Random(f"{seed}/{number}"))
            for number in range(CALLERS)
        ]
        warm = round(requests * WARM_SHARE)
        _send(forges, client, tally, warm)
        before = service.memory()
        _send(forges, client, tally, requests)
    after = service.memory()
    faults = judge(service, tally, before, after)
    _report(tally, forges[0], time.monotonic() - began)
    say(f"memory {before / 2**20:.0f} MiB after {warm} requests, {after / 2**20:.0f} MiB after {tally.sent}")
    say(f"{len(faults)} faults")
    return faults


def judge(service: Served, tally: Tally, before: int, after: int) -> list[str]:
    """Return all faults of a run, given the bytes of its web processes before and after it."""
    faults = [*tally.faults, *service.faults()]
    if not service.runs():
        faults.append("a web process has ended")
    if after - before > GROWTH_BYTES:
        faults.append(f"the web processes grew by {(after - before) / 2**20:.0f} MiB")
    return faults


def _send(forges: list[Forge], client: httpx.Client, tally: Tally, until: int) -> None:
    with ThreadPoolExecutor(len(forges)) as callers:
        for called in [callers.submit(_call_on, forge, client, tally, until) for forge in forges]:
            called.result()


def _call_on(forge: Forge, client: httpx.Client, tally: Tally, until: int) -> None:
    while True:
        with tally.lock:
            if tally.sent >= until:
                return
            tally.sent += 1
            if tally.sent % RENEW_EACH == 0:
                forge.stock.renew(forge.choice)
            if tally.sent % TELL_EACH == 0:
                say(f"{tally.sent} sent, {len(tally.faults)} faults")
            call = forge.call()
        began = time.monotonic()
        try:
            status, fault = _answer(client, forge.stock, call)
        except httpx.TimeoutException:
            status, fault = 0, "no answer"
        except httpx.TransportError as error:
            status, fault = 0, repr(error)
        took = time.monotonic() - began
        with tally.lock:
            tally.answers[call.operation, status] += 1
            tally.slowest = max(tally.slowest, (took, call.operation))
            if fault:
                tally.faults.append(f"{fault} after {took:.1f} s: {call}")


def _answer(client: httpx.Client, stock: Stock, call: Call) -> tuple[int, str]:
    request = client.build_request(call.method, call.path, headers=call.headers, content=call.body)
    if call.streams:
        return _listen(client, request)
    answer = client.send(request)
    if answer.status_code in {201, 202}:
        stock.keep(answer.json())
    return answer.status_code, _fault(answer)


def _listen(client: httpx.Client, request: httpx.Request) -> tuple[int, str]:
    answer = client.send(request, stream=True)
    until = time.monotonic() + LISTEN_SECONDS
    try:
        if answer.is_error:
            answer.read()
            return answer.status_code, _fault(answer)
        for _ in answer.iter_raw():
            if time.monotonic() > until or answer.num_bytes_downloaded > 0:
                break
        return answer.status_code, ""
    finally:
        answer.close()


def _fault(answer: httpx.Response) -> str:
    if answer.is_error and answer.headers.get("Content-Type") != "application/problem+json":
        return f"{answer.status_code} without a problem document" if answer.request.method != "HEAD" else ""
    if not answer.is_server_error:
        return ""
    code = answer.json().get("code")
    return (
        ""
        if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE and code in BUSY_CODES
        else f"{answer.status_code} {code}"
    )


def _report(tally: Tally, forge: Forge, seconds: float) -> None:
    """Print the number of each status, and the operations without a success, because those were never tested."""
    statuses: Counter[int] = Counter()
    well: Counter[str] = Counter()
    for (operation, status), times in tally.answers.items():
        statuses[status] += times
        well[operation] += times if 200 <= status < 400 else 0
    say(
        f"{tally.sent} requests in {seconds:.0f} s; "
        + ", ".join(f"{status}: {n}" for status, n in sorted(statuses.items()))
    )
    say(f"slowest {tally.slowest[0]:.1f} s, {tally.slowest[1]}")
    never = sorted(operation.id for operation in forge.operations if not well[operation.id])
    say(f"never went well: {', '.join(never) or 'none'}")


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} fuzz: {text}", flush=True)


if __name__ == "__main__":
    main()

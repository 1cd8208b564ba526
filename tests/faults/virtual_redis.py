"""A Redis whose time is set from outside, for simulations."""

from __future__ import annotations

import mmap
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
import redis

from service.launch.lifeline import start
from service.launch.redis import server
from tests.faults.kit import answers
from tests.launch.kit import PATIENCE_SECONDS, within

HOUR_MS: Final = 3_600_000
BEGIN_MS: Final = time.time_ns() // 1_000_000 // HOUR_MS * HOUR_MS
"""Start of each schedule: the last full hour, so that what counts by minutes turns at the same moments of every run.

It is near to now, as keys that expire after days do so by this machine's time.
"""

CLOCK: Final = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

static volatile long *now_ms;

__attribute__((constructor)) static void begin(void) {
  int file = open(getenv("VIRTUAL_CLOCK"), O_RDONLY);
  now_ms = mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, now);
  }
  now->tv_sec = *now_ms / 1000;
  now->tv_nsec = *now_ms % 1000 * 1000000;
  return 0;
}

// Without it the server has the system's clock for the time between two commands, not the processor's, which is real.
FILE *fopen64(const char *restrict path, const char *restrict mode) {
  static FILE *(*real)(const char *restrict, const char *restrict);
  if (!strcmp(path, "/proc/cpuinfo")) return NULL;
  if (!real) real = dlsym(RTLD_NEXT, "fopen64");
  return real(path, mode);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  now->tv_sec = *now_ms / 1000;
  now->tv_usec = *now_ms % 1000 * 1000;
  return 0;
}

time_t time(time_t *now) {
  if (now) *now = *now_ms / 1000;
  return *now_ms / 1000;
}
"""
"""A library that a process loads first; it takes the time from the file."""


class VirtualRedis:
    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("no C compiler, which makes a library that tells Redis another time")
        source, library, clock = folder / "clock.c", folder / "clock.so", folder / "clock"
        source.write_text(CLOCK)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        clock.write_bytes(struct.pack("l", BEGIN_MS))
        with clock.open("r+b") as file:
            self._clock = mmap.mmap(file.fileno(), 0)
        self._socket = folder / "redis.sock"
        command = [server(), "--port", "0", "--unixsocket", str(self._socket), "--save", "", "--appendonly", "no"]
        environment = {"LD_PRELOAD": str(library), "VIRTUAL_CLOCK": str(clock)}
        self.process = start(command, output=folder / "redis.log", env=environment)
        with redis.Redis.from_url(self.url) as client:
            assert within(PATIENCE_SECONDS, lambda: answers(client)), (folder / "redis.log").read_text()

    @property
    def url(self) -> str:
        return f"unix://{self._socket}?db=0"

    def tell(self, now: int) -> None:
        self._clock[:8] = struct.pack("l", now)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._clock.close()


@contextmanager
def virtual_redis(folder: Path) -> Iterator[VirtualRedis]:
    """Yield a Redis whose time can be set, with its files in a folder."""
    running = VirtualRedis(folder)
    try:
        yield running
    finally:
        running.close()

"""Machines whose clocks are wrong: a library that a process loads first, and that tells another time of day."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long ahead(void) {
  char text[32] = {0};
  const char *name = getenv("CLOCK_AHEAD");
  int file = name ? open(name, O_RDONLY) : -1;
  if (file < 0) return 0;
  long found = read(file, text, sizeof text - 1) > 0 ? atol(text) : 0;
  close(file);
  return found;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(clock, now);
  if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  int (*real)(struct timeval *, void *) = dlsym(RTLD_NEXT, "gettimeofday");
  int failed = real(now, zone);
  if (!failed) now->tv_sec += ahead();
  return failed;
}

time_t time(time_t *now) {
  struct timespec found;
  clock_gettime(CLOCK_REALTIME, &found);
  if (now) *now = found.tv_sec;
  return found.tv_sec;
}
"""


@dataclass(frozen=True)
class Machine:
    """A machine on which processes are started; `environment` is what they need for it."""

    file: Path
    library: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "CLOCK_AHEAD": str(self.file)}

    def step(self, seconds: int) -> None:
        """Let its clock be so far ahead from now on."""
        beside = self.file.with_suffix(".new")
        beside.write_text(str(seconds))
        beside.replace(self.file)


def machine(folder: Path, seconds: int = 0) -> Machine:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler, which makes a library that tells another time")
    library = folder / "clock.so"
    (folder / "clock.c").write_text(SOURCE)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, folder / "clock.c", "-ldl"], check=True)
    made = Machine(folder / "ahead", library)
    made.step(seconds)
    return made

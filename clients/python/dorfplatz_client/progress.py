"""A progress bar for jobs in a terminal; needs `dorfplatz-client[progress]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


@contextmanager
def progress_bar(label: str, console: Console | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show a bar during the block, and yield its callback: the `on_progress` of `job.result`, awaited or not."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console) as bars:
        task = bars.add_task(label, total=None)

        def show(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        yield show

"""A process that does one job, within limits."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from geceval.engines.local import end_with_parent, ignore_interrupts, uninterrupted_start
from geceval.engines.process import owned_process
from geceval.errors import GecevalError
from geceval.serve.configuration import ServerLimits
from geceval.serve.jobs.expansion import expand
from geceval.serve.jobs.work import WorkError, WorkOrder, WorkProgress, WorkResult, do

Verdict: TypeAlias = Literal["done", "failed", "died", "stopped"]

_POLL_SECONDS = 0.2
_PROGRESS_SECONDS = 0.1
_GRACE_SECONDS = 5


class JobOutcome(NamedTuple):
    """How a job ended in its process; one that died may be tried again."""

    verdict: Verdict
    result: WorkResult | None = None
    message: str = ""
    detail: str = ""


def run(
    order: WorkOrder,
    folder: Path,
    *,
    on_progress: Callable[[str, int, int], None],
    is_wanted: Callable[[], bool],
) -> JobOutcome:
    """Do a job in a new process, and return how it ended.

    Parameters
    ----------
    order, folder
        The job, and the folder with its files.
    on_progress
        Called with stage, number of finished items and number of items.
    is_wanted
        Called now and then; if it returns false, the process is stopped.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(order, folder, theirs), daemon=True)
    with uninterrupted_start():
        process.start()
    theirs.close()
    deadline = time.monotonic() + order.limits.job_seconds + _GRACE_SECONDS
    try:
        while True:
            if ours.poll(_POLL_SECONDS):
                try:
                    message = ours.recv()
                except (EOFError, OSError):
                    break
                if isinstance(message, JobOutcome):
                    return message
                on_progress(*message)
            if not is_wanted():
                return JobOutcome("stopped")
            if time.monotonic() > deadline:
                return _too_long(order.limits)
        process.join(_GRACE_SECONDS)
        if process.exitcode == -signal.SIGXCPU:
            return _too_long(order.limits)
        return JobOutcome("died", message=_ending(process.exitcode))
    finally:
        process.kill()
        process.join()
        ours.close()


def _too_long(limits: ServerLimits) -> JobOutcome:
    message = f"the job took longer than the {limits.job_seconds:,} seconds that this server allows"
    return JobOutcome("failed", message=message)


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return f"its process was ended by {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}"


def _serve(order: WorkOrder, folder: Path, connection: Connection) -> None:
    """Do the job, in the process."""
    ignore_interrupts()
    threading.Thread(target=end_with_parent, daemon=True).start()
    _limit(order.limits)
    os.chdir(folder)
    last = 0.0

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal last
        if (moment := time.monotonic()) - last > _PROGRESS_SECONDS:
            last = moment
            connection.send((stage, done, total))

    with owned_process():
        connection.send(_outcome(order, WorkProgress(tell)))


def _outcome(order: WorkOrder, progress: WorkProgress) -> JobOutcome:
    try:
        expand([*order.gold, *order.outputs.values()], order.limits.expanded_bytes)
        return JobOutcome("done", do(order, progress))
    except WorkError as error:
        return JobOutcome("failed", message=str(error), detail=error.detail)
    except (GecevalError, TypeError, ValueError) as error:
        return JobOutcome("failed", message=str(error))
    except MemoryError:
        return JobOutcome("failed", message="the job needs more memory than this server allows")
    except Exception as error:  # noqa: BLE001 - the server goes on, whatever happens here
        what = f"{type(error).__name__}: {error}"
        return JobOutcome("failed", message="an internal error of the server", detail=what)


def _limit(limits: ServerLimits) -> None:
    """Limit the memory, the time and the size of the files of this process."""
    for kind, limit in (
        (resource.RLIMIT_AS, limits.job_bytes),
        (resource.RLIMIT_CPU, limits.job_seconds),
        (resource.RLIMIT_FSIZE, 2 * limits.expanded_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (limit if hard < 0 else min(limit, hard), hard))

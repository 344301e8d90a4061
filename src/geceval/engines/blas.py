"""The threads of numpy's BLAS, which belong to the whole process."""

from __future__ import annotations

import sys
from functools import cache
from threading import Lock
from typing import Any


class _OneBlasThread:
    """Limits the BLAS to one thread as long as anybody is inside; the first state comes back."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_inside = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._n_inside += 1
            if self._n_inside == 1 and (controller := _controller()) is not None:
                self._limit = controller.limit(limits=1, user_api="blas")

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0 and self._limit is not None:
                self._limit.restore_original_limits()


_ONE_BLAS_THREAD = _OneBlasThread()


def one_blas_thread() -> _OneBlasThread:
    """Return a context manager that limits the BLAS to one thread; any number may enter it.

    Products of small matrices lose time with more threads, and several threads add up in an
    order of their own.
    """
    return _ONE_BLAS_THREAD


def blas_names() -> list[str]:
    """Return the name, version and architecture of the BLAS libraries that are loaded."""
    controller = _controller()
    infos = [] if controller is None else controller.info()
    return sorted(
        f"{info['internal_api']}-{info['version']}-{info.get('architecture', '')}"
        for info in infos
        if info["user_api"] == "blas"
    )


def _controller() -> Any:
    """Return the controller of the libraries loaded by now, or None without threadpoolctl."""
    # Looking for them takes milliseconds; scipy brings a second one.
    return _found(has_scipy="scipy.linalg" in sys.modules)


@cache
def _found(*, has_scipy: bool) -> Any:  # noqa: ARG001 - looked for anew when it changes
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController()

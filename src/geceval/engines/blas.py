"""Limit the threads of numpy's BLAS, which are shared by the whole process."""

from __future__ import annotations

import sys
from functools import cache
from threading import Lock
from typing import Any


class _OneBlasThread:
    """Limits the BLAS to one thread until all who entered have left."""

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
    """Return a reentrant context manager that limits the BLAS to one thread.

    More threads are slower for small matrices, and sum in an order that depends on their number.
    """
    return _ONE_BLAS_THREAD


def blas_names() -> list[str]:
    """Return names, versions and architectures of the loaded BLAS libraries."""
    controller = _controller()
    infos = [] if controller is None else controller.info()
    return sorted(
        f"{info['internal_api']}-{info['version']}-{info.get('architecture', '')}"
        for info in infos
        if info["user_api"] == "blas"
    )


def _controller() -> Any:
    """Return the controller of the loaded libraries; None without threadpoolctl."""
    # Detection takes milliseconds; scipy has its own BLAS.
    return _detected(has_scipy="scipy.linalg" in sys.modules)


@cache
def _detected(*, has_scipy: bool) -> Any:  # noqa: ARG001 - detected again when it changes
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController()

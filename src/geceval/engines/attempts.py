"""One attempt at a chunk, in whatever process it runs."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from geceval.engines import ATTEMPTS, Chunk, ChunkFailure
from geceval.errors import GecevalError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Outcome(NamedTuple):
    """Result or failure of an attempt; errors are text, because not all can be pickled.

    Parameters
    ----------
    result
        What the function returned.
    failure
        Why there is no result.
    is_final
        Whether another attempt is of no use, because the input is wrong.
    trace
        Traceback of the failure.
    """

    result: Any = None
    failure: str | None = None
    is_final: bool = False
    trace: str = ""

    def is_settled(self, attempts: int) -> bool:
        """Whether no more attempts follow after so many."""
        return self.failure is None or self.is_final or attempts >= ATTEMPTS

    def settle(self, chunk: Chunk[Item]) -> Any:
        """Return the result or the failure; raise a `GecevalError` if the input is wrong."""
        if self.failure is None:
            return self.result
        if self.is_final:
            raise GecevalError(self.failure)
        return ChunkFailure(chunk, self.failure, self.trace)

    def packed(self) -> bytes:
        """Pickle the outcome; a result that cannot be pickled is a failure."""
        try:
            return pickle.dumps(self)
        except Exception as error:  # noqa: BLE001 - pickling may raise any error
            return pickle.dumps(Outcome(failure=f"its result cannot be sent: {error}"))


def attempt(function: Callable[[Chunk[Item]], Result], chunk: Chunk[Item]) -> Outcome:
    """Try a chunk once."""
    try:
        return Outcome(function(chunk))
    except GecevalError as error:
        return Outcome(failure=str(error), is_final=True)
    except Exception as error:  # noqa: BLE001 - any error names the chunk
        reason = traceback.format_exception_only(error)[-1].strip()
        return Outcome(failure=reason, trace=traceback.format_exc())

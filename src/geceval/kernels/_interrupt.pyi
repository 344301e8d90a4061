from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

class Stopped(BaseException): ...

class Stop:
    @property
    def is_requested(self) -> bool: ...
    def request(self) -> None: ...
    def run(
        self, function: Callable[[*Arguments], Result], *arguments: *Arguments
    ) -> Result: ...

"""What some tests need and a machine may lack: they skip loudly, or fail where it is required."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def skip_or_fail(name: str, reason: str) -> NoReturn:
    """Skip a test, unless ``GECEVAL_REQUIRE`` (names, with commas between) lists what it needs."""
    required = [part.strip() for part in os.environ.get("GECEVAL_REQUIRE", "").split(",")]
    if name in required:
        pytest.fail(f"{name} is required by GECEVAL_REQUIRE: {reason}")
    pytest.skip(f"{name} is not there: {reason}")

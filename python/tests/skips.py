"""Tests that cannot run where something is not there."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import sysconfig
from types import ModuleType
from typing import Any, NoReturn

import pytest


def skipped(need: str, reason: str) -> NoReturn:
    """Skips the test, or the module, for want of something, as the tests of Rust do: `crates/testing/src/skip.rs`."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "a module").split(" ")[0]
    line = f"{need} {test}: {reason}"
    if need in os.environ.get("PFH_CI_REQUIRED", "").split(","):
        pytest.fail(f"PFH_CI_REQUIRED requires {line}")
    if path := os.environ.get("PFH_TEST_SKIPS"):
        with open(path, "a") as skips:
            print(line, file=skips)
    pytest.skip(reason, allow_module_level=True)


def imported(need: str, name: str) -> Any:
    """Returns a package, without which the test, or the module, is skipped."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        skipped(need, str(error))


class Absent(ModuleType):
    """A package that is not published for the interpreter: a test that uses it is skipped."""

    def skip(self) -> NoReturn:
        skipped("free-threading", f"{self.__name__} is not published for a free-threaded interpreter")

    def __getattr__(self, name: str) -> NoReturn:
        # Whoever collects tests looks at names of modules, too.
        if name.startswith("__") or "PYTEST_CURRENT_TEST" not in os.environ:
            raise AttributeError(name)
        self.skip()


#: Packages that tests use and that free-threaded interpreters may lack. Others lack none.
ABSENT = {
    name: Absent(name)
    for name in ["duckdb", "polars"]
    if sysconfig.get_config_var("Py_GIL_DISABLED") and importlib.util.find_spec(name) is None
}
sys.modules.update(ABSENT)


def skip_without(code: str) -> None:
    """Skips the test if code for an interpreter of its own imports a package that there is not."""
    for name, package in ABSENT.items():
        if f"import {name}" in code:
            package.skip()

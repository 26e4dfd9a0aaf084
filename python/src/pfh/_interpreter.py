"""The interpreter that may load the native module."""

from __future__ import annotations

__all__ = ["check"]


def check() -> None:
    """Raises ``ImportError`` in any other than the main interpreter of a process.

    The native module belongs to the first interpreter that loads it. Where that is not the main one, the process hangs
    at its end, and the main one cannot load it.
    """
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters = __import__(name)
        except ImportError:
            # The name before Python 3.13, or after it.
            continue
        if interpreters.get_current() != interpreters.get_main():
            raise ImportError(
                "pfh works in the main interpreter of a process only, and this is another one (a sub-interpreter); "
                "import it in the main one, or in a process of its own"
            )
        return

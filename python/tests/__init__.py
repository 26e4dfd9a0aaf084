"""Tests of the package, for pytest. Before any of them, in processes that tests begin, too: packages that may be absent."""

from . import skips as skips

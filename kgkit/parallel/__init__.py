"""Calling a function for many tasks in separate processes, from a script, a notebook, a thread or an event loop."""

from kgkit.parallel.pool import Lost, count_cores, run_tasks

__all__ = ["Lost", "count_cores", "run_tasks"]

"""The pool of reading processes: `kgkit.parallel`, under the name it has here."""

from kgkit.parallel import Lost, run_tasks

__all__ = ["Lost", "run_tasks"]

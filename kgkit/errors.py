"""The error tree. Everything kgkit raises on purpose is a ``KgkitError``."""

from __future__ import annotations

from collections.abc import Iterable


class KgkitError(Exception):
    """Base of all errors that kgkit raises on purpose."""


class InputError(KgkitError, ValueError):
    """An argument's value cannot be used. The message says what was wrong, what is allowed, what to do."""


class OptionError(InputError):
    """An option has a value outside its allowed set or range."""

    @classmethod
    def not_one_of(cls, option: str, value: object, allowed: Iterable[object]) -> OptionError:
        """Build the error for ``option=value`` where only ``allowed`` values exist."""
        names = ", ".join(repr(a) for a in allowed)
        return cls(f"{option}={value!r} is not known. Allowed: {names}.")


class SchemaError(InputError):
    """A frame lacks columns of its table, or has a column of a dtype that cannot be used."""


class FrameTypeError(KgkitError, TypeError):
    """An object is not a dataframe that kgkit can read."""


class CountingError(KgkitError, AssertionError):
    """The counting law is broken: some item of a stage has no outcome, or two."""


class MissingExtraError(KgkitError, ImportError):
    """An optional library is needed and not installed."""

    @classmethod
    def for_extra(cls, library: str, extra: str, purpose: str) -> MissingExtraError:
        """Build the error that says which extra of kgkit brings ``library``."""
        return cls(f"{purpose} needs the library {library!r}. Install it with: pip install 'kgkit[{extra}]'")


class ProjectError(KgkitError):
    """A project on disk cannot be opened, read or written; what it held before is still there."""


class ProjectBusyError(ProjectError, TimeoutError):
    """Another process was writing to the project for longer than the time to wait."""


class ReadError(KgkitError):
    """A file cannot be read; ``reason`` is one of the documented short codes.

    Raised inside readers and turned into an outcome by ``read_documents``: it never ends a batch.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)  # both in args, so that it survives pickling between processes
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"

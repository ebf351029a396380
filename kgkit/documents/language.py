"""The main language of a text: `kgkit.language`, under the name it has here."""

from kgkit.language import tell_language

__all__ = ["tell_language"]

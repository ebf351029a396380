"""Optical recognition of PDFs that are pictures, with ocrmypdf and tesseract; an extra, never used unasked."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from pathlib import Path

from kgkit.errors import MissingExtraError, ReadError

__all__ = ["check_ocr", "recognise"]


def check_ocr() -> None:
    """Make sure that recognition can run, before files are read.

    Raises:
        MissingExtraError: The library or the tesseract program is not installed.
    """
    if importlib.util.find_spec("ocrmypdf") is None:
        raise MissingExtraError.for_extra("ocrmypdf", "ocr", "ocr=True")
    if shutil.which("tesseract") is None:
        msg = (
            "ocr=True needs the program 'tesseract'. Install it: apt install tesseract-ocr (or brew install tesseract)."
        )
        raise MissingExtraError(msg)


def recognise(data: bytes) -> bytes:
    """Give a PDF a text layer where it has none.

    Raises:
        ReadError: ``ocr_failed`` with what the library said.
    """
    import ocrmypdf

    with tempfile.TemporaryDirectory(prefix="kgkit-ocr-") as folder:
        before, after = Path(folder, "in.pdf"), Path(folder, "out.pdf")
        before.write_bytes(data)
        try:
            ocrmypdf.ocr(before, after, skip_text=True, progress_bar=False, jobs=1, output_type="pdf")
        except Exception as error:  # whatever its many tools raise
            raise ReadError("ocr_failed", f"{type(error).__name__}: {error}"[:300]) from error
        return after.read_bytes()

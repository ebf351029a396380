"""Recognising text in pictures: with the real programs where they are installed."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

import kgkit as kg

needs_ocr = pytest.mark.skipif(
    importlib.util.find_spec("ocrmypdf") is None or shutil.which("tesseract") is None,
    reason="the extra kgkit[ocr] or the program tesseract is not installed",
)


@needs_ocr
def test_a_scan_gets_its_text_and_says_where_it_is_from(shared: Path) -> None:
    scan = shared / "data" / "files" / "pdf_scan_no_text.pdf"
    assert kg.read_documents(scan).outcomes["reason"].to_list() == ["no_text_layer"]
    documents = kg.read_documents(scan, ocr=True, timeout=300)
    text = documents.frame["text"].item()
    assert "COMPREHENSIVE MEDICAL REPORT" in text and "MEDRPT-2024-PAT-3847" in text
    assert documents.outcomes["notes"].to_list()[0][0].startswith("ocr:")
    assert {s["label"] for s in documents.frame["sections"].item() if s["kind"] == "page"} == {"1", "2", "3"}

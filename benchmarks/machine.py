"""What the numbers were measured on: processor, versions, and how fast it multiplies.

Left out: memory bandwidth, and the choice of a number type (`mage.settle`).
"""

import platform
import time
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

SIZE = 1024  # of the square matrices that are multiplied
TRIES = 3  # the best counts: anything that disturbs a product makes it slower
DTYPES = ("float32", "bfloat16")


def matrix_rate(dtype: torch.dtype, device: torch.device) -> float:
    """Return the GFLOP/s of a linear layer on square matrices, the best of a few tries."""
    left = torch.randn(SIZE, SIZE, device=device).to(dtype)
    right = torch.randn(SIZE, SIZE, device=device).to(dtype)
    seconds = []
    for _ in range(TRIES):
        start = time.perf_counter()
        product = functional.linear(left, right)
        float(product[0, 0])  # waits for the device
        seconds.append(time.perf_counter() - start)
    return 2 * SIZE**3 / min(seconds) / 1e9


def describe(device: torch.device) -> dict[str, Any]:
    """Return processor, threads, versions and measured matrix rates; needs the number of threads to be set."""
    gpu = torch.cuda.get_device_name(device) if device.type == "cuda" else None
    return {
        "cpu": _processor(),
        "gpu": gpu,
        "threads": torch.get_num_threads(),
        "isa": torch.backends.cpu.get_cpu_capability(),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "gflops": {name: matrix_rate(getattr(torch, name), device) for name in DTYPES},
    }


def _processor() -> str:
    """Return the processor's name as Linux gives it, elsewhere what Python knows."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()

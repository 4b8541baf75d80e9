"""Whether this process has a GPU, asked without torch where it has none."""

import ctypes

_DRIVER = "libcuda.so.1"
_SUCCESS = 0


def has_gpu() -> bool:
    """Whether there is a GPU that torch can use, of those that CUDA_VISIBLE_DEVICES leaves.

    The driver is asked first: importing torch takes seconds and hundreds of megabytes.
    """
    if driver_gpus() == 0:
        return False
    import torch

    return torch.cuda.is_available()


def driver_gpus() -> int:
    """How many GPUs NVIDIA's driver shows to this process; 0 where there is no driver."""
    try:
        driver = ctypes.CDLL(_DRIVER)
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != _SUCCESS or driver.cuDeviceGetCount(ctypes.byref(count)) != _SUCCESS:
        return 0
    return count.value

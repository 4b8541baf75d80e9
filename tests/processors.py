"""Older processors, as far as libraries choose their code by the processor: on x86-64 only.

python tests/processors.py avx2 COMMAND... runs a command as on a processor with AVX2 but no AVX-512, and
`basic` as on one without AVX2.
"""

import os
import sys

PROCESSORS = {
    "avx2": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
        "CT2_FORCE_CPU_ISA": "AVX2",
        "ARROW_USER_SIMD_LEVEL": "AVX2",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "+avx2,+fma,+bmi,+bmi2,+f16c,+lzcnt,+popcnt",
    },
    "basic": {
        "ATEN_CPU_CAPABILITY": "default",
        "ONEDNN_MAX_CPU_ISA": "SSE41",
        "MKL_CBWR": "COMPATIBLE",
        "OPENBLAS_CORETYPE": "Nehalem",
        "CT2_FORCE_CPU_ISA": "GENERIC",
        "ARROW_USER_SIMD_LEVEL": "NONE",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
    },
}
"""The variables of torch, oneDNN, MKL, OpenBLAS, CTranslate2, Arrow, NumPy, numba and the C library."""

if __name__ == "__main__":
    name, *command = sys.argv[1:]
    os.execvpe(command[0], command, {**os.environ, **PROCESSORS[name]})

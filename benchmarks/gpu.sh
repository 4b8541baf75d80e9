#!/bin/sh
# All that is to be measured on a GPU, in about ten minutes; what is printed first matters most.
#
#     sh benchmarks/gpu.sh MODEL SOURCES REFERENCES [FOLDER]
#
# MODEL: a fairseq checkpoint's folder; SOURCES, REFERENCES: text files in its languages. FOLDER: where
# base.jsonl and big.jsonl are written, this folder by default. PYTHON names the interpreter.
#
# fairseq is measured as its users would tune it: float16, sorted by length, the best of several batches.
# CTranslate2 is left out: its wheels have no code for the newest GPUs.
set -eu
model=$1 sources=$2 references=$3 out=${4:-.}
python=${PYTHON:-python}
here=$(dirname "$0")
half="--device cuda --precision float16"
several="--seconds 24 --block 512 --pool 50000 --probe 12"

$python "$here/profile_engine.py" base $half --sentences 10000
$python "$here/translate.py" base $half $several --engines fairseq,torch --beams 12 --rounds 5 \
    --tune fairseq=2048,8192,16384 --tune torch=16384,32768,65536 --json "$out/base.jsonl"
$python -m pytest -q "$here/../tests/test_torch_kernels.py" || echo "the kernels' tests FAILED or could not run"
$python "$here/parity.py" "$model" "$sources" --references "$references" --device cuda --beams 1,12 ||
    echo "a comparison does NOT hold"
$python "$here/translate.py" base $half $several --engines fairseq,torch,transformers --beams 5,1 --rounds 3 \
    --tune fairseq=8192,16384 --tune torch=32768,65536 --tune transformers=8192 --json "$out/base.jsonl"
$python "$here/translate.py" big $half $several --engines fairseq,torch --beams 12 --rounds 3 \
    --tune fairseq=2048,8192 --tune torch=16384,32768 --json "$out/big.jsonl"
$python "$here/translate.py" base $half $several --engines fairseq,transformers --beams 12 --rounds 3 \
    --tune fairseq=8192 --tune transformers=8192 --json "$out/base.jsonl"
$python "$here/training.py" "$references" --device cuda --rounds 3 --timed 1 || echo "training could NOT be measured"

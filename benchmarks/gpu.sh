#!/bin/sh
# All that is to be measured on a GPU, in ten minutes at most; what is measured first matters most.
#
#     sh benchmarks/gpu.sh MODEL SOURCES REFERENCES [FOLDER]
#
# MODEL: a fairseq checkpoint's folder; SOURCES, REFERENCES: text files in its languages. FOLDER: where
# base.jsonl and big.jsonl are written, this folder by default. PYTHON names the interpreter. SECONDS_ALLOWED
# is the time for everything, 590 by default. DEVICE=cpu tries all commands with tiny models, a few sentences and
# twenty times the limits.
#
# Each line has a time limit of its own, and a line that fails or is cut does not end the others; then the exit
# status is 1. The seconds that a line is expected to take on an H200 stand before its limit.
#
# fairseq is measured as its users would tune it: float16, sorted by length, the best of several batches.
# CTranslate2 is left out: its wheels have no code for the newest GPUs.
set -u
model=$1 sources=$2 references=$3 out=${4:-.}
python=${PYTHON:-python}
here=$(dirname "$0")
status=0
end=$(($(date +%s) + ${SECONDS_ALLOWED:-590}))

if [ "${DEVICE:-cuda}" = cpu ]; then
    base=tiny big=tiny few=64 many=64 sample=16 types="--device cpu --precision float32"
    times="--seconds 1 --block 8 --pool 64 --probe 2 --tuning 0.2 --compared 4"
    small=64 fair=128 usual=256 large=512 patience=20
else
    base=base big=big few=4000 many=10000 sample=500 types="--device cuda --precision float16"
    times="--seconds 15 --block 512 --pool 50000 --probe 4 --tuning 4"
    small=8192 fair=16384 usual=32768 large=65536 patience=1
fi

# measure EXPECTED LIMIT COMMAND...: run a command, for at most LIMIT seconds or the time that is left.
measure() {
    expected=$1 limit=$(($2 * patience))
    shift 2
    left=$((end - $(date +%s)))
    if [ "$left" -lt 5 ]; then
        echo "NOT MEASURED, no time is left: $*"
        status=1
        return
    fi
    [ "$limit" -lt "$left" ] || limit=$left
    started=$(date +%s)
    timeout -k 5 "$limit" "$@"
    code=$?
    taken="$(($(date +%s) - started)) s, $expected s expected"
    case $code in
    0) echo "-- $taken" ;;
    124 | 137) status=1 && echo "-- CUT after $taken: $*" ;;
    *) status=1 && echo "-- FAILED or does not hold, after $taken: $*" ;;
    esac
}

# $types and $times are several words.
# 1. Where the time goes, and what of it CUDA graphs save.
measure 40 70 "$python" "$here/profile_engine.py" $base $types --sentences $many
# 2. The speed beside fairseq's, steps in CUDA graphs beside plain ones, the speed of every batch size, and GPU
# hours for 51.4 million pairs.
measure 140 180 "$python" "$here/translate.py" $base $types $times --engines fairseq,torch,graphs --beams 12 \
    --rounds 5 --tune fairseq=$small,$fair --tune torch=$small,$fair,$usual,$large \
    --tune graphs=$fair,$large --json "$out/base.jsonl"
# 3. The kernels and the graphs against what they replace, bit for bit.
measure 30 60 "$python" -m pytest -q -o addopts= "$here/../tests/test_torch_kernels.py" \
    "$here/../tests/test_torch_capture.py" -k gpu
# 4. The same lists as fairseq's in float32; float16 and bfloat16 agree with float32.
measure 90 120 "$python" "$here/parity.py" "$model" "$sources" --references "$references" \
    --device "${DEVICE:-cuda}" --beams 1,12 --sentences $sample --precisions \
    "$([ "${DEVICE:-cuda}" = cpu ] && echo bfloat16 || echo float16,bfloat16)"
# 5. Training: the word average and the BiLSTM beside sentence-transformers.
measure 60 90 "$python" "$here/training.py" "$references" --device "${DEVICE:-cuda}" --rounds 3 --timed 1
# 6. The other beams, and the bigger model.
measure 75 100 "$python" "$here/translate.py" $base $types $times --engines fairseq,torch,graphs --beams 5,1 \
    --rounds 2 --tune fairseq=$fair --tune torch=$usual --tune graphs=$usual --json "$out/base.jsonl"
measure 55 80 "$python" "$here/translate.py" $big $types $times --engines fairseq,torch,graphs --beams 12 \
    --rounds 2 --tune fairseq=$small --tune torch=$fair,$usual --tune graphs=$fair --json "$out/big.jsonl"
# 7. The graphs' side of the profile, and transformers.
measure 35 60 "$python" "$here/profile_engine.py" $base $types --sentences $few --cuda-graphs
measure 60 90 "$python" "$here/translate.py" $base $types $times --engines torch,transformers --beams 12 \
    --rounds 3 --tune torch=$usual --tune transformers=$small --json "$out/base.jsonl"
exit $status

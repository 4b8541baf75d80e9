"""Target `slurm`: a batch script that starts Dask inside its allocation, runs the recipe on it, and stops it.

Each node gets workers for stages without a GPU, and one more worker for each GPU. The two kinds of worker
have separate schedulers. They share the node's processors, because a run works on one stage at a time.
Alternatively, each phase of a recipe is a job, and only the phases on GPUs allocate GPUs. The script holds
the recipe, and exits with the run's status. When its time is nearly up, it asks Slurm to queue the job again,
and Slurm itself queues a preempted job again; the run then continues at the missing parts.
"""

import os
import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from ...base.bounds import MACHINES, MACHINES_OR_NONE, NONE_OR_MORE
from ...base.errors import RecipeError
from ..options.field_options import AsOption
from .target import MARK, RecipeSource, Target, check_places, device_overrides, frozen, gpu_stages, steps

if TYPE_CHECKING:
    from ...pipeline.recipe.recipe import Recipe

_TIME = r"(\d+-\d{1,2}(:\d{1,2}){0,2}|\d+(:\d{1,2}){0,2})"
_WORD = r"[A-Za-z0-9_.,:=+-]+"


@dataclass(frozen=True)
class Slurm(Target):
    """Dask inside a Slurm allocation."""

    name = "slurm"
    summary = "A batch script for Slurm that runs the recipe on Dask inside its allocation."
    examples = (
        "paranmt launch render slurm recipe.yaml --out slurm --nodes 4 --time 24:00:00 --partition cpu",
        "paranmt launch render slurm recipe.yaml --nodes 2 --gpus-per-node 8 --setup 'module load cuda'",
    )

    nodes: Annotated[int, MACHINES] = 1
    """How many nodes to allocate."""
    workers_per_node: Annotated[int, MACHINES] = 4
    """Workers without a GPU on each node."""
    cpus_per_worker: Annotated[int, MACHINES] = 4
    """Processors of each worker without a GPU."""
    gpus_per_node: Annotated[int, MACHINES_OR_NONE] = 0
    """GPUs of each node, each with one more worker; 0 for none."""
    job_per_phase: bool = False
    """A job for each phase, so that GPUs are allocated only while a stage uses them."""
    gpu_partition: Annotated[str | None, AsOption("NAME")] = None
    """The partition of jobs with GPUs; by default that of the others."""
    memory: Annotated[str | None, AsOption("SIZE")] = None
    """Memory of each node, such as 64G; by default the partition's."""
    time: str = "24:00:00"
    """The time limit of the job; after it, the job is queued again."""
    partition: Annotated[str | None, AsOption("NAME")] = None
    """The partition; by default the cluster's."""
    account: Annotated[str | None, AsOption("NAME")] = None
    """The account to charge."""
    qos: Annotated[str | None, AsOption("NAME")] = None
    """The quality of service."""
    constraint: Annotated[str | None, AsOption("FEATURES")] = None
    """Features that the nodes must have, in Slurm's syntax."""
    gpu_type: Annotated[str | None, AsOption("NAME")] = None
    """Slurm's name for the GPUs, such as a100."""
    requeues: Annotated[int, NONE_OR_MORE] = 50
    """How often the job may be queued again."""
    interface: Annotated[str | None, AsOption("NAME")] = None
    """The network interface that Dask uses, such as ib0."""
    setup: Annotated[tuple[str, ...], AsOption("LINE")] = ()
    """A shell command to run first, such as 'module load cuda'."""
    environment: Annotated[str | None, AsOption("FOLDER")] = None
    """A virtual environment with paranmt on a shared disk; by default the one that runs this command."""
    prefix: Annotated[str, AsOption("NAME", "--name")] = "paranmt"
    """The name of the job."""

    def render(self, source: RecipeSource) -> dict[str, str]:
        self._check()
        recipe = source.load()
        gpus = self.gpus_per_node
        recipe = source.load(device_overrides(recipe, gpus, "--gpus-per-node", driver_gpu=gpus > 0))
        check_places(recipe)
        if not self.job_per_phase:
            return {f"{self.prefix}.sbatch": self._script(self.prefix, recipe, source.consent)}
        without = replace(self, gpus_per_node=0, gpu_type=None, gpu_partition=None)
        files = {}
        for number, (name, kind, arguments) in enumerate(steps(gpu_stages(recipe, driver_gpu=True)), start=1):
            phase = f"{self.prefix}-{number}-{name}"
            script = (self if kind == "gpu" else without)._script
            files[f"{phase}.sbatch"] = script(phase, recipe, [*arguments, *source.consent])
        return {**files, "submit.sh": _submission(list(files))}

    def _script(self, name: str, recipe: "Recipe", arguments: list[str]) -> str:
        """The script of one job."""
        values = {
            "mark": MARK,
            "directives": "\n".join(f"#SBATCH {line}" for line in self._directives(name)),
            "setup": "\n".join([*self.setup, *self._activation()]),
            "requeues": str(self.requeues),
            "interface": f" --interface {shlex.quote(self.interface)}" if self.interface else "",
            "starts": "\n".join(self._starts()),
            "recipe": frozen(recipe),
            "arguments": shlex.join([*arguments, "--runner", "dask"]),
            "joins": self._joins(),
        }
        return _filled(_SCRIPT, values)

    def _check(self) -> None:
        self.matching(_TIME, "a time limit such as 24:00:00 or 2-00:00:00", "time")
        self.matching(r"[1-9]\d*[KMGT]?", "an amount of memory such as 64G", "memory")
        self.matching(
            r"[A-Za-z0-9._-]+", "letters, digits, and . _ - only", "prefix", "interface", "gpu_type"
        )
        self.matching(_WORD, "a name without spaces", "partition", "gpu_partition", "account", "qos")
        self.matching(r"[^\s'\"\\]+", "features without spaces or quotes", "constraint")
        self.matching(r"[^\n]+", "one line", "setup")
        if self.gpus_per_node > self.workers_per_node * self.cpus_per_worker:
            raise RecipeError(
                f"--gpus-per-node: each of the {self.gpus_per_node} GPUs needs a processor, and a node has "
                f"{self.workers_per_node * self.cpus_per_worker} (--workers-per-node × --cpus-per-worker)"
            )
        if self.gpu_type and not self.gpus_per_node:
            raise RecipeError("--gpu-type needs --gpus-per-node, the number of GPUs of that type")
        if self.job_per_phase and not self.gpus_per_node:
            raise RecipeError("--job-per-phase needs --gpus-per-node: it is for jobs with and without GPUs")
        if self.gpu_partition and not self.job_per_phase:
            raise RecipeError("--gpu-partition needs --job-per-phase; otherwise give --partition")

    def _directives(self, name: str) -> list[str]:
        gpus = f"{self.gpu_type}:{self.gpus_per_node}" if self.gpu_type else str(self.gpus_per_node)
        given = {
            "job-name": name,
            "nodes": str(self.nodes),
            "ntasks-per-node": str(self.workers_per_node),
            "cpus-per-task": str(self.cpus_per_worker),
            "gpus-per-node": gpus if self.gpus_per_node else None,
            "mem": self.memory,
            "time": self.time,
            "partition": self.gpu_partition or self.partition,
            "account": self.account,
            "qos": self.qos,
            "constraint": self.constraint,
            # Five minutes before the end, to this script only, not to its steps.
            "signal": "B:USR1@300",
            "output": f"{name}-%j.log",
        }
        flags = ["--requeue", "--open-mode=append", "--no-kill"]
        return [f"--{name}={value}" for name, value in given.items() if value is not None] + flags

    def _activation(self) -> list[str]:
        folder = self.environment
        if folder is None and sys.prefix != sys.base_prefix:
            folder = sys.prefix
        if folder is None:
            return []
        return [f". {shlex.quote(os.path.join(os.path.abspath(folder), 'bin', 'activate'))}"]

    def _starts(self) -> list[str]:
        """The lines that start the schedulers and their workers.

        The arguments of `start_workers`: kind, nodes, tasks per node, processors per task.
        """
        node_cpus = self.workers_per_node * self.cpus_per_worker
        kinds = [("cpu", self.workers_per_node, self.cpus_per_worker)]
        if self.gpus_per_node:
            kinds.append(("gpu", self.gpus_per_node, node_cpus // self.gpus_per_node))
        return [
            line
            for kind, tasks, cpus in kinds
            for line in (f"start_scheduler {kind}", f"start_workers {kind} {self.nodes} {tasks} {cpus}")
        ]

    def _joins(self) -> str:
        cpu_workers = f"cpu={self.nodes * self.workers_per_node}"
        return cpu_workers + (f" gpu={self.nodes * self.gpus_per_node}" if self.gpus_per_node else "")


def _submission(files: list[str]) -> str:
    """The script that submits the jobs."""
    first, *others = (shlex.quote(file) for file in files)
    lines = [f"job=$(sbatch --parsable {first})"]
    after = '--dependency=afterok:"${job%%;*}" --kill-on-invalid-dep=yes'
    lines += [f"job=$(sbatch --parsable {after} {file})" for file in others]
    return _SUBMISSION.format(mark=MARK, submissions="\n".join(lines))


_SUBMISSION = """\
#!/bin/sh
# {mark} slurm`. Each job begins when the one before it has succeeded.
set -eu
cd "$(dirname "$0")"
{submissions}
echo "the last job is $job"
"""


def _filled(script: str, values: Mapping[str, str]) -> str:
    """The script with each `@{name}` replaced; `$` belongs to the shell."""
    return re.sub(r"@\{([a-z]+)\}", lambda match: values[match[1]], script)


_SCRIPT = r"""#!/bin/bash
# @{mark} slurm`. Submit it from a folder that all nodes see: sbatch FILE
@{directives}
# shellcheck disable=SC1091,SC2329

@{setup}

set -euo pipefail
say() { echo "$(date '+%F %T') $*" >&2; }

: "${SLURM_JOB_ID:?is not set: submit this file with sbatch}"
if [ "${SLURM_RESTART_COUNT:-0}" -gt @{requeues} ]; then
    say "queued again more than @{requeues} times (--requeues): giving up"
    exit 1
fi
for command in paranmt dask; do
    if ! command -v "$command" >/dev/null; then
        say "$command is not on the PATH: load it with --setup, or give --environment"
        exit 1
    fi
done

state="$PWD/.paranmt-$SLURM_JOB_ID"
rm -rf "$state"
mkdir -p "$state"
cat >"$state/recipe.yaml" <<'END_OF_RECIPE'
@{recipe}END_OF_RECIPE
steps=()
run=
asked=

# Runs at every exit: stops the steps, and removes the files that were written for them.
finish() {
    local status=$?
    trap - EXIT
    trap '' TERM INT USR1
    if [ "${#steps[@]}" -gt 0 ]; then
        kill "${steps[@]}" 2>/dev/null || true
        wait "${steps[@]}" 2>/dev/null || true
    fi
    rm -rf "$state"
    if [ "$asked" = requeue ] && [ "$status" -ne 0 ]; then
        say "the time is up: queueing the job again"
        scontrol requeue "$SLURM_JOB_ID"
    fi
    exit "$status"
}
trap finish EXIT

# A run that is interrupted keeps what it finished.
stop() {
    asked=$1
    if [ -z "$run" ]; then exit 143; fi
    kill -INT "$run" 2>/dev/null || true
}
trap 'stop requeue' USR1
trap 'stop end' TERM

alive() { kill -0 "$1" 2>/dev/null; }
# Unlike sleep itself, a wait for it ends when a signal comes.
pause() {
    sleep "$1" &
    wait $! || true
}

# Threads match the processors of a worker, not those of its node. Slurm limits memory, so Dask need not.
cat >"$state/worker.sh" <<'END'
#!/bin/bash
# Arguments: kind, processors, the scheduler's file
set -eu
export OMP_NUM_THREADS=$2
if [ "$1" = gpu ]; then
    IFS=, read -ra devices <<<"${CUDA_VISIBLE_DEVICES:-}"
    export CUDA_VISIBLE_DEVICES="${devices[SLURM_LOCALID]:-$SLURM_LOCALID}"
fi
exec dask worker --scheduler-file "$3" --nworkers 1 --nthreads 1 --memory-limit 0 --no-dashboard \
    --local-directory "${TMPDIR:-/tmp}" --death-timeout 300@{interface}
END

start_scheduler() {
    srun --overlap --nodes=1 --ntasks=1 --cpus-per-task=1 --relative=0 --mem=0 --gres=none \
        dask scheduler --port 0 --no-dashboard --scheduler-file "$state/$1.json"@{interface} &
    steps+=("$!")
}

start_workers() {
    local gpus=--gres=none
    if [ "$1" = gpu ]; then gpus=--gpu-bind=none; fi
    srun --overlap --nodes="$2" --ntasks="$(($2 * $3))" --ntasks-per-node="$3" --cpus-per-task="$4" \
        --mem=0 "$gpus" --kill-on-bad-exit=0 bash "$state/worker.sh" "$1" "$4" "$state/$1.json" &
    steps+=("$!")
}

@{starts}

# Waits until all workers have joined, and writes the schedulers' addresses as options of `run`.
python - "$state" @{joins} >"$state/options" <<'END' &
import pathlib, sys, time
from distributed import Client

state, flags = pathlib.Path(sys.argv[1]), {"cpu": "--dask-scheduler", "gpu": "--gpu-dask-scheduler"}
end = time.monotonic() + 600
for kind, count in (join.split("=") for join in sys.argv[2:]):
    file = state / f"{kind}.json"
    while not (file.exists() and file.stat().st_size):
        if time.monotonic() > end:
            sys.exit(f"the {kind} scheduler did not start within ten minutes")
        time.sleep(0.5)
    with Client(scheduler_file=str(file), timeout=120) as client:
        try:
            client.wait_for_workers(int(count), timeout=max(1.0, end - time.monotonic()))
        except TimeoutError:
            joined = len(client.scheduler_info(n_workers=-1)["workers"])
            sys.exit(f"{joined} of {count} {kind} workers joined within ten minutes")
        print(flags[kind], client.scheduler.address)
END
joining=$!

# Fails with a message if a step has ended.
check() {
    local step
    for step in "${steps[@]}"; do
        if ! alive "$step"; then
            say "a scheduler or all of its workers have ended; their output is above"
            return 1
        fi
    done
}

while alive "$joining"; do
    check || exit 1
    pause 1
done
wait "$joining" || exit 1
read -ra options <<<"$(tr '\n' ' ' <"$state/options")"
say "Dask is ready: ${options[*]}"

# Job control, so that the run receives interrupts even though it is in the background.
set -m
paranmt run "$state/recipe.yaml" @{arguments} "${options[@]}" &
run=$!
set +m
broken=
patience=60
while alive "$run"; do
    if [ -z "$broken$asked" ] && ! check; then
        broken=yes
        kill -INT "$run" 2>/dev/null || true
    fi
    if [ -n "$broken$asked" ]; then
        patience=$((patience - 1))
        if [ "$patience" -eq 0 ]; then kill -KILL "$run" 2>/dev/null || true; fi
    fi
    pause 1
done
status=0
wait "$run" || status=$?
if [ -n "$broken" ] && [ "$status" -eq 0 ]; then status=1; fi
say "paranmt run ended with status $status"
exit "$status"
"""

"""Install fairseq and KenLM, which paranmt does not depend on, into the environment of this Python.

    python -m paranmt.install
    python install.py --editable .                 # in a checkout, as for the demo: that first, then KenLM
    python install.py --editable '.[fairseq,dev]'  # both, because the extra `fairseq` is named

fairseq's metadata asks for versions that pip can no longer install together. So fairseq is installed without
its dependencies, after the packages that it imports.

KenLM's package has no programs to train with, and its C++ code for Python, made by an old Cython, does not
compile under Python 3.13. So its source is compiled here, once for the Python module and for `lmplz` and
`build_binary`: with code for Python by a current Cython, and with Boost from the package `cmeel-boost`. The
Boost libraries that `lmplz` loads go into `lib/kenlm` beside `bin`, where it finds them even if the whole
environment is moved.

What already works is not installed again. This file uses only the standard library, so it can run before
anything is installed. The environment needs no pip of its own.
"""

import argparse
import importlib.metadata
import importlib.util
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import threading
import time
import venv
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FAIRSEQ = "fairseq==0.12.2"
KENLM = "0.3.0"
BOOST = "cmeel-boost==1.90.0"
BUILD = ("setuptools>=77", "Cython>=3.1", BOOST)
LEFT_OUT = frozenset({"fairseq", "kenlm"})
PROGRAMS = ("lmplz", "build_binary")

# The folders with the sources of all programs, and of `lmplz`; the file with the main function of each.
_READING = ("util", "util/double-conversion", "lm")
_TRAINING = (*_READING, "util/stream", "lm/common", "lm/builder")
_MAINS = {
    "lmplz": "lm/builder/lmplz_main.cc",
    "build_binary": "lm/build_binary_main.cc",
    "query": "lm/query_main.cc",
}
_FLAGS = "-O3 -DNDEBUG -DKENLM_MAX_ORDER=6 -DHAVE_CLOCKGETTIME -std=c++14 -fPIC -pthread -w".split()

# Compiles KenLM's module for Python, with what the programs are made of too.
_SETUP = """\
from setuptools import Extension, setup

module = Extension(
    "kenlm",
    ["python/kenlm.pyx", "python/score_sentence.cc"],
    language="c++",
    include_dirs=["."],
    extra_compile_args={flags!r},
    extra_objects={objects!r},
)
setup(name="kenlm", version="{version}", description="KenLM's module for queries", ext_modules=[module])
"""


class InstallError(Exception):
    """Something cannot be installed here; the message says what to do."""


def main() -> int:
    """Install what is missing; 0 if all of it works at the end, 2 if something could not be installed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only check that all can be built here")
    parser.add_argument(
        "--editable",
        metavar="CHECKOUT",
        help="first install this checkout, with the extras in brackets and the versions of constraints.txt",
    )
    arguments = parser.parse_args()
    try:
        if arguments.check:
            check_needs(needs_venv=True)
        else:
            install(arguments.editable)
    except (InstallError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def check_needs(needs_venv: bool = False) -> None:
    """InstallError, with all that is missing in one line, if something cannot be built here."""
    missing = []
    if needs_venv and not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        missing.append(("the module venv with ensurepip", "python3-venv"))
    if not Path(sysconfig.get_path("include"), "Python.h").is_file():
        missing.append(("the headers of Python (Python.h)", "python3-dev"))
    if not _compiler():
        missing.append(("a C++ compiler", "g++"))
    if missing:
        # Debian names its packages python3-… for its own Python, and python3.12-… for another one.
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        own = os.path.realpath("/usr/bin/python3") == os.path.realpath(f"/usr/bin/{version}")
        packages = [name if own else name.replace("python3", version) for _, name in missing]
        raise InstallError(
            f"{sys.executable} needs {' and '.join(what for what, _ in missing)}; on Debian and Ubuntu: "
            f"apt-get install {' '.join(packages)} (elsewhere: the packages that hold these)"
        )


def install(editable: str | None = None) -> None:
    """Install a checkout if one is given, then KenLM and fairseq if they are missing.

    fairseq is left out if a checkout is given without its extra `fairseq`.
    """
    prefix = Path(sys.prefix)
    wants_fairseq = editable is None or "fairseq" in re.findall(r"[\w-]+", editable.partition("[")[2])
    kenlm, fairseq = kenlm_works(prefix), not wants_fairseq or _is_installed("fairseq")
    if not (kenlm and fairseq):
        check_needs()
    with tempfile.TemporaryDirectory(prefix="paranmt-") as folder:
        work = Path(folder)
        if editable is not None:
            # Python compiles a module when it is first imported; compiling all of them takes minutes.
            options = ("--no-compile", "--constraint", Path(editable.partition("[")[0], "constraints.txt"))
            _run("installing packages", [*_pip(work), "install", *options, "--editable", editable])
        elif _needed_by_fairseq():
            _run("installing what fairseq imports", [*_pip(work), "install", *_needed_by_fairseq()])
        if not fairseq:
            _run("building fairseq", [*_pip(work), "install", "--no-deps", FAIRSEQ])
        if not kenlm:
            build_kenlm(prefix, work)
    if not kenlm_works(prefix):
        raise InstallError(
            f"KenLM is installed, but does not run; `{sys.executable} -c 'import kenlm'` and "
            f"`{prefix / 'bin' / 'lmplz'} --help` may say why"
        )
    print(f"{'fairseq and KenLM are' if wants_fairseq else 'KenLM is'} installed in {prefix}")


def missing(*wanted: str) -> str:
    """Which packages and programs are missing here, and the command that installs them; empty if none is."""
    absent = [
        name for name in wanted if not (_has_program(name) if name in PROGRAMS else _is_installed(name))
    ]
    if "fairseq" in wanted:
        absent += map(_name, _needed_by_fairseq())
    return f"not installed here: {', '.join(absent)}; to install: {install_command()}" if absent else ""


def install_command() -> str:
    """The command that installs fairseq and KenLM into the environment of this Python."""
    return f"{shlex.quote(sys.executable)} -m paranmt.install"


def kenlm_works(prefix: Path) -> bool:
    """Whether the programs under `prefix` make a binary model that the module of this Python reads."""
    with tempfile.TemporaryDirectory() as folder:
        arpa, binary = Path(folder, "a.arpa"), Path(folder, "a.bin")
        options = "-o 2 -S 50M --discount_fallback".split()
        train: list[str | Path] = [prefix / "bin" / "lmplz", *options, "-T", folder, "--arpa", arpa]
        convert = [prefix / "bin" / "build_binary", arpa, binary]
        read = [sys.executable, "-c", f"import kenlm; kenlm.Model({str(binary)!r})"]
        try:
            subprocess.run(train, input=b"a b a\n", capture_output=True, check=True)
            subprocess.run(convert, capture_output=True, check=True)
            subprocess.run(read, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return False
    return True


def build_kenlm(prefix: Path, work: Path, programs: Sequence[str] = PROGRAMS, module: bool = True) -> None:
    """Compile KenLM in the folder `work`; install its programs under `prefix`, its module for this Python."""
    pip, tools = _pip(work), work / "tools"
    _run("fetching what KenLM is built with", [*pip, "install", "--no-deps", "--target", tools, *BUILD])
    # pip asks the source package for its metadata, with setuptools from `tools` instead of a copy of its own.
    found = {**os.environ, "PYTHONPATH": str(tools)}
    download = [*pip, "download", "--no-deps", "--no-build-isolation", "--no-binary", "kenlm", "--dest", work]
    _run("fetching KenLM's source", [*download, f"kenlm=={KENLM}"], environment=found)
    source = _unpacked(next(work.glob("kenlm-*.tar.gz")), work / "source")
    boost = tools / "cmeel.prefix"
    objects = _compiled(source, boost / "include", [_MAINS[name] for name in programs])
    built = [_linked(name, objects, boost / "lib", work) for name in programs]
    if module:
        text = _SETUP.format(flags=_FLAGS, objects=_of_folders(objects, _READING), version=KENLM)
        (source / "setup.py").write_text(text, encoding="utf-8")
        (source / "python" / "kenlm.cpp").unlink()  # made by an old Cython
        alone = ("--no-deps", "--no-index")
        compile_it = [*pip, "wheel", *alone, "--no-build-isolation", "--wheel-dir", work, source]
        _run("compiling KenLM's module", compile_it, environment=found)
        add = [*pip, "install", *alone, "--force-reinstall", "--find-links", work, f"kenlm=={KENLM}"]
        _run("installing KenLM's module", add)
    _install_programs(built, boost / "lib", prefix)


def _needed_by_fairseq() -> list[str]:
    """The requirements of the extra `fairseq` that are not installed; none if paranmt is not."""
    try:
        lines = importlib.metadata.requires("paranmt") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    extra = [line.partition(";")[0].strip() for line in lines if re.search(r"extra == .fairseq\b", line)]
    return [requirement for requirement in extra if not _is_installed(_name(requirement))]


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def _has_program(name: str) -> bool:
    return bool(shutil.which(name, path=Path(sys.executable).parent) or shutil.which(name))


def _is_installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _pip(work: Path) -> list[str | Path]:
    """pip for this environment, from a new environment in `work` if this one has none, as uv makes them."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    other = work / "pip"
    if not other.exists():
        try:
            venv.create(other, with_pip=True)
        except (OSError, subprocess.CalledProcessError):
            raise InstallError(
                "this environment has no pip, and this Python cannot make an environment with one; "
                f"add it, for example with `uv pip install --python {sys.executable} pip`"
            ) from None
    return [other / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--python", sys.executable]


def _compiler() -> list[str]:
    """The command of the C++ compiler; empty if there is none."""
    if os.environ.get("CXX"):
        return shlex.split(os.environ["CXX"])
    return next(([name] for name in ("c++", "g++", "clang++") if shutil.which(name)), [])


def _unpacked(archive: Path, folder: Path) -> Path:
    """The folder that an archive contains, unpacked into another one."""
    with tarfile.open(archive) as opened:
        # Python 3.11.3 and older have no filter. Only plain files below the folder are allowed.
        for member in opened.getmembers():
            inside = os.path.normpath(member.name)
            if not (member.isfile() or member.isdir()) or inside.startswith(("/", "..")):
                raise InstallError(
                    f"{archive.name} contains {member.name}, which is not a plain file below its folder"
                )
        opened.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        opened.extractall(folder)
    return next(folder.iterdir())


def _compiled(source: Path, boost: Path, mains: Sequence[str]) -> dict[str, str]:
    """The object file of each source of KenLM that is not a test or a program, and of these programs."""
    files = [
        file.relative_to(source).as_posix()
        for folder in _TRAINING
        for file in sorted((source / folder).glob("*.cc"))
        if not file.stem.endswith(("_test", "_main"))
    ]
    objects = {file: str((source / file).with_suffix(".o")) for file in [*files, *mains]}
    command: list[str | Path] = [*_compiler(), *_FLAGS, "-I", source, "-isystem", boost, "-c", "-o"]
    count = itertools.count(1)
    with _Step("compiling KenLM") as step, ThreadPoolExecutor(os.cpu_count() or 1) as pool:

        def compile_one(file: str) -> None:
            _checked(step.name, [*command, objects[file], source / file])
            step.detail = f"{next(count)} of {len(objects)} files"

        list(pool.map(compile_one, objects))
    return objects


def _linked(name: str, objects: Mapping[str, str], libraries: Path, folder: Path) -> Path:
    """One of the programs, in a folder."""
    folders = _TRAINING if name == "lmplz" else _READING
    loaded = ["-lboost_program_options", "-lboost_thread"] if name == "lmplz" else []
    # Boost's libraries load each other; with the newer kind of tag they would not look into the folder.
    search: list[str | Path] = ["-Wl,-rpath,$ORIGIN/../lib/kenlm", "-Wl,--disable-new-dtags", "-L", libraries]
    inputs = [objects[_MAINS[name]], *_of_folders(objects, folders)]
    _run(
        f"linking {name}", [*_compiler(), "-pthread", "-o", folder / name, *inputs, *search, *loaded, "-lrt"]
    )
    return folder / name


def _of_folders(objects: Mapping[str, str], folders: Sequence[str]) -> list[str]:
    """Those of the object files that belong to no program."""
    return [
        place
        for file, place in objects.items()
        if file.rpartition("/")[0] in folders and not file.endswith("_main.cc")
    ]


def _install_programs(programs: Sequence[Path], libraries: Path, prefix: Path) -> None:
    """Put the programs into `bin` and the Boost libraries into `lib/kenlm`, each file in one step."""
    for folder in (prefix / "bin", prefix / "lib" / "kenlm"):
        folder.mkdir(parents=True, exist_ok=True)
    for name in _loaded(programs, libraries):
        _replace(libraries / name, prefix / "lib" / "kenlm" / name)
    for program in programs:
        _replace(program, prefix / "bin" / program.name)


def _loaded(programs: Sequence[Path], libraries: Path) -> set[str]:
    """The names of the Boost libraries that programs load, directly or not."""
    loaded: set[str] = set()
    files = list(programs)
    while files:
        names = re.findall(rb"libboost_\w+\.so\.[\d.]+", files.pop().read_bytes())
        new = {name.decode() for name in names} - loaded
        loaded |= new
        files += [libraries / name for name in new]
    return loaded


def _replace(origin: Path, place: Path) -> None:
    new = place.with_name(f".{place.name}.new")
    shutil.copy2(origin, new)
    new.replace(place)


class _Step:
    """Shows what is done and for how long: in one line of a terminal, or in a line each half minute."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.detail = ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)
        self._terminal = sys.stderr.isatty()

    def __enter__(self) -> "_Step":
        self._started = time.monotonic()
        if not self._terminal:
            print(f"{self.name} …", file=sys.stderr, flush=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        print(self._line("failed" if kind else "done"), file=sys.stderr, flush=True)

    def _show(self) -> None:
        while not self._ended.wait(1 if self._terminal else 30):
            print(self._line(self.detail), end="" if self._terminal else "\n", file=sys.stderr, flush=True)

    def _line(self, detail: str) -> str:
        seconds = round(time.monotonic() - self._started)
        line = f"{self.name}: {seconds // 60} min {seconds % 60:02} s, {detail or 'started'}"
        width = shutil.get_terminal_size().columns - 1 if self._terminal else 120
        shown = "".join(character if character.isprintable() else " " for character in line)[:width]
        return f"\r\x1b[K{shown}" if self._terminal else shown


def _run(step: str, command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> None:
    """Run a command and show its last line while it runs; InstallError with its output if it fails."""
    with _Step(step) as shown:
        _checked(step, command, environment, shown)


def _checked(
    step: str,
    command: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    shown: _Step | None = None,
) -> None:
    output = ""
    with subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            output = (output + line)[-4000:]
            if shown is not None and line.strip() and not line.startswith("    "):  # pip's lesser messages
                shown.detail = line.strip()
    if process.returncode:
        raise InstallError(
            f"{step} failed: `{shlex.join(map(str, command))}` ended with {process.returncode}:\n{output}"
        )


if __name__ == "__main__":
    sys.exit(main())

"""Build KenLM's `lmplz` and `build_binary`, which train language models, into a Python environment.

    python launch/kenlm_tools.py [--prefix DIR]

The package `kenlm` contains only the module for queries, so this builds the two programs from its
source distribution, with Boost from the package `cmeel-boost`. It needs pip, CMake and a C++ compiler,
but no system package of Boost. The Boost libraries that the programs load go into `lib/kenlm` beside
them, and are found there even if the environment is moved. If the programs already work, nothing is
built. This file uses only the standard library, so it can run before anything is installed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

KENLM = "kenlm==0.3.0"
BOOST = "cmeel-boost==1.88.0"  # 1.90 no longer has the library boost_system, which KenLM asks for
PROGRAMS = ("lmplz", "build_binary")


class BuildError(Exception):
    """The programs cannot be built here; the message says what to do."""


def main() -> int:
    """Build the programs if needed; 0 if they work at the end, 2 if they could not be built."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--prefix",
        type=Path,
        default=Path(sys.prefix),
        help="the environment to install into (default: the one of this Python)",
    )
    prefix = parser.parse_args().prefix.resolve()
    if tools_work(prefix):
        print(f"lmplz and build_binary are in {prefix / 'bin'} and work")
        return 0
    try:
        build(prefix)
    except BuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"built lmplz and build_binary into {prefix / 'bin'}")
    return 0


def tools_work(prefix: Path) -> bool:
    """Whether both programs under `prefix` turn a sentence into a binary model."""
    with tempfile.TemporaryDirectory() as folder:
        arpa, binary = Path(folder, "a.arpa"), Path(folder, "a.bin")
        options = "-o 2 -S 50M --discount_fallback".split()
        train: list[str | Path] = [prefix / "bin" / "lmplz", *options, "-T", folder, "--arpa", arpa]
        convert = [prefix / "bin" / "build_binary", arpa, binary]
        try:
            subprocess.run(train, input=b"a b a\n", capture_output=True, check=True)
            subprocess.run(convert, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return False
        return binary.is_file()


def build(prefix: Path, programs: Sequence[str] = PROGRAMS) -> None:
    """Download, build, install and try the programs; BuildError if a step fails."""
    cmake = shutil.which(
        "cmake", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    )
    if cmake is None:
        raise BuildError(
            "CMake is not on the PATH; install it (`apt-get install cmake` or `pip install cmake`) "
            "and run this again"
        )
    with tempfile.TemporaryDirectory(prefix="kenlm-") as folder:
        work = Path(folder)
        source = _source(work)
        pip_install = [sys.executable, *"-m pip install --quiet --no-deps --target".split()]
        _run("install Boost", [*pip_install, work / "boost", BOOST])
        boost = work / "boost" / "cmeel.prefix"
        _run(
            "configure KenLM",
            [
                cmake,
                *("-S", source, "-B", work / "build"),
                "-DCMAKE_BUILD_TYPE=Release",
                f"-DCMAKE_PREFIX_PATH={boost}",
                "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON",
                "-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib/kenlm",
                # It reads plain text only: with fewer libraries it runs on more machines.
                *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("ZLIB", "BZip2", "LibLZMA")),
                # Boost's libraries load each other; without this they would not look into the folder.
                "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags",
            ],
        )
        _run(
            "compile KenLM",
            [cmake, "--build", work / "build", "--parallel", str(os.cpu_count() or 1), "--target", *programs],
        )
        _install(programs, work / "build" / "bin", boost / "lib", prefix)
    if not tools_work(prefix):
        raise BuildError(
            f"{prefix / 'bin' / 'lmplz'} was built but does not run; run it with --help to see why"
        )


def _source(work: Path) -> Path:
    """The unpacked source distribution of KenLM."""
    pip_download = [sys.executable, *"-m pip download --quiet --no-deps --no-binary kenlm --dest".split()]
    _run("download KenLM's source", [*pip_download, work, KENLM])
    archive = next(work.glob("kenlm-*.tar.gz"))
    with tarfile.open(archive) as opened:
        # Python 3.11.3 and older have no `filter`. Only plain files below the folder are allowed.
        for member in opened.getmembers():
            inside = os.path.normpath(member.name)
            if not (member.isfile() or member.isdir()) or inside.startswith(("/", "..")):
                raise BuildError(
                    f"{archive.name} contains {member.name}, which is not a plain file below its folder"
                )
        opened.extractall(work / "source")
    return next((work / "source").iterdir())


def _install(programs: Sequence[str], built: Path, libraries: Path, prefix: Path) -> None:
    """Put the programs into `bin` and the Boost libraries into `lib/kenlm`, each file in one step."""
    for folder in (prefix / "bin", prefix / "lib" / "kenlm"):
        folder.mkdir(parents=True, exist_ok=True)
    # The programs load two of them directly; in some builds boost_thread loads the others.
    for name in ("program_options", "system", "thread", "chrono", "atomic"):
        for library in libraries.glob(f"libboost_{name}.so.*"):
            _replace(library, prefix / "lib" / "kenlm" / library.name)
    for name in programs:
        _replace(built / name, prefix / "bin" / name)


def _replace(origin: Path, place: Path) -> None:
    new = place.with_name(f".{place.name}.new")
    shutil.copy2(origin, new)
    new.replace(place)


def _run(step: str, command: list[str | Path]) -> None:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    if done.returncode:
        shown = " ".join(map(str, command))
        raise BuildError(f"could not {step}: `{shown}` ended with {done.returncode}:\n{done.stdout[-4000:]}")


if __name__ == "__main__":
    sys.exit(main())

import gzip
import json
import os
import shutil
import time
from pathlib import Path

import fsspec
import pytest
import xxhash

from paranmt.base.errors import InputError
from paranmt.transforms.storage import file_hashes
from paranmt.transforms.storage.file_hashes import FileHash, HashCache, hash_file, hash_paths


def old(path: Path, data: bytes, seconds: int = 1_000_000_000) -> str:
    path.write_bytes(data)
    os.utime(path, (seconds, seconds))
    return str(path)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URLs of the files that are read through."""
    seen: list[str] = []

    def counted(url: str, count_lines: bool = False) -> FileHash:
        seen.append(url)
        return hash_file(url, count_lines)

    monkeypatch.setattr(file_hashes, "hash_file", counted)
    return seen


@pytest.mark.parametrize("data, lines", [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2), (b"\n\n", 2)])
def test_the_hash_is_of_stored_bytes_and_lines_of_the_text(tmp_path: Path, data: bytes, lines: int) -> None:
    packed = gzip.compress(data)
    assert hash_file(old(tmp_path / "a.gz", packed), True) == FileHash(
        xxhash.xxh3_128_hexdigest(packed), lines
    )
    assert hash_file(old(tmp_path / "a", data)) == FileHash(xxhash.xxh3_128_hexdigest(data), None)


def test_bytes_after_the_last_member_are_hashed_too(tmp_path: Path) -> None:
    packed = gzip.compress(b"a\n")
    padded = packed + bytes(5_000_000)
    assert hash_file(old(tmp_path / "a.gz", padded), True) == FileHash(xxhash.xxh3_128_hexdigest(padded), 1)


def test_users_of_a_cache_read_a_file_once(tmp_path: Path, reads: list[str]) -> None:
    url = old(tmp_path / "a", b"a\nb\n")
    first = HashCache(tmp_path / "cache" / "hashes.json").file_hash(url, count_lines=True)
    again = HashCache(tmp_path / "cache" / "hashes.json")
    assert again.file_hash(url, count_lines=True) == first == FileHash(first.digest, 2)
    assert again.file_hash(url) == first
    assert reads == [url]


def test_lines_are_counted_when_they_are_asked_for_later(tmp_path: Path, reads: list[str]) -> None:
    cache = HashCache()
    url = old(tmp_path / "a", b"a\nb\n")
    assert cache.file_hash(url).lines is None
    assert cache.file_hash(url, count_lines=True).lines == 2
    assert len(reads) == 2


@pytest.mark.parametrize("data, seconds", [(b"b", 1_000_000_001), (b"bb", 1_000_000_000)])
def test_a_file_with_another_size_or_time_is_read_again(tmp_path: Path, data: bytes, seconds: int) -> None:
    cache = HashCache()
    before = cache.file_hash(old(tmp_path / "a", b"a"))
    assert cache.file_hash(old(tmp_path / "a", data, seconds)) != before


def test_a_file_just_written_is_not_trusted(tmp_path: Path) -> None:
    cache = HashCache()
    path = tmp_path / "a"
    path.write_bytes(b"a")
    before = cache.file_hash(str(path))
    stat = path.stat()
    path.write_bytes(b"b")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert cache.file_hash(str(path)) != before


@pytest.mark.parametrize("content", ["", "{", "[]", '{"a": 3}', '{"URL": {"stamp": null}}'])
def test_a_damaged_cache_counts_as_empty(tmp_path: Path, content: str) -> None:
    url = old(tmp_path / "a", b"a")
    (tmp_path / "hashes.json").write_text(content.replace("URL", url))
    assert HashCache(tmp_path / "hashes.json").file_hash(url).digest == xxhash.xxh3_128_hexdigest(b"a")
    assert list(json.loads((tmp_path / "hashes.json").read_text())) == [url]


def test_processes_that_share_the_cache_keep_each_others_hashes(tmp_path: Path, reads: list[str]) -> None:
    first, second = HashCache(tmp_path / "hashes.json"), HashCache(tmp_path / "hashes.json")
    urls = [old(tmp_path / "a", b"a"), old(tmp_path / "b", b"b")]
    first.file_hash(urls[0])
    second.file_hash(urls[1])
    third = HashCache(tmp_path / "hashes.json")
    assert [third.file_hash(url).digest for url in urls] == [
        xxhash.xxh3_128_hexdigest(b) for b in (b"a", b"b")
    ]
    assert reads == urls


def test_a_cache_that_cannot_be_written_is_kept_in_memory(tmp_path: Path, reads: list[str]) -> None:
    (tmp_path / "file").touch()
    cache = HashCache(tmp_path / "file" / "hashes.json")
    urls = [old(tmp_path / "a", b"a"), old(tmp_path / "b", b"b")]
    for url in urls * 2:
        cache.file_hash(url)
    assert reads == urls


def test_a_file_written_again_with_its_old_time_is_read_again(tmp_path: Path, reads: list[str]) -> None:
    cache = HashCache()
    before = cache.file_hash(old(tmp_path / "a", b"a"))
    time.sleep(0.05)  # more than a tick of the file system's clock
    assert cache.file_hash(old(tmp_path / "a", b"b")) != before
    assert len(reads) == 2


def test_files_on_other_file_systems(tmp_path: Path) -> None:
    fsspec.filesystem("memory").pipe("/hashes/a", b"a\n")
    assert HashCache().file_hash("memory://hashes/a", True) == FileHash(xxhash.xxh3_128_hexdigest(b"a\n"), 1)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match="nowhere: cannot be opened"):
        HashCache().file_hash("nowhere")


@pytest.mark.parametrize("path", ["sets", "sets/", "../here/sets"])
def test_folders_are_hashed_wherever_they_are(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative or not, and with a folder that is a link: the same hash of the same names and contents."""
    for folder in ("here/sets", "elsewhere/linked", "whole"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "here/sets/a.txt").write_text("a")
    (tmp_path / "elsewhere/linked/b.txt").write_text("b")
    (tmp_path / "here/sets/linked").symlink_to("../../elsewhere/linked")
    shutil.copytree(tmp_path / "here/sets", tmp_path / "whole/sets")
    monkeypatch.chdir(tmp_path / "here")
    hashed = hash_paths([path], HashCache())
    assert hashed == hash_paths([str(tmp_path / "whole/sets")], HashCache())
    (tmp_path / "elsewhere/linked/b.txt").write_text("c")
    assert hashed != hash_paths([path], HashCache())

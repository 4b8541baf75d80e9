"""A server on loopback that answers like the Hugging Face hub, as far as publishing a dataset and fetching a
model need it."""

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import mock
from urllib.parse import parse_qsl, unquote

import pytest


class Hub(ThreadingHTTPServer):
    """Datasets and models in memory. files: dataset → path → content. commits: the summary of each.

    models: name@commit → path → content; everyone may read them. fetched: the paths of models that were.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, dict[str, bytes]] = {}
        self.models: dict[str, dict[str, bytes]] = {}
        self.fetched: list[str] = []
        self.private: dict[str, bool] = {}
        self.blobs: dict[str, bytes] = {}
        self.commits: list[str] = []
        self.tokens: set[str] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def fake_hub() -> Iterator[Hub]:
    """A hub that the client in this process reaches, even where HF_HUB_OFFLINE was set at its import."""
    settings = pytest.importorskip("huggingface_hub.constants")
    hub = Hub()
    thread = threading.Thread(target=hub.serve_forever, daemon=True)
    thread.start()
    try:
        with mock.patch.object(settings, "HF_HUB_OFFLINE", False):
            yield hub
    finally:
        hub.shutdown()
        hub.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self, content: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _route(self) -> None:
        path, body = unquote(self.path.partition("?")[0]), self._body()
        if path.startswith("/api/models/") or "/resolve/" in path and not path.startswith("/datasets/"):
            self._model(path.removeprefix("/api/models").strip("/").split("/"), body)
            return
        if not path.startswith("/blob/"):
            token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            if token != "hf_right":
                self._answer(
                    {"error": "Invalid user token."}, 401, {"X-Error-Message": "Invalid user token."}
                )
                return
        parts = path.strip("/").split("/")
        if path == "/api/repos/create":
            self._create(json.loads(body))
        elif path == "/api/validate-yaml":
            self._answer({"errors": [], "warnings": []})
        elif parts[:2] == ["api", "datasets"]:
            self._dataset("/".join(parts[2:4]), parts[4:], body)
        elif path.endswith("/info/lfs/objects/batch"):
            objects = [
                {**wanted, "actions": {"upload": {"href": f"{self.server.url}/blob/{wanted['oid']}"}}}
                for wanted in json.loads(body)["objects"]
            ]
            self._answer({"transfer": "basic", "objects": objects})
        elif parts[0] == "blob":
            assert hashlib.sha256(body).hexdigest() == parts[1]
            self.server.blobs[parts[1]] = body
            self._answer(b"")
        elif parts[0] == "datasets" and parts[3] == "resolve":
            content = self.server.files["/".join(parts[1:3])]["/".join(parts[5:])]
            etag = hashlib.sha256(content).hexdigest()
            self._answer(
                content, headers={"ETag": f'"{etag}"', "X-Repo-Commit": f"{len(self.server.commits):040x}"}
            )
        else:
            self._answer({"error": f"no route {self.command} {path}"}, 404)

    do_GET = do_POST = do_PUT = do_HEAD = _route

    def _model(self, parts: list[str], body: bytes) -> None:
        owner, name, verb, commit, *rest = [*parts, "", ""]
        files = self.server.models.get(f"{owner}/{name}@{commit}")
        if files is None:
            headers = {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"}
            self._answer({"error": "Repository not found"}, 404, headers)
        elif verb == "resolve":
            file = "/".join(rest).strip("/")
            content = files[file]
            self.server.fetched += [file] * (self.command == "GET")
            etag = hashlib.sha256(content).hexdigest()
            self._answer(content, headers={"ETag": f'"{etag}"', "X-Repo-Commit": commit})
        elif verb == "revision":
            self._answer({"id": f"{owner}/{name}", "sha": commit, "private": False})
        else:  # tree, or some paths of it
            folder = "/".join(rest).strip("/")
            wanted = dict(parse_qsl(body.decode())).get("paths") if verb == "paths-info" else None
            entries = [_entry(path, content) for path, content in files.items()]
            folders = {path.rpartition("/")[0] for path in files} - {""}
            entries += [{"type": "directory", "path": path, "oid": _sha1(path.encode())} for path in folders]
            self._answer(
                [
                    entry
                    for entry in entries
                    if (
                        entry["path"].rpartition("/")[0] == folder
                        if wanted is None
                        else entry["path"] == wanted
                    )
                ]
            )

    def _create(self, wanted: dict) -> None:
        name = f"{wanted.get('organization') or 'me'}/{wanted['name']}"
        is_new = name not in self.server.files
        if is_new:
            self.server.files[name] = {".gitattributes": b"*.parquet filter=lfs\n"}
            self.server.private[name] = wanted.get("private") is True or wanted.get("visibility") == "private"
        answer = {"url": f"{self.server.url}/datasets/{name}", "name": name}
        self._answer(answer if is_new else {**answer, "error": "exists"}, 200 if is_new else 409)

    def _dataset(self, name: str, rest: list[str], body: bytes) -> None:
        files = self.server.files[name]
        if rest[:1] == ["tree"]:
            tree = [
                {"type": "file", "path": path, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
                for path, content in files.items()
            ]
            self._answer(tree)
        elif rest[:1] == ["preupload"]:
            wanted = json.loads(body)["files"]
            modes = ["lfs" if file["path"].endswith(".parquet") else "regular" for file in wanted]
            answers = [
                {"path": file["path"], "uploadMode": mode, "shouldIgnore": False}
                for file, mode in zip(wanted, modes, strict=True)
            ]
            self._answer({"files": answers})
        elif rest[:1] == ["commit"]:
            for line in map(json.loads, body.splitlines()):
                self._change(files, line["key"], line["value"])
            address = f"{self.server.url}/datasets/{name}/commit/{len(self.server.commits):040x}"
            self._answer(
                {"commitUrl": address, "commitOid": f"{len(self.server.commits):040x}", "success": True}
            )
        else:
            self._answer({"id": name, "sha": f"{len(self.server.commits):040x}", "private": False})

    def _change(self, files: dict[str, bytes], key: str, value: dict) -> None:
        if key == "header":
            self.server.commits.append(value["summary"])
        elif key == "file":
            files[value["path"]] = base64.b64decode(value["content"])
        elif key == "lfsFile":
            files[value["path"]] = self.server.blobs[value["oid"]]
        elif key == "deletedFile":
            del files[value["path"]]


def _entry(path: str, content: bytes) -> dict[str, Any]:
    return {"type": "file", "path": path, "size": len(content), "oid": _sha1(content)}


def _sha1(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()

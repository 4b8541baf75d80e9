"""An S3-compatible store on loopback that counts what is asked of it, and refuses some of it if told to."""

import logging
import threading
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest
from werkzeug.serving import make_server

WSGI = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
KEYS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
}


class Store:
    """The server. requests: kind of request and key of each, in order, since `clear`.

    refuse_every: every so many-th request is answered by a 503, as busy stores do; 0 for none. sent:
    the bytes of all answers.
    """

    def __init__(self, app: WSGI) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._seen = 0
        self.requests: list[tuple[str, str]] = []
        self.refuse_every = 0
        self.refused = 0
        self.sent = 0
        self.url = ""

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with self._lock:
            self.requests.append(_described(environ))
            self._seen += 1
            refuse = self.refuse_every and self._seen % self.refuse_every == 0
            self.refused += bool(refuse)
        if refuse:
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start_response("503 Slow Down", [("Content-Type", "application/xml")])
            return [b"<Error><Code>SlowDown</Code><Message>Reduce your request rate</Message></Error>"]

        def counting(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            length = next((value for name, value in headers if name.lower() == "content-length"), "0")
            with self._lock:
                self.sent += int(length) if environ["REQUEST_METHOD"] == "GET" else 0
            return start_response(status, headers, *more)

        return self._app(environ, counting)

    def clear(self) -> None:
        with self._lock:
            self.requests.clear()
            self.sent = 0

    def kinds(self, below: str = "") -> Counter[str]:
        """How many requests of each kind there were for keys that begin so."""
        with self._lock:
            return Counter(kind for kind, key in self.requests if key.startswith(below))


def _described(environ: dict[str, Any]) -> tuple[str, str]:
    method = environ["REQUEST_METHOD"]
    query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    _, _, key = environ["PATH_INFO"].lstrip("/").partition("/")
    if method == "GET" and "list-type" in query:
        return "LIST", query.get("prefix", [""])[0]
    if "uploads" in query or "uploadId" in query:
        return f"{method} multipart", key
    if method == "PUT" and "HTTP_X_AMZ_COPY_SOURCE" in environ:
        return "COPY", key
    return method, key


@contextmanager
def object_store() -> Iterator[Store]:
    """A running store with the empty bucket `bucket`; the environment leads s3:// there."""
    server_module = pytest.importorskip("moto.server", reason="needs moto[server]")
    pytest.importorskip("s3fs", reason="needs s3fs")
    import s3fs

    store = Store(server_module.DomainDispatcherApplication(server_module.create_backend_app))
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, store, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    store.url = f"http://127.0.0.1:{server.server_port}"
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {**KEYS, "AWS_ENDPOINT_URL": store.url}.items():
            environment.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()
        try:
            # What moto keeps belongs to the process, and may be an earlier store's.
            urllib.request.urlopen(urllib.request.Request(f"{store.url}/moto-api/reset", method="POST"))
            s3fs.S3FileSystem().mkdir("bucket")
            store.clear()
            yield store
        finally:
            s3fs.S3FileSystem.clear_instance_cache()
            server.shutdown()

"""Files named by URLs, such as ``s3://bucket/file``, through fsspec.

URLs may hold credentials, so messages show them without user, password and query.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from geceval.errors import GecevalError
from geceval.storage.folders import cache_folder

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

PathLike: TypeAlias = str | os.PathLike[str]
"""A file to read or write; ``-`` is standard input or output."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_url(path: PathLike) -> bool:
    """Whether a name is a URL of something other than a local file.

    Examples
    --------
    >>> is_url("s3://bucket/out.m2"), is_url("file:///tmp/out.m2"), is_url("out.m2")
    (True, False, False)
    """
    name = os.fspath(path)
    return _URL.match(name) is not None and not _is_file_url(name)


def _is_file_url(name: str) -> bool:
    return name[:7].lower() == "file://"


def plain_path(path: PathLike) -> str:
    """Return the path of a ``file://`` URL; other names as they are.

    Examples
    --------
    >>> plain_path("file:///tmp/two%20words.txt")
    '/tmp/two words.txt'
    """
    name = os.fspath(path)
    if not _is_file_url(name):
        return name
    parts = urlsplit(name)
    if parts.netloc not in ("", "localhost"):
        raise GecevalError(f"{name}: a file on another machine; write file:///PATH for a local one")
    return unquote(parts.path)


def shown_name(path: PathLike) -> str:
    """Return a name for messages, without what could be a credential.

    Examples
    --------
    >>> shown_name("https://me:secret@host/data.txt?token=secret")
    'https://host/data.txt'
    """
    name = os.fspath(path)
    if not is_url(name):
        return name
    parts = urlsplit(name)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def local_name(path: PathLike) -> str:
    """Return where a file is written: itself or, for a URL, a file in the cache folder."""
    name = plain_path(path)
    if not is_url(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return str(cache_folder() / "uploads" / digest / (Path(urlsplit(name).path).name or "output"))


@contextmanager
def staged(path: PathLike) -> Iterator[Path]:
    """Prepare the folder of `local_name`; raise an error if its package is not installed."""
    name = plain_path(path)
    local = Path(local_name(name))
    if not is_url(name):
        yield local
        return
    _file_system(name)
    local.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield local
    finally:
        # What can be resumed stays.
        with suppress(OSError):
            local.parent.rmdir()


def open_binary(path: PathLike) -> IO[bytes]:
    """Open a local file or a URL for reading; raise an `OSError` if that fails."""
    name = plain_path(path)
    if not is_url(name):
        return open(name, "rb", buffering=0)
    with _url_errors(name):
        files, inner = _file_system(name)
        return cast("IO[bytes]", io.BufferedReader(_UrlStream(name, files.open(inner, "rb"))))


class _UrlStream(io.RawIOBase):
    """A file at a URL, whose errors are those of a local file."""

    def __init__(self, url: str, stream: Any) -> None:
        self._url = url
        self._stream = stream

    @property
    def size(self) -> int | None:
        """Size in bytes, if the file system knows it."""
        size = getattr(self._stream, "size", None)
        return size if isinstance(size, int) else None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        with _url_errors(self._url):
            data = self._stream.read(len(view))
        view[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        with _url_errors(self._url):
            return int(self._stream.seek(offset, whence))

    def tell(self) -> int:
        return int(self._stream.tell())

    def close(self) -> None:
        self._stream.close()
        super().close()


def file_size(stream: IO[bytes]) -> int | None:
    """Return the size of an open file, local or of `open_binary`; None for a pipe."""
    raw = getattr(stream, "raw", None)
    if isinstance(raw, _UrlStream):
        return raw.size
    try:
        status = os.fstat(stream.fileno())
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def file_exists(path: PathLike) -> bool:
    """Whether there is a file."""
    name = plain_path(path)
    if not is_url(name):
        return os.path.exists(name)
    with _url_errors(name):
        files, inner = _file_system(name)
        return bool(files.exists(inner))


def file_names(folder: PathLike) -> list[str]:
    """Return the names of the files in a folder; none if there is no such folder."""
    name = plain_path(folder)
    if not is_url(name):
        return sorted(os.listdir(name)) if os.path.isdir(name) else []
    with _url_errors(name):
        files, inner = _file_system(name)
        # A file system may have listed the folder before.
        files.invalidate_cache()
        listed = files.ls(inner, detail=False) if files.isdir(inner) else []
        return sorted(str(path).rstrip("/").rpartition("/")[2] for path in listed)


def remove_file(path: PathLike) -> None:
    """Remove a file, if it exists."""
    name = plain_path(path)
    if not is_url(name):
        Path(name).unlink(missing_ok=True)
        return
    with _url_errors(name):
        files, inner = _file_system(name)
        if files.exists(inner):
            files.rm(inner)


@contextmanager
def uploaded(url: str) -> Iterator[IO[bytes]]:
    """Write a local temporary file, and upload it at the end; if the block fails, nothing is."""
    # A wrong URL is an error before the work, not after it.
    files, inner = _file_system(url)
    with TemporaryDirectory(prefix="geceval-") as folder:
        temporary = Path(folder) / "upload"
        with temporary.open("wb") as out:
            yield out
        with _url_errors(url), temporary.open("rb") as complete:
            if parent := inner.rpartition("/")[0]:
                files.makedirs(parent, exist_ok=True)
            # The file appears when the transaction ends.
            with files.transaction, files.open(inner, "wb") as there:
                shutil.copyfileobj(complete, there, 1 << 20)


def _file_system(url: str) -> tuple[Any, str]:
    scheme = urlsplit(url).scheme
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError as error:
        raise GecevalError(
            f"{shown_name(url)}: files at {scheme}:// need fsspec: pip install 'geceval[files]'"
        ) from error
    try:
        files, inner = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise GecevalError(
            f"{shown_name(url)}: files at {scheme}:// need another package: {error}"
        ) from error
    except ValueError as error:
        raise GecevalError(f"{shown_name(url)}: {_without_secrets(url, str(error))}") from None
    return files, str(inner)


@contextmanager
def _url_errors(url: str) -> Iterator[None]:
    """Convert the errors of file systems, which may be of any class, to an `OSError`."""
    try:
        yield
    except GecevalError:
        raise
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "no such file") from None
    except OSError as error:
        reason = _without_secrets(url, error.strerror or str(error))
        raise OSError(error.errno, reason) from None
    except Exception as error:  # noqa: BLE001 - clients of object stores raise errors of their own
        reason = f"{type(error).__name__}: {_without_secrets(url, str(error))}"
        raise OSError(None, reason) from None


def _without_secrets(url: str, message: str) -> str:
    parts = urlsplit(url)
    secrets = [url, parts.query, parts.netloc.rpartition("@")[0], parts.password, parts.username]
    for secret in filter(None, secrets):
        message = message.replace(secret, shown_name(url) if secret == url else "…")
    return message

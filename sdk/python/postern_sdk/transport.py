from __future__ import annotations

import http.client
import json
import random
import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union
from urllib.parse import urlsplit

from .errors import PosternError

#: The gateway sends a heartbeat every 15 seconds.
SILENCE_SECONDS = 45.0


class Transport:
    """Sends requests. Retries after 429, and requests that are safe to repeat after 5xx and lost connections too."""

    def __init__(self, base_url: str, token: str, *, timeout: float, max_retries: int, max_wait: float) -> None:
        self._base_url = _address(base_url)
        self._token = token
        self._timeout = _number("timeout", timeout, above=0)
        self._max_retries = int(_number("max_retries", max_retries))
        self._max_wait = _number("max_wait", max_wait)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        file: Optional[Tuple[Union[bytes, BinaryIO], str]] = None,
        idempotency_key: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Returns the parsed response. ``file`` is content with its type, sent unchanged instead of a body."""
        timeout = self._timeout if timeout is None else timeout
        max_retries = self._max_retries if max_retries is None else max_retries
        request = self._request(method, path, query, body, idempotency_key, file)
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        repeatable = method != "POST" or idempotency_key is not None
        retries = 0
        while True:
            try:
                return _exchange(request, timeout)
            except PosternError as error:
                may_repeat = error.status == 429 or (repeatable and (error.status == 0 or error.status >= 500))
                wait = error.retry_after if error.retry_after is not None else 0.5 * 2**retries * (1 + random.random() / 4)
                if not may_repeat or retries >= max_retries or wait > self._max_wait:
                    raise
            time.sleep(wait)
            retries += 1

    def all(self, path: str, query: Mapping[str, Any]) -> Iterator[Dict[str, Any]]:
        """Every entry of a list, page after page."""
        cursor: Optional[str] = None
        while True:
            page = self.call("GET", path, query={**query, **({"cursor": cursor} if cursor else {})})
            yield from page["data"]
            cursor = page.get("next_cursor")
            if not cursor:
                return

    def follow(self, path: str, event: str, query: Optional[Mapping[str, Any]] = None) -> Iterator[Dict[str, Any]]:
        """The events of this name as they arrive, until the gateway ends the stream or you close the iterator."""
        request = self._request("GET", path, query, None, None, accept="text/event-stream")
        with _open(_opener(), request, SILENCE_SECONDS) as response:
            name, data = "message", ""
            while True:
                try:
                    line = response.readline().decode()
                except (OSError, http.client.HTTPException) as cause:
                    raise PosternError(0, "the stream was cut or is silent") from cause
                if line == "":
                    return
                field, _, value = line.rstrip("\r\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    data += value
                elif field == "":
                    if name == event:
                        yield json.loads(data)
                    name, data = "message", ""

    def download(
        self, path: str, method: str = "GET", body: Optional[Mapping[str, Any]] = None
    ) -> Iterator[bytes]:
        """The file that is the response, piece by piece."""
        request = self._request(method, path, None, body, None, accept="*/*")
        with _open(_opener(), request, SILENCE_SECONDS) as response:
            while True:
                try:
                    piece = response.read(262_144)
                except (OSError, http.client.HTTPException) as cause:
                    raise PosternError(0, "the download was cut") from cause
                if piece == b"":
                    return
                yield piece

    def _request(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]],
        body: Optional[Mapping[str, Any]],
        idempotency_key: Optional[str],
        file: Optional[Tuple[Union[bytes, BinaryIO], str]] = None,
        accept: str = "application/json",
    ) -> urllib.request.Request:
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = self._base_url + path + (f"?{urllib.parse.urlencode(given)}" if given else "")
        # Errors in the form of RFC 9457 contain more than the plain body.
        headers = {"Authorization": f"Bearer {self._token}", "Accept": f"{accept}, application/problem+json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        data: Union[bytes, BinaryIO, None] = None if body is None else json.dumps(body).encode()
        if file is not None:
            data, headers["Content-Type"] = file
        return urllib.request.Request(url, data=data, headers=headers, method=method)


def _exchange(request: urllib.request.Request, timeout: float) -> Dict[str, Any]:
    """One attempt. The timeout covers the whole of it: urllib alone would begin again with every byte that arrives."""
    deadline = _Deadline(timeout)
    try:
        with _open(_opener(deadline), request, timeout) as response:
            return _parsed(response)
    except PosternError as error:
        if deadline.is_over:
            raise PosternError(0, f"no answer within {timeout:g} seconds") from error
        raise
    finally:
        deadline.cancel()


def _open(opener: urllib.request.OpenerDirector, request: urllib.request.Request, timeout: float) -> Any:
    try:
        return opener.open(request, timeout=timeout)
    except urllib.error.HTTPError as response:
        with response:
            raise _refusal(response) from None
    except (OSError, http.client.HTTPException) as cause:
        raise PosternError(0, "the gateway could not be reached") from cause


def _opener(deadline: Optional[_Deadline] = None) -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(_NoRedirect(), *([] if deadline is None else [_Http(deadline), _Https(deadline)]))


class _Deadline:
    """Shuts the connections of an attempt when its time is over, which ends a read that waits."""

    def __init__(self, seconds: float) -> None:
        self.is_over = False
        self._sockets: List[socket.socket] = []
        self._timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self._end)
        self._timer.daemon = True
        self._timer.start()

    def watch(self, connected: socket.socket) -> None:
        self._sockets.append(connected)
        if self.is_over:
            self._end()

    def cancel(self) -> None:
        self._timer.cancel()

    def _end(self) -> None:
        self.is_over = True
        for each in self._sockets:
            try:
                # Not the method of an SSL socket, which would first drop the state that the reading thread uses.
                socket.socket.shutdown(each, socket.SHUT_RDWR)
            except OSError:
                pass


def _watched(kind: Callable[..., Any], deadline: _Deadline) -> Callable[..., Any]:
    def make(host: str, **options: Any) -> Any:
        connection = kind(host, **options)
        connect = connection.connect

        def connect_and_watch() -> None:
            connect()
            deadline.watch(connection.sock)

        connection.connect = connect_and_watch
        return connection

    return make


class _Http(urllib.request.HTTPHandler):
    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_watched(http.client.HTTPConnection, self._deadline), request)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, deadline: _Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def https_open(self, request: urllib.request.Request) -> Any:
        return self.do_open(_watched(http.client.HTTPSConnection, self._deadline), request)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would receive the key."""

    def redirect_request(self, *_args: Any, **_more: Any) -> None:
        return None


def path_of(*parts: str) -> str:
    """A path with ids in it. An empty id would request the list instead."""
    for part in parts:
        if not isinstance(part, str) or part == "":
            raise TypeError("an id must be a string that is not empty")
    return "/" + "/".join(urllib.parse.quote(part, safe="") for part in parts)


def check_token(name: str, token: str, *, prefix: str = "") -> str:
    if not isinstance(token, str) or token == "":
        raise TypeError(f"{name} is missing" + (f": it begins with {prefix}" if prefix else ""))
    if prefix and token.startswith("whsec_"):
        raise TypeError(f"{name} is the secret of a webhook; an API key begins with {prefix}")
    if not token.startswith(prefix):
        raise TypeError(f"{name} must begin with {prefix}")
    if any(not "\x21" <= character <= "\x7e" for character in token):
        raise TypeError(f"{name} contains a space, a line break or another character that no key has")
    return token


def _address(base_url: str) -> str:
    example = "such as http://127.0.0.1:8080"
    if not isinstance(base_url, str) or base_url == "":
        raise TypeError(f"base_url is missing: {example}")
    url = urlsplit(base_url)
    if url.scheme not in ("http", "https") or not url.netloc:
        raise TypeError(f"base_url must begin with http:// or https://, {example}")
    if "@" in url.netloc or url.query or url.fragment:
        raise TypeError(f"base_url must be an address alone, without user, query and fragment, {example}")
    if base_url.rstrip("/").endswith("/v1"):
        raise TypeError(f"base_url must not end with /v1: {example}")
    return base_url.rstrip("/")


def _number(name: str, value: float, *, above: Optional[float] = None) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not value >= 0 or (above is not None and not value > above):
        raise TypeError(f"{name} must be a number of {'more than' if above is not None else 'at least'} 0")
    return value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parsed(response: Any) -> Dict[str, Any]:
    try:
        answer: Dict[str, Any] = json.loads(response.read())
        return answer
    except ValueError:
        raise PosternError(response.status, "the answer is not JSON: is base_url the address of a gateway?") from None
    except (OSError, http.client.HTTPException) as cause:
        raise PosternError(0, "the gateway could not be reached") from cause


def _refusal(response: urllib.error.HTTPError) -> PosternError:
    """Reads an RFC 9457 problem, or the plain body of a proxy or another version."""
    try:
        parsed = json.loads(response.read())
    except (ValueError, OSError, http.client.HTTPException):
        parsed = {}
    body = parsed if isinstance(parsed, dict) else {}

    def text(name: str) -> Optional[str]:
        return body[name] if isinstance(body.get(name), str) and body[name] != "" else None

    page = text("type")

    # A date, or anything else that is not a number of seconds, leaves the wait to the backoff.
    seconds = response.headers.get("Retry-After", "")
    retry_after = float(seconds) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", seconds) else None
    return PosternError(
        response.code,
        text("detail") or text("error") or f"the gateway answered {response.code}",
        code=text("code") or response.headers.get("X-Error-Code"),
        param=text("param"),
        doc_url=page if page and page.startswith(("http://", "https://")) else None,
        request_id=text("request_id") or response.headers.get("X-Request-Id"),
        retry_after=retry_after,
    )

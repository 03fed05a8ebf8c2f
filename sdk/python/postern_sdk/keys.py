from __future__ import annotations

from typing import Any, Dict, Iterator

from .transport import Transport, path_of


class Keys:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", "/v1/keys", query=query)

    def all(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all("/v1/keys", query)

    def create(self, **body: Any) -> Dict[str, Any]:
        """``key`` of the answer is shown here and never again."""
        return self._transport.call("POST", "/v1/keys", body=body)

    def revoke(self, id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "keys", id))


class Requests:
    """The requests that the account's keys have made."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", "/v1/requests", query=query)

    def all(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all("/v1/requests", query)

    def get(self, id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "requests", id))

from __future__ import annotations

from typing import Any, Dict, Iterator

from .transport import Transport, path_of


class Catalog:
    """What businesses sell, and what people order. The first argument is always the number."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def products(self, id: str, **query: Any) -> Dict[str, Any]:
        """The products of a business; without ``jid`` those of the number itself."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "catalog"), query=query)

    def all_products(self, id: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "sessions", id, "catalog"), query)

    def collections(self, id: str, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "catalog", "collections"), query=query)

    def order(self, id: str, order_id: str, token: str) -> Dict[str, Any]:
        """Both come with the message that places the order, to endpoints that include ``context``."""
        body = {"order_id": order_id, "token": token}
        return self._transport.call("POST", path_of("v1", "sessions", id, "orders"), body=body)

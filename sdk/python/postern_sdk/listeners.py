from __future__ import annotations

from typing import Any, Dict

from .transport import Transport, path_of


class Listeners:
    """What happens in the account, read by cursor: no webhook URL is needed."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, **body: Any) -> Dict[str, Any]:
        """``secret`` of the answer signs what is forwarded."""
        return self._transport.ask("POST", "/v1/listeners", body=body)

    def read(self, id: str, **query: Any) -> Dict[str, Any]:
        """What follows ``after``, which it acknowledges; ``wait`` is how many seconds to wait for something."""
        return self._transport.ask("GET", path_of("v1", "listeners", id, "events"), query=query)

    def delete(self, id: str) -> Dict[str, Any]:
        return self._transport.ask("DELETE", path_of("v1", "listeners", id))

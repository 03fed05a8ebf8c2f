from __future__ import annotations

from typing import Any, Dict, Iterator

from .transport import Transport, path_of


class People:
    """What the account stores about one person."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def erase(self, jid: str) -> Dict[str, Any]:
        """Erases all of it. ``jid`` is a phone number or a JID; follow the job with ``erasure``."""
        return self._transport.call("POST", "/v1/people/erase", body={"jid": jid})

    def erasure(self, id: str) -> Dict[str, Any]:
        """The state of an erasure, and how many entries it has erased."""
        return self._transport.call("GET", path_of("v1", "people", "erase", id))

    def export(self, jid: str) -> Iterator[bytes]:
        """All of it, piece by piece: a JSON object in each line."""
        return self._transport.download("/v1/people/export", "POST", {"jid": jid})

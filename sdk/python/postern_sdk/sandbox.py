from __future__ import annotations

from typing import Any, Dict, Iterator

from .transport import Transport, path_of


def _from(body: Dict[str, Any]) -> Dict[str, Any]:
    """``from`` is a word of the language: it is given as ``from_``."""
    return {("from" if name == "from_" else name): value for name, value in body.items()}


class Sandbox:
    """The other side of a sandbox number: contacts who write, read, call and vote."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def incoming(self, id: str, **body: Any) -> Dict[str, Any]:
        """A contact writes to the number."""
        return self._transport.call("POST", path_of("sandbox", "sessions", id, "incoming"), body=_from(body))

    def act(self, id: str, **body: Any) -> Dict[str, Any]:
        """A contact, or the platform, does something else."""
        return self._transport.call("POST", path_of("sandbox", "sessions", id, "actions"), body=_from(body))

    def messages(self, id: str, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("sandbox", "sessions", id, "messages"), query=query)

    def all_messages(self, id: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("sandbox", "sessions", id, "messages"), query)

    def upload_media(self, content: bytes, type: str) -> Dict[str, Any]:
        """Uploads a file of this type (``image/jpeg``) for the account's sandbox numbers: its ``media_url`` can be sent."""
        return self._transport.call("POST", path_of("sandbox", "media"), file=(content, type))

    def conditions(self, id: str, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("sandbox", "sessions", id, "conditions"), query=query)

    def watch(self, id: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("sandbox", "sessions", id, "watch"))

    def scan(self, id: str) -> Dict[str, Any]:
        """The phone scans the code of a pairing."""
        return self._transport.call("POST", path_of("sandbox", "pairings", id, "scan"))

    def passkey(self, id: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("sandbox", "pairings", id, "passkey"))

    def delivery(self, id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("sandbox", "deliveries", id))

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional

from .transport import Transport, path_of


class Contacts:
    """The people that a number knows. The first argument is always the number; a contact is a JID or a phone number."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, id: str, jid: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "contacts", jid))

    def picture(self, id: str, jid: str, *, size: Optional[str] = None) -> Dict[str, Any]:
        """The picture in base64; the error has the status 404 if there is none, or the person hides it."""
        query = {} if size is None else {"size": size}
        return self._transport.call("GET", path_of("v1", "sessions", id, "contacts", jid, "picture"), query=query)

    def check(self, id: str, phones: List[str]) -> Dict[str, Any]:
        """Which of up to 100 phone numbers are on the platform; each costs one of the number's daily budget."""
        return self._transport.call("POST", path_of("v1", "sessions", id, "contacts", "check"), body={"phones": phones})

    def blocks(self, id: str, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "blocks"), query=query)

    def all_blocks(self, id: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "sessions", id, "blocks"), query)

    def block(self, id: str, jid: str) -> Dict[str, Any]:
        return self._transport.call("PUT", path_of("v1", "sessions", id, "blocks", jid))

    def unblock(self, id: str, jid: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "blocks", jid))

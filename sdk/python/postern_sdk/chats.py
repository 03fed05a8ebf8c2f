from __future__ import annotations

from typing import Any, Dict, Iterator

from .transport import Transport, path_of


class Chats:
    """The chats of a number, without content. The first argument is always the number."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, id: str, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "chats"), query=query)

    def all(self, id: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "sessions", id, "chats"), query)

    def get(self, id: str, jid: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "chats", jid))

    def request_history(self, id: str, jid: str, **body: Any) -> Dict[str, Any]:
        """Asks the phone for the messages before ``before_message_id``; they arrive as events with ``historic``."""
        return self._transport.call("POST", path_of("v1", "sessions", id, "chats", jid, "history"), body=body)

    def history_job(self, id: str, job: str) -> Dict[str, Any]:
        """What has come of such a request."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "history", job))

    def update(self, id: str, jid: str, **change: Any) -> Dict[str, Any]:
        """Archives, pins, mutes, marks or labels a chat, also on the phone of the number."""
        return self._transport.call("PATCH", path_of("v1", "sessions", id, "chats", jid), body=change)

    def star(self, id: str, jid: str, message_id: str, **query: Any) -> Dict[str, Any]:
        """Stars a message for the owner of the number."""
        return self._transport.call("PUT", path_of("v1", "sessions", id, "chats", jid, "stars", message_id), query=query)

    def unstar(self, id: str, jid: str, message_id: str, **query: Any) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "chats", jid, "stars", message_id), query=query)

from __future__ import annotations

import uuid
from typing import Any, Dict, Iterator, Optional

from .transport import Transport, path_of


class Messages:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(self, *, session_id: str, to: str, idempotency_key: Optional[str] = None, **content: Any) -> Dict[str, Any]:
        """Queues a message. Safe to repeat: the same idempotency key never makes a second message.

        Without a key each call makes one, which all its attempts share.
        """
        body = {"session_id": session_id, "to": to, **content}
        key = idempotency_key if idempotency_key is not None else str(uuid.uuid4())
        return self._transport.call("POST", "/v1/messages", body=body, idempotency_key=key)

    def list(self, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", "/v1/messages", query=query)

    def all(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all("/v1/messages", query)

    def get(self, id: str) -> Dict[str, Any]:
        """The record of a message: its state and how it got there."""
        return self._transport.call("GET", path_of("v1", "messages", id))

    def viewers(self, id: str, **query: Any) -> Dict[str, Any]:
        """Who has seen a status post, or read a message."""
        return self._transport.call("GET", path_of("v1", "messages", id, "viewers"), query=query)

    def all_viewers(self, id: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "messages", id, "viewers"), query)

    def edit(self, id: str, text: str) -> Dict[str, Any]:
        return self._transport.call("PATCH", path_of("v1", "messages", id), body={"text": text})

    def revoke(self, id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "messages", id))

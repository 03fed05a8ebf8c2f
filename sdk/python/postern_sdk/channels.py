from __future__ import annotations

import uuid
from typing import Any, Dict, Iterator, Optional

from .transport import Transport, path_of


class Channels:
    """The channels that a number follows or manages. The first argument is always the number."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, id: str, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "newsletters"), query=query)

    def all(self, id: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "sessions", id, "newsletters"), query)

    def get(self, id: str, channel: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "newsletters", channel))

    def preview(self, id: str, invite: str) -> Dict[str, Any]:
        """What a link leads to."""
        return self._transport.call("POST", path_of("v1", "sessions", id, "newsletters", "preview"), body={"invite": invite})

    def create(self, id: str, *, name: str, description: str = "", idempotency_key: Optional[str] = None) -> Dict[str, Any]:
        """Safe to repeat: the same idempotency key never makes a second channel."""
        body = {"name": name, "description": description}
        key = idempotency_key if idempotency_key is not None else str(uuid.uuid4())
        return self._transport.call("POST", path_of("v1", "sessions", id, "newsletters"), body=body, idempotency_key=key)

    def update(self, id: str, channel: str, **body: Any) -> Dict[str, Any]:
        """Changes what is given of ``name``, ``description`` and ``reactions``."""
        return self._transport.call("PATCH", path_of("v1", "sessions", id, "newsletters", channel), body=body)

    def delete(self, id: str, channel: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "newsletters", channel))

    def set_picture(self, id: str, channel: str, **body: Any) -> Dict[str, Any]:
        """Sets the picture from ``media_id`` or ``media_url``."""
        return self._transport.call("PUT", path_of("v1", "sessions", id, "newsletters", channel, "picture"), body=body)

    def remove_picture(self, id: str, channel: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "newsletters", channel, "picture"))

    def follow(self, id: str, channel: str) -> Dict[str, Any]:
        return self._transport.call("PUT", path_of("v1", "sessions", id, "newsletters", channel, "follow"))

    def unfollow(self, id: str, channel: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "newsletters", channel, "follow"))

    def mute(self, id: str, channel: str) -> Dict[str, Any]:
        return self._transport.call("PUT", path_of("v1", "sessions", id, "newsletters", channel, "mute"))

    def unmute(self, id: str, channel: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "newsletters", channel, "mute"))

    def posts(self, id: str, channel: str, **query: Any) -> Dict[str, Any]:
        """The newest first, with what people did with them."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "newsletters", channel, "posts"), query=query)

    def all_posts(self, id: str, channel: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "sessions", id, "newsletters", channel, "posts"), query)

    def stats(self, id: str, channel: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "newsletters", channel, "stats"))

    def followers(self, id: str, channel: str, **query: Any) -> Dict[str, Any]:
        """With the admins, for those who manage the channel."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "newsletters", channel, "followers"), query=query)

    def admins(self, id: str, channel: str) -> Dict[str, Any]:
        """The owner, the admins, and the people who are invited."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "newsletters", channel, "admins"))

    def invite_admin(self, id: str, channel: str, jid: str, **body: Any) -> Dict[str, Any]:
        """The person gets a message, with ``caption``, and is an admin once they accept."""
        return self._transport.call("PUT", path_of("v1", "sessions", id, "newsletters", channel, "admins", jid), body=body)

    def revoke_admin_invite(self, id: str, channel: str, jid: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "newsletters", channel, "admins", jid, "invite"))

    def accept_admin_invite(self, id: str, channel: str) -> Dict[str, Any]:
        """Accepts the invitation that the number got."""
        return self._transport.call("POST", path_of("v1", "sessions", id, "newsletters", channel, "accept"))

    def demote(self, id: str, channel: str, jid: str) -> Dict[str, Any]:
        """Makes an admin a follower again."""
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "newsletters", channel, "admins", jid))

from __future__ import annotations

import uuid
from typing import Any, Dict, Iterator, List, Optional

from .transport import Transport, path_of


class Groups:
    """The groups that a number is in. The first argument is always the number."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, id: str, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "groups"), query=query)

    def all(self, id: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "sessions", id, "groups"), query)

    def get(self, id: str, jid: str) -> Dict[str, Any]:
        """A group with its members."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "groups", jid))

    def create(
        self,
        id: str,
        *,
        subject: str,
        members: List[str],
        community_jid: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Safe to repeat: the same idempotency key never makes a second group."""
        body: Dict[str, Any] = {"subject": subject, "members": members}
        if community_jid is not None:
            body["community_jid"] = community_jid
        key = idempotency_key if idempotency_key is not None else str(uuid.uuid4())
        return self._transport.call("POST", path_of("v1", "sessions", id, "groups"), body=body, idempotency_key=key)

    def update(self, id: str, jid: str, **body: Any) -> Dict[str, Any]:
        """Changes what is given of ``subject``, ``description`` and ``settings``."""
        return self._transport.call("PATCH", path_of("v1", "sessions", id, "groups", jid), body=body)

    def communities(self, id: str, **query: Any) -> Dict[str, Any]:
        """The communities among the groups."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "communities"), query=query)

    def all_communities(self, id: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "sessions", id, "communities"), query)

    def create_community(self, id: str, *, idempotency_key: Optional[str] = None, **body: Any) -> Dict[str, Any]:
        """Takes ``subject`` and ``description``. Safe to repeat, like ``create``."""
        key = idempotency_key if idempotency_key is not None else str(uuid.uuid4())
        return self._transport.call("POST", path_of("v1", "sessions", id, "communities"), body=body, idempotency_key=key)

    def linked(self, id: str, jid: str, **query: Any) -> Dict[str, Any]:
        """The groups of a community, also those that the number is not in."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "communities", jid, "groups"), query=query)

    def all_linked(self, id: str, jid: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "sessions", id, "communities", jid, "groups"), query)

    def link(self, id: str, jid: str, group: str) -> Dict[str, Any]:
        return self._transport.call("PUT", path_of("v1", "sessions", id, "communities", jid, "groups", group))

    def unlink(self, id: str, jid: str, group: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "communities", jid, "groups", group))

    def leave_community(self, id: str, jid: str) -> Dict[str, Any]:
        """Leaves the community with all its groups."""
        return self._transport.call("POST", path_of("v1", "sessions", id, "communities", jid, "leave"))

    def leave(self, id: str, jid: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "sessions", id, "groups", jid, "leave"))

    def change_members(self, id: str, jid: str, *, action: str, members: List[str]) -> Dict[str, Any]:
        """``action`` is add, remove, promote or demote; the answer has an outcome for each person."""
        body = {"action": action, "members": members}
        return self._transport.call("POST", path_of("v1", "sessions", id, "groups", jid, "members"), body=body)

    def invite(self, id: str, jid: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "sessions", id, "groups", jid, "invite"))

    def revoke_invite(self, id: str, jid: str) -> Dict[str, Any]:
        """The old link stops working; the answer has the new one."""
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "groups", jid, "invite"))

    def picture(self, id: str, jid: str, **query: Any) -> Dict[str, Any]:
        """The picture in base64; ``size`` is full or preview."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "groups", jid, "picture"), query=query)

    def set_picture(self, id: str, jid: str, **body: Any) -> Dict[str, Any]:
        """Sets the picture from ``media_id`` or ``media_url``."""
        return self._transport.call("PUT", path_of("v1", "sessions", id, "groups", jid, "picture"), body=body)

    def remove_picture(self, id: str, jid: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "sessions", id, "groups", jid, "picture"))

    def preview(self, id: str, invite: str) -> Dict[str, Any]:
        """What an invite link leads to."""
        return self._transport.call("POST", path_of("v1", "sessions", id, "groups", "preview"), body={"invite": invite})

    def join(self, id: str, invite: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "sessions", id, "groups", "join"), body={"invite": invite})

    def requests(self, id: str, jid: str, **query: Any) -> Dict[str, Any]:
        """People who wait for an admin."""
        return self._transport.call("GET", path_of("v1", "sessions", id, "groups", jid, "requests"), query=query)

    def all_requests(self, id: str, jid: str, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all(path_of("v1", "sessions", id, "groups", jid, "requests"), query)

    def answer_requests(self, id: str, jid: str, *, action: str, members: List[str]) -> Dict[str, Any]:
        """``action`` is approve or reject."""
        body = {"action": action, "members": members}
        return self._transport.call("POST", path_of("v1", "sessions", id, "groups", jid, "requests"), body=body)

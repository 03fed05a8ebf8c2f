from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterator, List, Optional

from .channels import Channels
from .chats import Chats
from .catalog import Catalog
from .contacts import Contacts
from .groups import Groups
from .keys import Keys, Requests
from .listeners import Listeners, listen, pull
from .media import Media
from .messages import Messages
from .numbers import Pairings, Sessions
from .people import People
from .sandbox import Sandbox
from .transport import Transport, check_token
from .webhooks import Deliveries, Endpoints, Webhooks


class PosternClient:
    """A client of the HTTP API. A call that the gateway rejects raises a PosternError.

    The address and the key default to the environment variables POSTERN_URL and POSTERN_API_KEY.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = 30,
        max_retries: int = 3,
        max_wait: float = 60,
    ) -> None:
        base_url = os.environ.get("POSTERN_URL", "") if base_url is None else base_url
        api_key = os.environ.get("POSTERN_API_KEY", "") if api_key is None else api_key
        token = check_token("api_key", api_key, prefix="ptn_")
        transport = Transport(base_url, token, timeout=timeout, max_retries=max_retries, max_wait=max_wait)
        self._transport = transport
        self.keys = Keys(transport)
        self.requests = Requests(transport)
        self.messages = Messages(transport)
        self.media = Media(transport)
        self.sessions = Sessions(transport)
        self.contacts = Contacts(transport)
        self.catalog = Catalog(transport)
        self.chats = Chats(transport)
        self.people = People(transport)
        self.groups = Groups(transport)
        self.channels = Channels(transport)
        self.pairings = Pairings(transport)
        self.webhooks = Webhooks(transport)
        self.endpoints = Endpoints(transport)
        self.deliveries = Deliveries(transport)
        self.listeners = Listeners(transport)
        self.sandbox = Sandbox(transport)

    def me(self) -> Dict[str, Any]:
        """The account, the key of this client, its limits and its usage."""
        return self._transport.call("GET", "/v1/me")

    def terms(self) -> Dict[str, Any]:
        return self._transport.call("GET", "/v1/tos")

    def accept_terms(self, version: str) -> Dict[str, Any]:
        return self._transport.call("POST", "/v1/tos/accept", body={"version": version})

    def usage(self, **query: Any) -> Dict[str, Any]:
        """One entry per day; ``from_`` and ``to`` are days in UTC, such as 2026-01-31."""
        return self._transport.call("GET", "/v1/usage", query={name.rstrip("_"): value for name, value in query.items()})

    def send(self, *, session_id: str, to: str, idempotency_key: Optional[str] = None, **content: Any) -> Dict[str, Any]:
        """Short for ``messages.send``."""
        return self.messages.send(session_id=session_id, to=to, idempotency_key=idempotency_key, **content)

    def listen(
        self,
        *,
        keep_hours: Optional[int] = None,
        kinds: Optional[List[str]] = None,
        resume: Optional[Dict[str, Any]] = None,
        on_open: Optional[Callable[[Dict[str, Any]], None]] = None,
        on_acknowledge: Optional[Callable[[Dict[str, Any]], None]] = None,
        on_missed: Optional[Callable[[Optional[int]], None]] = None,
    ) -> Iterator[Dict[str, Any]]:
        """Every event of the account as it happens, without a webhook: ``for event in client.listen(): …``.

        ``payload`` of an event is its parsed ``body``. Requesting the next event acknowledges the one before:
        ``on_acknowledge`` receives that position, and ``on_open`` the first one. Save a position and pass it as
        ``resume`` to continue with the event after it.

        With ``keep_hours`` (1 to 168) the gateway keeps events for this long while the program does not read them, and
        the loop does not delete the listener when it ends. With ``resume`` it does not delete it either. ``on_missed``
        receives the number of events that you missed because the gateway has deleted them, ``None`` if it is unknown.
        While the gateway is unreachable, the loop retries.

        ``kinds`` are the kinds of events to read, all by default. Reading ``typing`` or ``presence`` makes numbers with
        ``appear: auto`` appear online. A resumed listener keeps its kinds.
        """
        return listen(
            self.listeners,
            keep_hours=keep_hours,
            kinds=kinds,
            resume=resume,
            on_open=on_open,
            on_acknowledge=on_acknowledge,
            on_missed=on_missed,
        )

    def pull(
        self, endpoint_id: str, *, on_missed: Optional[Callable[[int], None]] = None
    ) -> Iterator[Dict[str, Any]]:
        """Every event of a pull endpoint: ``for event in client.pull(id): …``.

        The first one is the one after the last acknowledged event, also after a restart. ``payload`` of an event is
        its parsed ``body``. Requesting the next event acknowledges the one before. ``on_missed`` receives the number of
        events that the gateway deleted before your program acknowledged them. While the gateway is unreachable, the
        loop retries.
        """
        return pull(self.endpoints, endpoint_id, on_missed=on_missed)

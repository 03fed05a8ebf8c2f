from __future__ import annotations

import uuid
from typing import Any, Dict, Iterator, Optional

from .transport import Transport, path_of


class Webhooks:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", "/v1/webhooks", query=query)

    def all(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all("/v1/webhooks", query)

    def get(self, id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "webhooks", id))

    def create(self, **body: Any) -> Dict[str, Any]:
        """``secret`` of the answer is shown here and never again."""
        return self._transport.call("POST", "/v1/webhooks", body=body)

    def update(self, id: str, **body: Any) -> Dict[str, Any]:
        """Changes the URLs that are given; an empty one switches its category off."""
        return self._transport.call("PUT", path_of("v1", "webhooks", id), body=body)

    def delete(self, id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "webhooks", id))

    def test(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "webhooks", id, "test"), body=body)

    def rotate_secret(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "webhooks", id, "rotate-secret"), body=body)

    def replay(self, id: str, **body: Any) -> Dict[str, Any]:
        """Sends dead letters again, as a job."""
        return self._transport.call("POST", path_of("v1", "webhooks", id, "replay"), body=body)

    def get_replay(self, id: str, replay_id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "webhooks", id, "replay", replay_id))

    def cancel_replay(self, id: str, replay_id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "webhooks", id, "replay", replay_id))


class Endpoints:
    """Endpoints get events of several numbers: posted to a URL, or kept for a program that reads them."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", "/v1/endpoints", query=query)

    def all(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all("/v1/endpoints", query)

    def get(self, id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "endpoints", id))

    def create(self, *, idempotency_key: Optional[str] = None, **body: Any) -> Dict[str, Any]:
        """``secret`` of the answer is shown here and never again. Safe to repeat: one key creates one endpoint."""
        key = idempotency_key if idempotency_key is not None else str(uuid.uuid4())
        return self._transport.call("POST", "/v1/endpoints", body=body, idempotency_key=key)

    def update(self, id: str, **body: Any) -> Dict[str, Any]:
        """Changes what is given; ``headers`` replaces all of them."""
        return self._transport.call("PATCH", path_of("v1", "endpoints", id), body=body)

    def delete(self, id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "endpoints", id))

    def test(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "endpoints", id, "test"), body=body)

    def rotate_secret(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "endpoints", id, "rotate-secret"), body=body)

    def replay(self, id: str, **body: Any) -> Dict[str, Any]:
        """Sends dead letters again, as a job."""
        return self._transport.call("POST", path_of("v1", "endpoints", id, "replay"), body=body)

    def get_replay(self, id: str, replay_id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "endpoints", id, "replay", replay_id))

    def cancel_replay(self, id: str, replay_id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "endpoints", id, "replay", replay_id))

    def read(self, id: str, **query: Any) -> Dict[str, Any]:
        """The events of a pull endpoint; acknowledges those up to ``after``. ``PosternClient.pull`` does this in a loop."""
        return self._transport.call("GET", path_of("v1", "endpoints", id, "events"), query=query)

    def ack(self, id: str, cursor: str) -> Dict[str, Any]:
        """No later read of the pull endpoint returns the events up to the cursor."""
        return self._transport.call("POST", path_of("v1", "endpoints", id, "ack"), body={"cursor": cursor})

    def _ack_quickly(self, id: str, cursor: str) -> None:
        path = path_of("v1", "endpoints", id, "ack")
        self._transport.call("POST", path, body={"cursor": cursor}, timeout=2.0, max_retries=0)

    def stream(self, id: str) -> Iterator[Dict[str, Any]]:
        """The events of a pull endpoint as they happen, over one connection. Acknowledge them with ``ack``."""
        return self._transport.follow(path_of("v1", "endpoints", id, "stream"), "event", {})


class Deliveries:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", "/v1/deliveries", query=query)

    def all(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all("/v1/deliveries", query)

    def events(self, **query: Any) -> Iterator[Dict[str, Any]]:
        """Each delivery that is new or has changed, as it happens."""
        return self._transport.follow("/v1/deliveries/events", "delivery", query)

    def get(self, id: str) -> Dict[str, Any]:
        return self._transport.call("GET", path_of("v1", "deliveries", id))

    def resend(self, id: str) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("v1", "deliveries", id, "resend"))

    def give_up(self, id: str) -> Dict[str, Any]:
        """Stops the retries of a delivery: it becomes a dead letter."""
        return self._transport.call("POST", path_of("v1", "deliveries", id, "give-up"))

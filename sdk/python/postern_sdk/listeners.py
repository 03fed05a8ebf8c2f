from __future__ import annotations

import json
import time
from typing import Any, Callable, Dict, Iterator, Optional

from .errors import PosternError
from .transport import Transport, path_of

WAIT_SECONDS = 20
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 5.0


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


def listen(
    listeners: Listeners,
    *,
    keep_hours: Optional[int] = None,
    resume: Optional[Dict[str, Any]] = None,
    on_open: Optional[Callable[[Dict[str, Any]], None]] = None,
    on_missed: Optional[Callable[[Optional[int]], None]] = None,
) -> Iterator[Dict[str, Any]]:
    """Every event of the account as it happens, without a webhook.

    ``payload`` of an event is what its ``body`` says. Asking for the event behind a page acknowledges the page. A
    gateway that is away is asked again until it is back, and nothing is missed between.
    """
    kept = {} if keep_hours is None else {"keep_hours": keep_hours}
    listener = resume if resume is not None else _open(listeners, kept, on_open)
    pause = FIRST_PAUSE
    try:
        while True:
            try:
                page = listeners.read(listener["id"], after=listener["cursor"], wait=WAIT_SECONDS, **kept)
            except PosternError as error:
                if error.status == 404:
                    listener = _open(listeners, kept, on_open)
                    if on_missed is not None:
                        on_missed(None)
                    continue
                if error.status != 0 and error.status != 429 and error.status < 500:
                    raise
                time.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
                continue
            pause = FIRST_PAUSE
            if page["missed"] > 0 and on_missed is not None:
                on_missed(page["missed"])
            for event in page["data"]:
                yield {**event, "payload": json.loads(event["body"])}
            listener = {"id": listener["id"], "cursor": page["cursor"]}
    finally:
        if keep_hours is None:
            try:
                listeners.delete(listener["id"])
            except PosternError:
                pass


def _open(
    listeners: Listeners, kept: Dict[str, Any], on_open: Optional[Callable[[Dict[str, Any]], None]]
) -> Dict[str, Any]:
    opened = listeners.create(**kept)
    listener = {"id": opened["id"], "cursor": opened["cursor"]}
    if on_open is not None:
        on_open(listener)
    return listener

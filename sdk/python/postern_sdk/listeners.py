from __future__ import annotations

import json
import time
from typing import Any, Callable, Dict, Iterator, List, Optional

from .errors import PosternError
from .transport import Transport, path_of
from .webhooks import Endpoints

WAIT_SECONDS = 20
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 5.0
MAX_KEEP_HOURS = 168
DELETE_TIMEOUT = 2.0


class Listeners:
    """The events of the account, read by cursor: no webhook URL is needed."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, **body: Any) -> Dict[str, Any]:
        """``secret`` of the answer signs forwarded events."""
        return self._transport.call("POST", "/v1/listeners", body=body)

    def read(self, id: str, **query: Any) -> Dict[str, Any]:
        """The events after the cursor ``after``, which it acknowledges; ``wait`` is how many seconds to wait for one."""
        return self._transport.call("GET", path_of("v1", "listeners", id, "events"), query=query)

    def delete(self, id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "listeners", id))

    def _delete_quickly(self, id: str) -> None:
        path = path_of("v1", "listeners", id)
        self._transport.call("DELETE", path, timeout=DELETE_TIMEOUT, max_retries=0)


def listen(
    listeners: Listeners,
    *,
    keep_hours: Optional[int] = None,
    kinds: Optional[List[str]] = None,
    resume: Optional[Dict[str, Any]] = None,
    on_open: Optional[Callable[[Dict[str, Any]], None]] = None,
    on_acknowledge: Optional[Callable[[Dict[str, Any]], None]] = None,
    on_missed: Optional[Callable[[Optional[int]], None]] = None,
) -> Iterator[Dict[str, Any]]:
    """Every event of the account as it happens, without a webhook. ``PosternClient.listen`` has the description."""
    if keep_hours is None and resume is not None:
        # Reading without keep_hours would shorten a resumed listener to one hour.
        keep_hours = resume.get("keep_hours", MAX_KEEP_HOURS)
    keep = {} if keep_hours is None else {"keep_hours": keep_hours}
    position = resume
    is_forgotten = False
    pause = FIRST_PAUSE
    try:
        while True:
            try:
                if position is None:
                    only = {} if kinds is None else {"kinds": kinds}
                    opened = listeners.create(**keep, **only)
                    position = {"id": opened["id"], "cursor": opened["cursor"], **keep}
                    if on_open is not None:
                        on_open(position)
                    if is_forgotten and on_missed is not None:
                        on_missed(None)
                started = time.monotonic()
                id, cursor = position["id"], position["cursor"]
                page = listeners.read(id, after=cursor, wait=WAIT_SECONDS, **keep)
            except PosternError as error:
                if error.status == 404 and error.code == "not_found":
                    position = None
                    is_forgotten = True
                elif _is_transient(error):
                    time.sleep(pause)
                    pause = min(pause * 2, LONGEST_PAUSE)
                else:
                    raise
                continue
            pause = FIRST_PAUSE
            if page["missed"] > 0 and on_missed is not None:
                on_missed(page["missed"])
            for event in page["data"]:
                yield {**event, "payload": json.loads(event["body"])}
                position = {"id": id, "cursor": event["cursor"], **keep}
                if on_acknowledge is not None:
                    on_acknowledge(position)
            position = {"id": id, "cursor": page["cursor"], **keep}
            # A proxy may end the wait early.
            if page["cursor"] == cursor and time.monotonic() - started < FIRST_PAUSE:
                time.sleep(FIRST_PAUSE)
    finally:
        if keep_hours is None and position is not None:
            try:
                listeners._delete_quickly(position["id"])
            except PosternError:
                pass


def pull(
    endpoints: Endpoints,
    id: str,
    *,
    on_missed: Optional[Callable[[int], None]] = None,
) -> Iterator[Dict[str, Any]]:
    """Every event of a pull endpoint. ``PosternClient.pull`` has the description."""
    handled: Optional[str] = None
    acknowledged: Optional[str] = None
    pause = FIRST_PAUSE
    try:
        while True:
            started = time.monotonic()
            after = {} if handled is None else {"after": handled}
            try:
                page = endpoints.read(id, wait=WAIT_SECONDS, **after)
            except PosternError as error:
                if not _is_transient(error):
                    raise
                time.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
                continue
            acknowledged = handled
            pause = FIRST_PAUSE
            if page["missed"] > 0 and on_missed is not None:
                on_missed(page["missed"])
            for event in page["data"]:
                yield {**event, "payload": json.loads(event["body"])}
                handled = event["cursor"]
            handled = page["cursor"]
            # A proxy may end the wait early.
            if handled == acknowledged and time.monotonic() - started < FIRST_PAUSE:
                time.sleep(FIRST_PAUSE)
    finally:
        if handled is not None and handled != acknowledged:
            try:
                endpoints._ack_quickly(id, handled)
            except PosternError:
                pass


def _is_transient(error: PosternError) -> bool:
    """A 404 without the gateway's code comes from a proxy that has no gateway behind it now."""
    is_proxy = error.status == 404 and error.code is None
    return error.status in (0, 408, 429) or error.status >= 500 or is_proxy

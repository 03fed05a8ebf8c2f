from __future__ import annotations

from typing import Any, BinaryIO, Dict, Iterator, Optional, Union

from .transport import Transport, path_of


class Media:
    """Files to send, and files that people sent."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(
        self,
        content: Union[bytes, BinaryIO],
        type: str = "application/octet-stream",
        *,
        filename: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """Uploads bytes or an open file: its ``id`` is the ``media_id`` of a message. Give a timeout that suits its size."""
        return self._transport.call(
            "POST", "/v1/media", query={"filename": filename}, file=(content, type), timeout=timeout, max_retries=0
        )

    def download(self, id: str) -> Iterator[bytes]:
        """The file, piece by piece."""
        return self._transport.download(path_of("v1", "media", id))

    def delete(self, id: str) -> Dict[str, Any]:
        return self._transport.call("DELETE", path_of("v1", "media", id))

from __future__ import annotations

from typing import Optional


class PosternError(Exception):
    """The gateway rejected a request, or stayed unreachable through all retries."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: Optional[str] = None,
        param: Optional[str] = None,
        doc_url: Optional[str] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        #: The HTTP status; 0 without a response.
        self.status = status
        self.message = message
        #: The error code for programs, which ``doc_url`` explains.
        self.code = code
        #: The field or header that is wrong.
        self.param = param
        #: A page of the gateway that explains the error and what to do.
        self.doc_url = doc_url
        #: The gateway's id of the request: quote it when you ask for help.
        self.request_id = request_id
        #: Seconds.
        self.retry_after = retry_after

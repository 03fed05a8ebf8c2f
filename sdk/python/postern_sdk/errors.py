from __future__ import annotations

from typing import Optional


class PosternError(Exception):
    """The gateway refused a request, or could not be reached within the retries."""

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
        #: The HTTP status; 0 where no answer came.
        self.status = status
        self.message = message
        #: What is wrong, for programs: one of the codes that ``doc_url`` explains.
        self.code = code
        #: The field or header that is at fault.
        self.param = param
        #: A page of the gateway with the cure.
        self.doc_url = doc_url
        #: What the gateway calls the request: name it when you ask somebody about it.
        self.request_id = request_id
        #: Seconds.
        self.retry_after = retry_after

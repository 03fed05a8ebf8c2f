from __future__ import annotations

import base64
from typing import Any, BinaryIO, Dict, Iterator, Optional, Union

from .transport import Transport, check_token, path_of


class PosternOperator:
    """The operator's calls: accounts, numbers that move, and the overview of the gateway."""

    def __init__(
        self,
        base_url: str,
        operator_token: str,
        *,
        timeout: float = 30,
        max_retries: int = 3,
        max_wait: float = 60,
    ) -> None:
        token = check_token("operator_token", operator_token)
        transport = Transport(base_url, token, timeout=timeout, max_retries=max_retries, max_wait=max_wait)
        self._transport = transport
        self.accounts = Accounts(transport)
        self.numbers = MovingNumbers(transport)

    def overview(self) -> Dict[str, Any]:
        return self._transport.call("GET", "/operator/overview")

    def create_sign_in_link(self, **body: Any) -> Dict[str, Any]:
        """A link that signs in to the portal, once, within an hour."""
        return self._transport.call("POST", "/operator/sign-in-links", body=body)


class Accounts:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Any) -> Dict[str, Any]:
        return self._transport.call("GET", "/operator/accounts", query=query)

    def all(self, **query: Any) -> Iterator[Dict[str, Any]]:
        return self._transport.all("/operator/accounts", query)

    def create(self, **body: Any) -> Dict[str, Any]:
        """The answer holds the account's first key, which is never shown again."""
        return self._transport.call("POST", "/operator/accounts", body=body)

    def update(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("PATCH", path_of("operator", "accounts", id), body=body)

    def create_key(self, id: str, **body: Any) -> Dict[str, Any]:
        return self._transport.call("POST", path_of("operator", "accounts", id, "keys"), body=body)


class MovingNumbers:
    """Numbers that move between gateways."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def export(self, id: str, **body: Any) -> Iterator[bytes]:
        """Stops a number for good, and yields its sealed file piece by piece: import it into one other gateway."""
        return self._transport.download(path_of("operator", "sessions", id, "export"), "POST", body)

    def take_back(self, id: str) -> Dict[str, Any]:
        """Runs an exported number here again. Only if its file was not imported anywhere."""
        return self._transport.call("POST", path_of("operator", "sessions", id, "take-back"))

    def import_(
        self,
        content: Union[bytes, BinaryIO],
        *,
        account_id: str,
        passphrase: str,
        timeout: Optional[float] = None,
    ) -> Dict[str, Any]:
        """Takes over a number. Give a timeout that suits the size of the file."""
        return self._transport.call(
            "POST",
            "/operator/sessions/import",
            query={"account_id": account_id},
            file=(content, "application/octet-stream"),
            headers={"Postern-Passphrase": base64.b64encode(passphrase.encode()).decode()},
            timeout=timeout,
            max_retries=0,
        )

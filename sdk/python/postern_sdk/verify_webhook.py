from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

MAX_HEADER_LENGTH = 4096
MAX_SIGNATURES = 16

_TIME = re.compile(r"(?:0|[1-9][0-9]{0,11})")
_SIGNATURE = re.compile(r"[0-9a-f]{64}")


class WebhookVerificationError(Exception):
    """The request is not from the gateway, or is too old. Answer 401 and do not process it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        #: header_missing, header_malformed, signature_mismatch, timestamp_out_of_tolerance or payload_not_json.
        self.code = code


def verify_webhook(
    payload: Union[bytes, str],
    header: Optional[str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """Checks the signature of a webhook request and returns its event.

    ``payload`` is the body exactly as it arrived, ``header`` the value of X-Webhook-Signature, ``secret`` the webhook's
    secret, whole, with its ``whsec_`` prefix; several where one is being replaced.
    """
    if not isinstance(payload, (bytes, bytearray, str)):
        raise TypeError("payload must be the raw request body: bytes or a string, not a parsed object")
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if not secrets or any(not isinstance(each, str) or each == "" for each in secrets):
        raise TypeError("secret must not be empty")
    body = payload.encode() if isinstance(payload, str) else bytes(payload)
    timestamp, signatures = _parse_header(header)
    expected = [hmac.new(each.encode(), b"%d." % timestamp + body, hashlib.sha256).hexdigest() for each in secrets]
    # Compares with every signature, so that the time taken does not reveal which one matched.
    matches = [hmac.compare_digest(ours, theirs) for ours in expected for theirs in signatures]
    if not any(matches):
        raise WebhookVerificationError("signature_mismatch", "No signature in the header matches the payload and secret")
    age = int(time.time() if now is None else now) - timestamp
    if not abs(age) <= tolerance_seconds:
        raise WebhookVerificationError("timestamp_out_of_tolerance", f"The signature is {age} s old")
    try:
        event: Dict[str, Any] = json.loads(body)
        return event
    except ValueError:
        raise WebhookVerificationError("payload_not_json", "The payload is signed but is not JSON") from None


def _parse_header(header: Optional[str]) -> Tuple[int, List[str]]:
    if header is None or header == "":
        raise WebhookVerificationError("header_missing", "The X-Webhook-Signature header is missing")
    if not isinstance(header, str) or len(header) > MAX_HEADER_LENGTH:
        raise _malformed()
    parts = [part.partition("=") for part in header.split(",")]
    times = [value for name, _, value in parts if name == "t"]
    given = [value for name, _, value in parts if name == "v1"]
    signatures = [value for value in given if _SIGNATURE.fullmatch(value)]
    is_valid = len(times) == 1 and _TIME.fullmatch(times[0]) is not None and "" not in given
    if not is_valid or not 0 < len(signatures) <= MAX_SIGNATURES:
        raise _malformed()
    return int(times[0]), signatures


def _malformed() -> WebhookVerificationError:
    return WebhookVerificationError("header_malformed", "The X-Webhook-Signature header is not t=<seconds>,v1=<hex>")

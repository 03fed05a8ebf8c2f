import hashlib
import hmac
import unittest
from typing import Any

from postern_sdk import WebhookVerificationError, verify_webhook

SECRET = "whsec_0123456789abcdefghijklmnopqrstuv"
T = 1_760_000_000
PAYLOAD = '{"kind":"message","text":"¿Qué tal? 😀"}'


def signature(time: Any = T, payload: str = PAYLOAD, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), f"{time}.{payload}".encode(), hashlib.sha256).hexdigest()


def outcome_of(header: Any, payload: Any = PAYLOAD, secret: Any = SECRET, now: float = T) -> str:
    try:
        verify_webhook(payload, header, secret, now=now)
        return "accepted"
    except WebhookVerificationError as error:
        return error.code


class VerifyWebhook(unittest.TestCase):
    def test_what_the_gateway_signs_is_accepted(self) -> None:
        good = signature()
        event = verify_webhook(PAYLOAD.encode(), f"t={T},v1={good}", SECRET, now=T)
        self.assertEqual(event, {"kind": "message", "text": "¿Qué tal? 😀"})
        for header in (f"t={T},v1={good}", f"v1={good},t={T}", f"v0=abc,t={T},v2=z,v1={'0' * 64},v1={good},x"):
            self.assertEqual(outcome_of(header), "accepted", header)
        for seconds in (-300, 300):
            self.assertEqual(outcome_of(f"t={T},v1={good}", now=T + seconds), "accepted")
        self.assertEqual(outcome_of(f"t={T},v1={good}", secret=["whsec_other", SECRET]), "accepted")

    def test_everything_else_is_refused(self) -> None:
        good = signature()
        malformed = [
            f"t={T}", f"v1={good}", f"t={T},v1=", f"t={T},v1=,v1={good}", f"t={T},v1={good.upper()}", f"t={T},v1={good}00",
            f"t={T},t={T},v1={good}", f"t=-1,v1={good}", f"t=0{T},v1={good}", f"t={T}.5,v1={good}", f" t={T}, v1={good}",
            f"T={T},V1={good}", "=,=,,==", f"t={T},v1={good}," + "x" * 5_000, f"t={T}" + f",v1={good}" * 17,
            f"t={T}\n,v1={good}", f"t={T},v1={good}\n", "t=١٢٣,v1=" + good,
        ]
        for header in malformed:
            self.assertEqual(outcome_of(header), "header_malformed", header[:100])
        for header in (None, ""):
            self.assertEqual(outcome_of(header), "header_missing")
        for header in (f"t={T},v1={signature(payload=PAYLOAD + ' ')}", f"t={T + 1},v1={good}", f"t={T},v1={signature(secret='x')}"):
            self.assertEqual(outcome_of(header), "signature_mismatch", header)
        for seconds in (-301, 301):
            self.assertEqual(outcome_of(f"t={T},v1={good}", now=T + seconds), "timestamp_out_of_tolerance")
        self.assertEqual(outcome_of(f"t={T},v1={signature(payload='hello')}", payload="hello"), "payload_not_json")

    def test_a_parsed_object_or_an_empty_secret_is_a_mistake_of_the_caller(self) -> None:
        for payload, secret in (({}, SECRET), (PAYLOAD, ""), (PAYLOAD, []), (PAYLOAD, [""])):
            with self.assertRaises(TypeError):
                verify_webhook(payload, "t=1,v1=1", secret)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()

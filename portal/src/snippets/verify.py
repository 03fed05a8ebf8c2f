# python3 verify.py "$SIGNATURE_HEADER" < body.json
import hashlib
import hmac
import os
import sys
import time

TOLERANCE_SECONDS = 300


def verify(header: str, raw_body: bytes, secret: str) -> bool:
    """raw_body: the bytes as they came, before any JSON parser has touched them."""
    parts = [part.strip().split("=", 1) for part in header.split(",") if "=" in part]
    t = next((value for name, value in parts if name == "t"), "")
    if not (t.isascii() and t.isdigit()) or abs(time.time() - int(t)) > TOLERANCE_SECONDS:
        return False
    wanted = hmac.new(secret.encode(), t.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    given = [value for name, value in parts if name == "v1"]
    return any([hmac.compare_digest(wanted.encode(), value.encode()) for value in given])


if __name__ == "__main__":
    header = sys.argv[1] if len(sys.argv) > 1 else ""
    valid = verify(header, sys.stdin.buffer.read(), os.environ["WEBHOOK_SECRET"])
    print("valid" if valid else "invalid: answer 401 and do not process it")
    sys.exit(0 if valid else 1)

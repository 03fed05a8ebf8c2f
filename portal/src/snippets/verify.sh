#!/usr/bin/env bash
# bash verify.sh "$SIGNATURE_HEADER" body.json
# To post a signed sample to your own endpoint, see the last line.
set -euo pipefail

header=$1 body=$2
t=$(tr ',' '\n' <<<"$header" | sed -n 's/^ *t=\([0-9]\{1,12\}\)$/\1/p' | head -n 1)
age=$(($(date +%s) - ${t:-0}))
sign() { { printf '%s.' "$1"; cat "$body"; } | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r | cut -d ' ' -f 1; }

if [ -n "$t" ] && [ "$age" -le 300 ] && [ "$age" -ge -300 ] &&
  tr ',' '\n' <<<"$header" | grep -qx " *v1=$(sign "$t")"; then
  echo valid
else
  echo 'invalid: answer 401 and do not process it'
  exit 1
fi

# now=$(date +%s); curl "$URL" -H "X-Webhook-Signature: t=$now,v1=$(sign "$now")" -H 'Content-Type: application/json' --data-binary "@$body"

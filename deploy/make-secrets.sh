#!/bin/sh
# Writes the secrets of the compose files into secrets/, next to deploy/. Existing secrets stay, except an operator's token
# that Prometheus uses. Run it as root, so that each file belongs to the user of the image that reads it.
set -eu
umask 077
folder="$(dirname "$0")/../secrets"
mkdir -p "$folder"
chmod 711 "$folder"
cd "$folder"

keep() { # name, owner; the value is on standard input
  if [ -s "$1" ]; then cat >/dev/null; else cat >"$1"; fi
  chown "$2" "$1" 2>/dev/null || echo "$1 could not be given to user $2: run this as root" >&2
}

openssl rand -base64 32 | keep secret_key 10001
openssl rand -hex 32 | keep operator_token 10001
openssl rand -hex 32 | keep metrics_token 10001
# Prometheus must not have the operator's token. The file is overwritten, not replaced, because it may be mounted.
if [ -s prometheus_token ] && [ "$(cat prometheus_token)" = "$(cat operator_token)" ]; then
  cat metrics_token >prometheus_token
  echo "prometheus_token was the operator's token and is now the metrics token: restart the containers" >&2
fi
keep prometheus_token 65534 <metrics_token
openssl rand -hex 32 | keep database_password 0
openssl rand -hex 16 | keep grafana_password 472
password="$(cat database_password)"
echo "postgres://postern:$password@pooler:6432/postern" | keep database_url 10001
echo "postgres://postern:$password@database:5432/postern" | keep database_direct_url 10001
echo "\"postern\" \"$password\"" | keep pooler_users 70

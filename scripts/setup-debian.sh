#!/usr/bin/env bash
# Installs Debian packages that the tests need. Run it as root; `npm test` runs it if it is root.
#
#   scripts/setup-debian.sh            everything that `npm test` uses
#   scripts/setup-debian.sh NAME …     these packages
set -euo pipefail

packages=("$@")
optional=()
if [ ${#packages[@]} -eq 0 ]; then
  packages=(
    postgresql   # the database of a cluster
    pgbouncer    # its connection pooler
    chromium     # the portal and the extension
    php-cli      # samples that verify a signature
    golang-go    # the same
    python3      # the same, and the Python client
    python3-pip  # installs the Python client
    openssl      # certificates of hostile receivers
    microsocks   # a SOCKS5 proxy for numbers
    tinyproxy-bin # an HTTP proxy for numbers
  )
  # The headless browser needs a third of the processor time. Not every release has it.
  optional=(chromium-headless-shell)
fi

if ! command -v apt-get >/dev/null; then
  echo "This machine has no apt-get. Install by hand: ${packages[*]}" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "Run as root: scripts/setup-debian.sh ${packages[*]}" >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
# Another installation may be running: apt-get waits for its lock.
apt=(apt-get -qq -o DPkg::Lock::Timeout=600)
# The package lists have a separate lock, for which apt-get does not wait.
for _ in $(seq 60); do
  "${apt[@]}" update && break
  sleep 2
done
"${apt[@]}" install --yes --no-install-recommends "${packages[@]}" >/dev/null
for package in "${optional[@]}"; do
  "${apt[@]}" install --yes --no-install-recommends "$package" >/dev/null 2>&1 || true
done

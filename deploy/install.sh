#!/bin/sh
# Installs Postern under systemd on Debian and similar systems. See --help.
set -eu

help() {
  cat <<'TEXT'
install.sh [--root DIR] [--public-url URL] [--no-backup] postern-VERSION.tgz
install.sh --uninstall [--root DIR]

Installs the package (built by `npm pack`) into /opt/postern, with a user, /etc/postern/postern.env, secrets that are
created once, and a hardened service; then starts it. Needs root, Node 20.19 or later with npm, and openssl. Run it again
with a newer package to change the version: settings, secrets and data stay unchanged, and the embedded database is first
copied to /var/backups/postern.

  --public-url  the https address that browsers use; ignored if there is a postern.env
  --no-backup   makes no copy of the database before the version is changed
  --root        a folder to install into instead of /, such as the root of an image: nothing is started
  --uninstall   removes the program and the service, and keeps /etc/postern and /var/lib/postern
TEXT
}

fail() { echo "install.sh: $1" >&2; exit 1; }

root='' url='' package='' uninstall='' backup=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --help | -h) help; exit 0 ;;
    --uninstall) uninstall=yes ;;
    --no-backup) backup='' ;;
    --root) [ $# -gt 1 ] || fail '--root needs a folder'; root="$(cd "$2" && pwd)" || fail "--root: $2 is no folder"; root="${root%/}"; shift ;;
    --public-url) [ $# -gt 1 ] || fail '--public-url needs an address'; url="$2"; shift ;;
    -*) fail "unknown option $1; see --help" ;;
    *) package="$1" ;;
  esac
  shift
done

[ "$(id -u)" = 0 ] || fail 'run it as root'
unit="$root/etc/systemd/system/postern.service"
is_live() { [ -z "$root" ] && [ -d /run/systemd/system ]; }

if [ -n "$uninstall" ]; then
  if is_live; then systemctl disable --now postern.service 2>/dev/null || true; fi
  rm -f "$unit" "$root/etc/systemd/system/multi-user.target.wants/postern.service"
  rm -rf "$root/opt/postern"
  if is_live; then systemctl daemon-reload; fi
  echo "Removed. Kept: $root/etc/postern (settings, secrets) and $root/var/lib/postern (data)."
  exit 0
fi

[ -n "$package" ] || fail 'name the package: install.sh postern-VERSION.tgz'
[ -f "$package" ] || fail "$package does not exist; \`npm pack\` makes it"
for tool in node npm openssl tar; do command -v "$tool" >/dev/null || fail "$tool is missing"; done
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  fail "Node $(node --version) is too old: 20.19 or later is needed"
case "$url" in '' | https://*) ;; *) fail "--public-url: $url does not begin with https://" ;; esac
settings="$root/etc/postern/postern.env"
[ -f "$settings" ] || [ -n "$url" ] || fail 'give --public-url https://… the first time'

if ! grep -q '^postern:' "$root/etc/passwd"; then
  useradd ${root:+--root "$root"} --system --user-group --home-dir /var/lib/postern --shell /usr/sbin/nologin postern
fi
# The installed version makes the copy, while it runs. If that fails, nothing is changed.
setting() { # the last line counts; systemd allows quotes around the value
  sed -n "s/^[[:space:]]*$1=//p" "$settings" 2>/dev/null | tail -n 1 |
    sed "s/[[:space:]]*\$//; s/^\"\(.*\)\"\$/\1/; s/^'\(.*\)'\$/\1/"
}
data="$(setting POSTERN_DATA_DIR)"
data="$root${data:-/var/lib/postern}"
if [ -x "$root/opt/postern/bin/postern" ] && [ -n "$backup" ]; then
  if grep -qs "^[[:space:]]*POSTERN_DATABASE_URL" "$settings"; then
    echo 'The data is in PostgreSQL: no copy was made. pg_dump makes one.'
  else
    [ -f "$data/postern.db" ] ||
      fail "$data/postern.db does not exist, so that no copy can be made, and nothing was changed; mend POSTERN_DATA_DIR in $settings, or pass --no-backup"
    install -d -m 700 "$root/var/backups/postern"
    copy="$root/var/backups/postern/$(date -u +%Y%m%dT%H%M%SZ).db"
    # In another folder: a .env in the current folder is not the gateway's.
    (umask 077; cd /; env -i PATH="$PATH" POSTERN_DATA_DIR="$data" POSTERN_LOG_LEVEL=silent \
      POSTERN_SECRET_KEY_FILE="$root/etc/postern/secrets/secret_key" "$root/opt/postern/bin/postern" backup --to "$copy" >/dev/null) ||
      fail "the database was not copied to $copy, and nothing was changed; see above, or pass --no-backup"
    echo "Copied the database to $copy. \`postern restore\` takes it back; it needs the secret key."
  fi
fi
# Exactly the packages of the lock file that the package brings, by their digests, in a folder that replaces the old one at the end.
umask 022 # the service reads the program as another user
new="$root/opt/postern/lib.new"
rm -rf "$new"
mkdir -p "$new/package" "$root/opt/postern/bin"
tar -xzf "$package" -C "$new/package" --strip-components=1 --exclude=package/node_modules --no-same-owner
[ -f "$new/package/dist/lock/npm-shrinkwrap.json" ] || fail "$package has no lock file; \`npm pack\` makes one that has"
cp "$new/package/dist/lock/package.json" "$new/package/dist/lock/npm-shrinkwrap.json" "$new/"
(cd "$new" && npm ci --omit=dev --ignore-scripts --no-fund --no-audit >/dev/null)
mkdir -p "$new/node_modules"
mv "$new/package" "$new/node_modules/postern"
chmod 755 "$new/node_modules/postern/bin/postern.mjs"
rm -rf "$root/opt/postern/lib"
mv "$new" "$root/opt/postern/lib"
ln -sfn ../lib/node_modules/postern/bin/postern.mjs "$root/opt/postern/bin/postern"

install -d -m 755 "$root/etc/postern" "$root/etc/systemd/system/multi-user.target.wants"
install -d -m 700 "$root/etc/postern/secrets"
owner="$(grep '^postern:' "$root/etc/passwd" | cut -d: -f3,4)"
install -d -m 700 -o "${owner%:*}" -g "${owner#*:}" "$root/var/lib/postern"
[ -f "$settings" ] || (umask 077; printf '# Every setting: .env.example of the package.\nPOSTERN_PUBLIC_URL=%s\n' "$url" >"$settings")
secret() { # name, then the command that creates it
  file="$root/etc/postern/secrets/$1"
  shift
  [ -s "$file" ] || (umask 077; "$@" >"$file")
}
secret secret_key openssl rand -base64 32
secret operator_token openssl rand -hex 32
secret metrics_token openssl rand -hex 32
install -m 644 "$(dirname "$0")/postern.service" "$unit"
ln -sf /etc/systemd/system/postern.service "$root/etc/systemd/system/multi-user.target.wants/postern.service"

if is_live; then
  systemctl daemon-reload
  systemctl restart postern.service
  echo 'Postern runs. Its one-time link for the operator: journalctl -u postern -n 20'
else
  echo 'Installed. Nothing was started.'
fi
echo "Keep a copy of $root/etc/postern/secrets/secret_key elsewhere: without it the data cannot be read."

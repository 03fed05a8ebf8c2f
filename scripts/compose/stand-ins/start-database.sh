#!/bin/sh
# Like the public PostgreSQL image: initializes an empty folder with a user whose password is in a file.
set -eu
bin=/usr/lib/postgresql/15/bin
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  chown postgres:postgres "$PGDATA"
  chmod 700 "$PGDATA"
  password=$(mktemp)
  cat "$POSTGRES_PASSWORD_FILE" >"$password"
  chown postgres "$password"
  as_postgres "$bin/initdb" -D "$PGDATA" -U "$POSTGRES_USER" --pwfile="$password" --encoding=UTF8 --locale=C.UTF-8 --auth-host=scram-sha-256
  rm "$password"
  echo "create database $POSTGRES_DB" | as_postgres "$bin/postgres" --single -D "$PGDATA" postgres
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups "$bin/postgres" -D "$PGDATA" -c listen_addresses='*'

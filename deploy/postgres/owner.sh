#!/bin/sh
# Runs once, when the container of PostgreSQL creates its data: the user and the database of the index. The user owns the
# database and is no superuser; the superuser can no longer log in but inside of the container.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set password="$(cat /run/secrets/postgres_password)" <<'SQL'
create role symbol_reader;
create role symbol login password :'password';
create database symbol owner symbol encoding 'UTF8' template template0;
alter role current_user password null;
SQL

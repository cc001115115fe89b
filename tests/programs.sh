#!/bin/sh
# Bring what the tests need beside Python: a Chromium for the browser tests, a PostgreSQL, nginx and
# Caddy. Where one can't be had this says so and goes on; the tests that need it are then skipped,
# or with CI=true fail.

find_chromium() {
    [ -n "$EVALSTORE_TEST_CHROMIUM" ] || command -v chromium-headless-shell || command -v chromium ||
        command -v chromium-browser || command -v google-chrome
}

install() {
    command -v apt-get >/dev/null || { echo "no apt-get here: can't bring $1"; return; }
    [ "$(id -u)" = 0 ] || { echo "not root: can't bring $1; try: sudo apt-get install $1"; return; }
    echo "installing $1 ..."
    log=$(mktemp)
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } \
        >"$log" 2>&1 </dev/null || { echo "can't bring $1:"; tail -n 3 "$log"; }
    rm -f "$log"
}

find_chromium >/dev/null || install chromium-headless-shell fonts-dejavu-core

find_postgres() {
    [ -n "$EVALSTORE_TEST_POSTGRES" ] || command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null
}

install_postgres() {
    # The tests start a server of their own from the package's programs: Debian is not to make and
    # start one of its own beside it.
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
        mkdir -p /etc/postgresql-common
        echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    fi
    install postgresql
}

find_postgres >/dev/null || install_postgres

# The proxies in front of the team's server; Debian keeps nginx outside the PATH of users.
find_proxy() { PATH="$PATH:/usr/sbin" command -v "$1" >/dev/null; }

find_proxy nginx || install nginx-light
find_proxy caddy || install caddy

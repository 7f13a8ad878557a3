#!/bin/sh
# Update a checkout whose neuron runs under systemd: stop it only where there is a newer release, and start it again
# whatever came of it. Usage, as root: update.sh UNIT USER [RECORD]
set -eu
unit=$1 user=$2 record=${3:-}
cs=$(dirname "$0")/../.venv/bin/compression-subnet

systemctl is-active --quiet "$unit" || { echo "$unit does not run; nothing is updated"; exit 0; }
status=0
runuser -u "$user" -- "$cs" update --check || status=$?
[ "$status" -eq 1 ] || exit "$status"
trap 'systemctl start "$unit"' EXIT
systemctl stop "$unit"
runuser -u "$user" -- "$cs" update --apply ${record:+--store "$record"}

# For scripts of this folder: how far a command has come, on one line of a terminal.
#
# SPDX-License-Identifier: Apache-2.0

live() { [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; }

# how_far LOG: the last 12/900 that ninja ([12/900]) or ctest (12/900 Test) wrote into it.
how_far() {
  grep -aoE '^(\[[0-9]+/[0-9]+\]| *[0-9]+/[0-9]+ Test)' "$1" 2>/dev/null | tail -n 1 | tr -dc '0-9/' || true
}

# follow PID LOG WORD: shows it until that child ends, where somebody looks; its status.
follow() {
  local pid=$1 log=$2 word=$3 last='' now
  while live && kill -0 "$pid" 2>/dev/null; do
    now=$(how_far "$log")
    [ "$now" = "$last" ] || printf '\r\033[K%s [%s]' "$word" "$now"
    last=$now
    sleep 0.3 & wait $! || true
  done
  [ -z "$last" ] || printf '\r\033[K'
  wait "$pid"
}

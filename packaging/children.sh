# For scripts of this folder: ending every process below them, whole, and soon.
#
# SPDX-License-Identifier: Apache-2.0

# descendants PID...: every process below these. From /proc, because a bare Debian has no ps.
descendants() {
  local pid below
  for pid in "$@"; do
    below=$(cat /proc/"$pid"/task/*/children 2>/dev/null || true)
    [ -z "$below" ] || { printf '%s\n' $below; descendants $below; }
  done
}

# any_alive PID...: does one of them still run?
any_alive() {
  local pid stat
  for pid in "$@"; do
    { read -r stat <"/proc/$pid/stat"; } 2>/dev/null && [[ ${stat##*) } != Z* ]] && return 0
  done
  return 1
}

# Asks every process below this script to end, then, half a second later, makes it. All together: a compiler does not
# die with its ninja, nor apt-get with the shell that called it.
end_children() {
  local all=() try
  mapfile -t all < <(descendants $$)
  kill -TERM "${all[@]}" 2>/dev/null || true
  for try in {1..10}; do
    any_alive "${all[@]}" || break
    sleep 0.05
  done
  kill -KILL "${all[@]}" $(descendants $$) 2>/dev/null || true
  wait 2>/dev/null || true
}

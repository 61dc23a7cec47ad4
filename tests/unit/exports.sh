#!/bin/bash
# exports.sh ROOT LIBRARY: fails unless the shared library exports what the public headers declare, and nothing else.
exported=$(nm -D --defined-only "$2" | awk '$2 ~ /[A-Z]/ { print $3 }' | LC_ALL=C sort)
[ -n "$exported" ] || { echo "no symbols in $2"; exit 1; }
declared=$(python3 "$1/tools/headers.py" "$1" symbols | LC_ALL=C sort)
# Some linkers add the ends of their sections.
strays=$(LC_ALL=C comm -23 <(echo "$exported") <(echo "$declared") | grep -v -E '^(__bss_start|_edata|_end)$')
missing=$(LC_ALL=C comm -13 <(echo "$exported") <(echo "$declared"))
[ -z "$strays" ] || { printf 'exported, but not public:\n%s\n' "$strays"; exit 1; }
[ -z "$missing" ] || { printf 'public, but not exported:\n%s\n' "$missing"; exit 1; }

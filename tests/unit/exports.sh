#!/bin/sh
# exports.sh LIBRARY: fails if the shared library exports a symbol that is not part of the public interface.
symbols=$(nm -D --defined-only "$1" | awk '$2 ~ /[A-Z]/ { print $3 }')
[ -n "$symbols" ] || { echo "no symbols in $1"; exit 1; }
# AddressSanitizer adds a marker of its own to every exported variable, and some linkers the ends of their sections.
strays=$(printf '%s\n' "$symbols" | grep -v -E '^(__odr_asan\.)?(cdn_[a-z]|CDN_[A-Z])|^(__bss_start|_edata|_end)$')
[ -z "$strays" ] || { printf 'exported, but not public:\n%s\n' "$strays"; exit 1; }

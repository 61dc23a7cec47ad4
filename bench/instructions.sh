#!/usr/bin/env bash
# Instructions a body by kind of mobilizer, counted by callgrind: a number that a busy machine does not change, so that a
# regression shows. Usage: instructions.sh BENCH_CARDAN [--write]
#
# For each kind, a chain of 20 bodies is evaluated 100 and 200 times; the difference is that of 100 evaluations, without
# the program's start. `prescribed` is forward dynamics with every mobilizer's acceleration prescribed. Beside each count
# stands its change against instructions.txt; --write makes that file anew.
set -euo pipefail
bench=$1
table=$(dirname "$0")/instructions.txt
write=false
[[ ${2:-} != --write ]] || write=true

kinds=(pin slider universal cylinder bend_stretch planar gimbal bushing ball ellipsoid translation free
  line_orientation free_line spherical_coords screw)
operations=(forward inverse prescribed)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# instructions KIND OPERATION COUNT
instructions() {
  local operation=$2 mobilizers=free
  [[ $2 != prescribed ]] || { operation=forward mobilizers=prescribed; }
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" --once "$1" --operation "$operation" \
    --mobilizers "$mobilizers" --count "$3" >"$scratch/out" 2>&1 || { cat "$scratch/out" >&2; exit 1; }
  sed -n 's/^==[0-9]*== Collected : //p' "$scratch/out"
}

# What is in the table for KIND and the operation in COLUMN (from 2).
before() { [[ ! -f $table ]] || awk -v kind="$1" -v column="$2" '$1 == kind { print $column }' "$table"; }

{
  echo "# Instructions a body and evaluation, through the public interface; made by instructions.sh --write"
  echo "# $("${CC:-cc}" --version | head -n 1), x86-64-v3 kernels"
  echo "# kind ${operations[*]}"
} >"$scratch/table"
printf '%-18s' kind
for operation in "${operations[@]}"; do printf ' %10s %8s' "$operation" change; done
printf '\n'
for kind in "${kinds[@]}"; do
  line=$kind
  printf '%-18s' "$kind"
  for i in "${!operations[@]}"; do
    few=$(instructions "$kind" "${operations[i]}" 100)
    many=$(instructions "$kind" "${operations[i]}" 200)
    count=$(((many - few) / 100 / 20))
    line+=" $count"
    awk -v now="$count" -v then="$(before "$kind" $((i + 2)))" 'BEGIN {
      if (then > 0) printf " %10d %+7.1f%%", now, 100 * (now - then) / then
      else printf " %10d %8s", now, "-"
    }'
  done
  printf '\n'
  echo "$line" >>"$scratch/table"
done
if $write; then
  cp "$scratch/table" "$table"
  echo "written to $table"
fi

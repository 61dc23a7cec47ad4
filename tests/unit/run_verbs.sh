#!/bin/bash
# ./run builds the whole library: everything that meson can find is among its packages, a library that is installed later
# makes it configure again, and `cardan help` says what a build lacks. Meson is a stub that notes its calls.
set -eu
root=$1 cardan=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

# what meson.build looks for, by Debian's packages
packages=$(sed -n 's/^packages_build=(\(.*\))/\1/p' "$root/run")
for package in libsundials-dev libcairo2-dev libembree-dev libassimp-dev libwebsockets-dev libqhull-dev liblapacke-dev libpng-dev libjpeg-dev; do
  [[ " $packages " == *" $package "* ]] || fail "$package is not among packages_build"
done

# the functions of ./run alone
sed -n '/^say()/,/^build_release()/p' "$root/run" | sed '$d' >"$work/functions"
meson() { echo "meson $*" >>"$work/calls"; mkdir -p "$work/b"; touch "$work/b/build.ninja"; }
source "$work/functions"
here=libcairo2-dev
tools_are_here() { [[ " $here " == *" $1 "* ]]; }
calls() { wc -l <"$work/calls"; }
configure "$work/b" -Dx=y
[[ $(calls) -eq 1 ]] || fail "the first configure calls meson once"
configure "$work/b" -Dx=y
[[ $(calls) -eq 1 ]] || fail "nothing has changed, and meson is called"
here="libcairo2-dev libsundials-dev"
configure "$work/b" -Dx=y
grep -q -- --reconfigure "$work/calls" || fail "SUNDIALS was installed, and nothing was configured again"
grep -q -- --clearcache "$work/calls" || fail "meson remembers that SUNDIALS was not there"

"$cardan" help | tail -1 | grep -q '^this build \(has everything\|lacks .*-dev)\)$' || fail "cardan help does not say what the build lacks"

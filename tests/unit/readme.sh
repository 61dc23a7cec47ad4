#!/bin/sh
# The README's program is examples/pendulum.c, which is built and run as a test.
root=$1
sed -n '/^```c$/,/^```$/p' "$root/README.md" | sed '1d;$d' | diff -u "$root/examples/pendulum.c" - || {
  echo "README.md and examples/pendulum.c differ: copy the program over"
  exit 1
}

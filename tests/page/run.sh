#!/usr/bin/env bash
# Tests of the viewer's page in a headless Chromium. Exit code 77: they cannot run here, and the output says why.
# usage: run.sh FOLDER [EXAMPLE...]: the folder gets the page that is tested (CARDAN_PAGE: one that is there already); the examples
# are programs that were linked with paged_example.c
set -uo pipefail
folder=$1
shift
CARDAN_EXAMPLES=$(for program; do realpath "$program"; done)
export CARDAN_EXAMPLES
cd "$(dirname "$0")/../.."

skip() {
  echo "skipped: $*"
  exit 77
}

command -v node >/dev/null || skip "there is no node (Debian: nodejs)"
[[ $(node -p 'process.versions.node.split(".")[0]') -ge 18 ]] || skip "node $(node --version) is older than 18"
chromium=${CARDAN_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} ||
  skip "there is no Chromium (Debian: chromium)"
export CARDAN_CHROMIUM=$chromium

viewer=$PWD/apps/viewer
# ./run page leaves out what only tests need.
installed() {
  [[ $viewer/node_modules/.package-lock.json -nt $viewer/package-lock.json && -d $viewer/node_modules/typescript ]]
}
install() (
  cd "$viewer" || exit
  command -v npm >/dev/null && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json
)
# Two builds may test at the same time, and have one folder of packages.
(
  flock 9
  installed || install
) 9>"${TMPDIR:-/tmp}/cardan-viewer-$(id -u).lock" || skip "npm cannot get the packages of apps/viewer"

if [[ -z ${CARDAN_PAGE:-} ]]; then
  (cd "$viewer" && npm run --silent check && npm run --silent build -- --out "$folder") || exit 1
  export CARDAN_PAGE=$folder/viewer.html
fi
export CARDAN_SOURCE_ROOT=${CARDAN_SOURCE_ROOT:-$PWD}

# A browser without a graphics card waits for the machine: what a stall made late is tried once more, and what failed is named last.
attempt() {
  node --test --test-reporter=spec "tests/page/test_$1.mjs" 2>&1 | tee "$folder/$1.txt"
  return "${PIPESTATUS[0]}"
}
mkdir -p "$folder"
failed=() stalled=()
for tests in gltf mock live examples; do
  attempt "$tests" && continue
  stalled+=("$tests: $(grep -m 5 -A 3 '^✖' "$folder/$tests.txt")")
  attempt "$tests" || failed+=("$tests: $(sed -n '/failing tests/,$p' "$folder/$tests.txt" | head -n 18)")
done
[[ ${#stalled[@]} -eq 0 ]] || printf 'failed at the first attempt: %s\n' "${stalled[@]}"
[[ ${#failed[@]} -eq 0 ]] || printf 'failed twice: %s\n' "${failed[@]}"
[[ ${#failed[@]} -eq 0 ]]

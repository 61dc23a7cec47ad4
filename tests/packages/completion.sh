#!/bin/bash
# completion.sh CARDAN [CARDAN_MPI]: what bash completes is what the command takes; the scripts of zsh and fish are well
# formed, and the pages of the manual, where there are such programs.
set -u
cardan=$(realpath "$1") mpi=${2:+$(realpath "$2")} failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf '%s\n' "$*"; failed=1; }

"$cardan" completion bash >"$work/bash" || fail "there is no script for bash"
# shellcheck disable=SC1091
source "$work/bash"

# completed WORD...: what bash offers for the last word.
completed() {
  COMP_WORDS=(cardan "$@") COMP_CWORD=$#
  _cardan
  printf '%s\n' "${COMPREPLY[@]}"
}

commands=$("$cardan" help | sed -n '/^commands/,/^$/s/^  \([a-z]*\)  .*/\1/p')
for command in $commands; do
  completed "$command" | grep -qx "$command" || fail "bash does not complete 'cardan $command'"
  case $command in help | completion) continue ;; esac
  offered=$(completed "$command" -- | grep -x -e '--[a-z-]*' | sort)
  taken=$("$cardan" "$command" --help | sed -nE 's/^  (-[a-zA-Z], )?(--[a-z-]+).*/\2/p' | sort)
  [[ -n $taken && $offered == "$taken" ]] || fail "$command: bash offers other options than --help shows"
  "$cardan" help --man "$command" >"$work/page" || fail "there is no page of the manual about $command"
  ! command -v groff >/dev/null || [[ -z $(groff -man -Tascii -ww "$work/page" 2>&1 >/dev/null) ]] || fail "groff complains of cardan-$command.1"
  for option in $taken; do
    grep -qF -- "${option//-/\\-}" "$work/page" || fail "cardan-$command.1 lacks $option"
  done
done
cd "$work" && touch model.xml
[[ $(completed simulate mod) == model.xml ]] || fail "bash does not complete names of files"

"$cardan" completion zsh >"$work/zsh" && "$cardan" completion fish >"$work/fish" || fail "a script is missing"
! command -v zsh >/dev/null || zsh -n "$work/zsh" || fail "the script for zsh is not well formed"
! command -v fish >/dev/null || fish -n "$work/fish" || fail "the script for fish is not well formed"
"$cardan" completion 2>/dev/null && fail "a completion for no shell"
"$cardan" completion tcsh 2>"$work/said" && fail "a completion for tcsh"
grep -q fish "$work/said" || fail "completion tcsh does not name the shells that there are"

# A program without commands.
if [[ -n $mpi ]]; then
  source <("$mpi" completion bash) || fail "there is no script for bash of cardan-mpi"
  complete -p cardan-mpi | grep -q -e "'--quiet --help'" || fail "bash does not complete options of cardan-mpi"
  "$mpi" help --man >"$work/page" && grep -qF -- '\-\-quiet' "$work/page" || fail "cardan-mpi.1 lacks --quiet"
  "$mpi" completion zsh >"$work/zsh" && "$mpi" completion fish >"$work/fish" || fail "a script of cardan-mpi is missing"
  ! command -v zsh >/dev/null || zsh -n "$work/zsh" || fail "the script for zsh of cardan-mpi is not well formed"
  ! command -v groff >/dev/null || [[ -z $(groff -man -Tascii -ww "$work/page" 2>&1 >/dev/null) ]] || fail "groff complains of cardan-mpi.1"
fi
[[ $failed -eq 1 ]] || echo "shells complete what the command takes"
exit $failed

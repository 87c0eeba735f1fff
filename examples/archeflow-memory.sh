#!/usr/bin/env bash
# A drop-in for ArcheFlow's lib/archeflow-memory.sh: the same eight verbs, the same words on stdout, kept by Tacit.
# Copy it over the original. Needs tacit and jq; TACIT names another command, for example "uvx tacit".
# Once, by yourself, at a terminal and in the project:  tacit init --like archeflow   (an agent may not choose how its own memory judges)
# To bring what the original has learned, there too:    tacit data import .archeflow/memory --trust user
#
#   extract EVENTS.jsonl                 learn a finished run; lessons not seen in it age by one run
#   inject DOMAIN ARCHETYPE [--audit RUN]   known issues for a prompt
#   decay                                count runs that were learned without fading (extract does it already)
#   add TYPE TEXT                        a lesson by hand: preference, anti_pattern, archetype_hint, pattern
#   list                                 the active lessons
#   forget ID                            move a lesson to the archive
#   audit-check RUN                      which of the lessons that a run was given did a finding repeat?
#   regression-check RUN                 fixes of the run before that came undone; status 1 if there are any
#
# What Tacit has to say beside its answer (a lesson waits for a person, and what they type) goes to stderr.
set -euo pipefail

events=${ARCHEFLOW_EVENTS:-.archeflow/events}
read -r -a tacit <<<"${TACIT:-tacit}"
memory() { "${tacit[@]}" "$@"; }
say() { while IFS= read -r line; do printf '[archeflow-memory] %s\n' "$line" >&2; done; }
# tell FILTER VERB...: notes are told, then the line that a filter makes of the answer; a refusal in its own words and status.
tell() {
  local filter=$1 answer status=0
  shift
  answer=$(memory "$@" --json) || status=$?
  if ((status)); then
    jq -r '.error | .message, (.hint // empty)' <<<"$answer" | say
    exit "$status"
  fi
  jq -r "(.warnings[] | \"note: \" + .), (.data | $filter)" <<<"$answer" | say
}
usage() { sed -n 's/^# \{0,1\}//; 7,14p' "$0" >&2; exit 1; }
# A run by its name: its event log where there is one, so that no learning is needed before a check.
log_of() { if [[ -f "$events/$1.jsonl" ]]; then printf '%s' "$events/$1.jsonl"; else printf '%s' "$1"; fi; }

[[ $# -gt 0 ]] || usage
verb=$1
shift
case $verb in
extract)
  [[ $# -eq 1 ]] || usage
  tell '.runs[0] | "Extract complete: \((.matched - .new) | length) updated, \(.new | length) new candidates"' \
    learn "$1" --format archeflow
  ;;
inject)
  domain=${1:-} archetype=${2:-} run=()
  [[ ${3:-} != --audit ]] || run=(--run "${4:?--audit needs a run}")
  # through cat: where its answer goes to a terminal, tacit shows a person more than the lessons
  { memory inject --domain "$domain" --agent "$archetype" --repeat ${run[@]+"${run[@]}"} 2>&1 >&3 3>&- |
    sed '/^run: /d; /^note: a look: nothing was recorded/d' | say; } 3>&1 | cat
  ;;
decay)
  tell '"Decay complete: \(.faded) decayed, \([.moves[] | select(.to == "archived")] | length) archived"' origin tend
  ;;
add)
  [[ $# -eq 2 && -n $2 ]] || usage
  tell empty add "$2" --kind "$1" --source user_feedback --run manual
  ;;
list)
  printf '%-8s %-5s %-16s %-8s %s\n' ID Freq Type Domain Description ---- ---- ---- ------ -----------
  waiting=$(memory data export --format archeflow >/dev/null; memory list --waiting --limit 100000 --json |
    jq -c '[.data.memories[] | select(.gate != "allow") | .alias]')
  memory data export --format archeflow |
    jq -r --argjson waiting "$waiting" '[.id, .frequency, .type, .domain,
      (if .id | IN($waiting[]) then "(held) " else "" end) + (.description | gsub("\\s+"; " "))] | @tsv' |
    while IFS=$'\t' read -r id frequency type domain text; do
      printf '%-8s %-5s %-16s %-8s %s\n' "$id" "$frequency" "$type" "$domain" "$text"
    done
  ;;
forget)
  [[ $# -eq 1 ]] || usage
  memory data export --format archeflow >/dev/null # a lesson that was never listed gets its number now
  memory origin forget "$1" >/dev/null
  ;;
audit-check)
  [[ $# -eq 1 ]] || usage
  memory origin audit "$(log_of "$1")" --check >&2
  ;;
regression-check)
  [[ $# -eq 1 ]] || usage
  memory origin audit "$(log_of "$1")" --fail-on regression
  ;;
*) usage ;;
esac

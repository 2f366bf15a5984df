# shellcheck shell=bash
# How commands are shown, run and judged. --dry-run shows all of them and runs none.

# A new service account or service agent is not known everywhere at once.
PROPAGATION_TRIES=6
PROPAGATION_PAUSE_SECONDS=${TALLYROLL_PAUSE_SECONDS:-10}
CALL_SECONDS=60

# An answer of several fields; one of them may be empty, which a tab between would hide.
CSV='--format=csv[no-heading,separator="|"]'

QUOTE_IN_QUOTES="'\\''"
STEP=''
NEEDS=''
PROBLEMS=0
ANSWER=''
TOKEN=''
# A dry run looks, too, while this says so (lib/look.sh).
LOOKING=no

# step WORDS ROLE: what comes next, and the role that it takes.
step() {
  STEP=$1
  NEEDS=$2
  printf '\n# %s\n' "$1"
}

# Everything that is not a command is a comment, so that the whole output can be pasted.
say() {
  printf '# %s\n' "$1"
}

# What is not as it should be, and does not end the script; the verdict counts them.
problem() {
  PROBLEMS=$((PROBLEMS + 1))
  printf '# WRONG: %s\n' "$1"
}

# Shows a command so that it can be pasted; a long one gets a line for each flag.
show() {
  local word line='' gap=' ' all="$*"
  [ ${#all} -le 110 ] || gap=$' \\\n  '
  for word in "$@"; do
    case $word in
      google_api) line="curl --silent --show-error --fail --max-time $CALL_SECONDS"
        line="$line$gap--header \"Authorization: Bearer \$(gcloud auth print-access-token)\"" ;;
      --*=*) quote "${word#*=}" && line=$line$gap${word%%=*}=$QUOTED ;;
      --*) line=$line$gap$word ;;
      https://*) quote "$word" && line=$line$gap$QUOTED ;;
      *) quote "$word" && line="$line${line:+ }$QUOTED" ;;
    esac
  done
  printf '%s\n' "$line"
}

# Into QUOTED, since a process for each word would take longer than the rest of the script.
quote() {
  QUOTED=$1
  [[ $1 =~ ^[A-Za-z0-9_./:=@%+,-]+$ ]] || QUOTED="'${1//\'/$QUOTE_IN_QUOTES}'"
}

# The token goes through a descriptor, so that no list of processes shows it.
google_api() {
  curl --silent --show-error --fail --max-time "$CALL_SECONDS" \
    --header @<(printf 'Authorization: Bearer %s\n' "$TOKEN") "$@"
}

# Once a run, and only for curl: gcloud has its own.
get_token() {
  [ "$1" = google_api ] && [ -z "$TOKEN" ] || return 0
  TOKEN=$(gcloud auth print-access-token 2> "$STAGE/errors") || fail gcloud auth print-access-token
}

# Asks: the answer is in ANSWER. False when there is no such thing; any other failure ends the script.
ask() {
  ANSWER=''
  [ "$DRY_RUN" = no ] || show "$@"
  [ "$DRY_RUN$LOOKING" != yesno ] || return 1
  get_token "$@"
  ! ANSWER=$("$@" 2> "$STAGE/errors") || return 0
  if [ "$DRY_RUN" = yes ]; then
    said 'NOT_FOUND|not found|404' || say "this look was left out: $(sed -n '1s/^ERROR: //p' "$STAGE/errors")"
    return 1
  fi
  ! said 'PERMISSION_DENIED|403' || fail "$@"
  said 'NOT_FOUND|not found|404|does not exist' || fail "$@"
  return 1
}

# Changes something, or ends the script.
change() {
  local try
  show "$@"
  [ "$DRY_RUN" = no ] || return 0
  get_token "$@"
  for ((try = 1; try <= PROPAGATION_TRIES; try++)); do
    ! ANSWER=$("$@" 2> "$STAGE/errors") || return 0
    said 'does not exist|Eventarc Service Agent' || break
    say "not known everywhere yet; once more in $PROPAGATION_PAUSE_SECONDS s ($try of $PROPAGATION_TRIES)"
    sleep "$PROPAGATION_PAUSE_SECONDS"
  done
  fail "$@"
}

# said PATTERN: what the last command complained of.
said() {
  grep -Eiq "$1" "$STAGE/errors"
}

# Ends the script in the middle: what was done stays, and the next run goes on from there.
fail() {
  {
    printf '%s: this step failed: %s\n  command: %s\n' "${0##*/}" "$STEP" "$(show "$@")"
    sed 's/^/  answer:  /' "$STAGE/errors"
    if said 'PERMISSION_DENIED|403|does not have permission'; then
      printf '  The account that runs this needs %s in project %s (deploy/README.md, Permissions).\n' "$NEEDS" "$PROJECT"
    elif said 'active account|UNAUTHENTICATED|401'; then
      printf '  Nobody is signed in: gcloud auth login\n'
    fi
    printf '  What was done stays. Run the same command again: it goes on from here.\n'
  } >&2
  exit 1
}

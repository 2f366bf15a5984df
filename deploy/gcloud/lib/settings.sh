# shellcheck shell=bash disable=SC2034 # settings are read by their names, which are data
# Options and settings: where they come from, and what is refused.

# Environment variables of the functions, with their defaults.
COUNTERS=counters
SHARDS_COLLECTION=shards
ROLLUPS_COLLECTION=rollups
RUNS_COLLECTION=rollup_runs
COUNT_FIELD=count
FIRESTORE_DATABASE='(default)'
TICK=PT1S
LEASE=PT5S
SLACK=PT1S
BURST=15
WORKERS=1
SUM=aggregate
RUN=PT70S
# Where none is given: a TICK.
IDLE_EXIT=''
SWEEP=PT8M
SWEEP_COUNTERS=10000
ROLLUP_TOPIC=rollup
# The functions have no use for this one: it tells the scripts of another deployment which TTL policy is needed.
INCREMENTS_COLLECTION=increment_names
SETTINGS='COUNTERS SHARDS_COLLECTION ROLLUPS_COLLECTION RUNS_COLLECTION COUNT_FIELD FIRESTORE_DATABASE TICK LEASE SLACK
  BURST WORKERS SUM RUN IDLE_EXIT SWEEP SWEEP_COUNTERS ROLLUP_TOPIC INCREMENTS_COLLECTION'

# What only the scripts use. A script adds options and flags of its own to those that all of them take.
PROJECT=''
REGION=''
TRIGGER_LOCATION=''
NAME=tallyroll
STAGE=''
DRY_RUN=no
ANYWHERE=no
RULES=none
RULES_VARIANTS=''
REPLACE_RULES=no
MAX_INSTANCES=20
RUNTIME=java21
BUILD_SERVICE_ACCOUNT=''
ARTIFACT=$ROOT/functions/target/function
YES=no
INDEXES=no
OPTIONS="PROJECT REGION TRIGGER_LOCATION NAME STAGE DATABASE ENV_FILE $SETTINGS"
FLAGS='DRY_RUN ANYWHERE'

# What Firestore allows an id to have, in bytes.
MOST_OF_A_NAME=1500
# The id of a run's document holds the whole path.
MOST_OF_A_PATH=1000
# No variable of a path can have these names: the compiler of security rules refuses them, or takes them for its own.
RESERVED='allow break case continue default do duration each else extends false for function goto hashing if import in
  is latlng let match math not null package request resource return rules_version service switch timestamp true var
  while parent'

# The part of --help that is the same for all scripts.
usage_of_all() {
  cat << 'END'

Which deployment (all four scripts take these; give them the same):
  --project ID               needed
  --region REGION            needed: where the functions run, such as us-central1
  --name NAME                what everything is called; default tallyroll; one for each database or path
  --database ID              default (default)
  --trigger-location PLACE   where the database is; default the region (nam5 and eur3 must be named)
  --counters PATH            where counters are; default counters; for example rooms/{room}/counters
  --anywhere                 counters under any parent: short for --counters '{parent=**}/counters'; this form of the
                             trigger is not verified in production
  --SETTING VALUE            --shards-collection, --rollups-collection, --runs-collection, --increments-collection,
                             --count-field, --tick, --lease, --slack, --burst, --workers, --sum, --run, --idle-exit,
                             --sweep, --sweep-counters, --rollup-topic
  --env-file FILE            settings, one KEY=VALUE a line
  --stage DIR                where copies are staged; default deploy/gcloud/target/stage/NAME
  --dry-run                  print every command, change nothing
  --help, -h                 print this
A value follows behind a blank or behind =. A later option wins.
END
}

# Ends the script before anything was done.
refuse() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit 2
}

# Reads the command line. A later word wins over an earlier one, so flags behind --env-file override the file.
read_options() {
  local key
  while [ $# -gt 0 ]; do
    [[ $1 == -* ]] || refuse "expected an option, found '$1' (see --help)"
    key=${1%%=*}
    key=$(printf '%s' "${key#--}" | tr 'a-z-' 'A-Z_')
    case $1 in
      --help | -h) usage && exit 0 ;;
      --*=*) set_option "$key" "$1" "${1#*=}" ;;
      --rules) take_rules "${2:-}" || shift ;;
      *)
        if one_of "$key" "$FLAGS"; then
          printf -v "$key" yes
        else
          set_option "$key" "$1" "${2-}" $#
          shift
        fi ;;
    esac
    shift
  done
}

# set_option KEY WORD VALUE [WORDS_LEFT]: unknown options are refused before a missing value is.
set_option() {
  ! one_of "$1" "$FLAGS" || refuse "${2%%=*}: expected no value, found '$3'"
  one_of "$1" "$OPTIONS" || refuse "expected an option, found '${2%%=*}' (see --help)"
  [ "${4:-2}" -ge 2 ] || refuse "$2: expected a value, found the end of the line"
  case $1 in
    ENV_FILE) read_env_file "$3" ;;
    DATABASE) FIRESTORE_DATABASE=$3 ;;
    *) printf -v "$1" '%s' "$3" ;;
  esac
}

# The one option whose value may be left out. False when the next word is its value.
take_rules() {
  one_of RULES "$OPTIONS" || refuse "expected an option, found '--rules' (see --help)"
  RULES=plain
  one_of "$1" 'none plain strict' || return 0
  RULES=$1
  return 1
}

# one_of WORD WORDS: many lists here are texts with blanks between.
one_of() {
  local word
  for word in $2; do
    [ "$word" != "$1" ] || return 0
  done
  return 1
}

# Lines of KEY=VALUE with the settings' own names; never run as a script.
read_env_file() {
  local line
  [ -r "$1" ] || refuse "--env-file: expected a readable file, found '$1'"
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      '' | '#'*) continue ;;
      *=*) one_of "${line%%=*}" "$SETTINGS" \
          || refuse "$1: expected one of the settings, found '${line%%=*}'"
        printf -v "${line%%=*}" '%s' "${line#*=}" ;;
      *) refuse "$1: expected KEY=VALUE, found '$line'" ;;
    esac
  done < "$1"
}

# expect KEY PATTERN WORDS: refuses a value that the pattern does not fit.
expect() {
  [[ ${!1} =~ $2 ]] || refuse "$1: expected $3, found '${!1}'"
}

# Everything that can be known without asking anybody.
check_settings() {
  [ -n "$PROJECT" ] || refuse "--project: expected a project's id, found nothing (see --help)"
  [ -n "$REGION" ] || refuse '--region: expected a region such as us-central1, found nothing (see --help)'
  # A project may belong to a domain: example.com:my-project.
  expect PROJECT '^([a-z0-9][a-z0-9.-]*:)?[a-z][a-z0-9-]{0,29}$' "a project's id"
  expect REGION '^[a-z]+-[a-z]+[0-9]+$' 'a region such as us-central1'
  TRIGGER_LOCATION=${TRIGGER_LOCATION:-$REGION}
  expect TRIGGER_LOCATION '^([a-z]+-[a-z]+[0-9]+|nam5|eur3)$' "the database's location, such as us-central1 or nam5"
  expect NAME '^[a-z][a-z0-9-]{0,11}[a-z0-9]$' 'a name of 2 to 13 small letters, digits and dashes'
  expect FIRESTORE_DATABASE '^(\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$' "(default) or a database's id"
  expect ROLLUP_TOPIC '^[A-Za-z][A-Za-z0-9._~+%-]{2,254}$' "a topic's id of 3 to 255 characters"
  [[ $ROLLUP_TOPIC != goog* ]] || refuse "ROLLUP_TOPIC: expected a topic's id that does not start with goog, found '$ROLLUP_TOPIC'"
  expect RULES '^(none|plain|strict)$' 'plain or strict'
  expect RULES_VARIANTS '^(|(once|down|list)(,(once|down|list))*)$' 'some of once, down, list, with commas between'
  expect RUNTIME '^java(17|21|25)$' 'java17, java21 or java25'
  expect MAX_INSTANCES '^[1-9][0-9]{0,3}$' 'a number from 1 to 9999'
  check_numbers
  check_names
  check_rules
}

# The functions' own ranges (Settings.java); whatever passes here by mistake, they refuse at their start.
check_numbers() {
  local key
  IDLE_EXIT=${IDLE_EXIT:-$TICK}
  for key in TICK LEASE SLACK RUN IDLE_EXIT SWEEP; do
    expect "$key" '^PT.' 'an ISO-8601 duration such as PT1S'
    expect "$key" '^PT([0-9]{1,5}H)?([0-9]{1,5}M)?([0-9]{1,5}(\.[0-9]{1,3})?S)?$' 'an ISO-8601 duration such as PT1S'
  done
  between TICK 100 60000 'PT0.1S to PT1M'
  between LEASE $((3 * $(millis_of "$TICK"))) 600000 'three times TICK to PT10M'
  between SLACK 0 60000 'PT0S to PT1M'
  # An event-driven function is stopped after 540 s.
  between RUN $((2 * $(millis_of "$TICK"))) 530000 'two times TICK to PT530S'
  between IDLE_EXIT "$(millis_of "$TICK")" "$(millis_of "$RUN")" 'TICK to RUN'
  between SWEEP 1000 530000 'PT1S to PT530S'
  expect SWEEP_COUNTERS '^([1-9][0-9]{2,6}|10000000)$' 'a number from 100 to 10000000'
  expect BURST '^([2-9]|[1-9][0-9]|100)$' 'a number from 2 to 100'
  expect WORKERS '^([1-9]|[1-5][0-9]|6[0-4])$' 'a number from 1 to 64'
  expect SUM '^(aggregate|documents)$' 'aggregate or documents'
}

# between KEY LEAST MOST WORDS: a checked duration, in milliseconds.
between() {
  local found
  found=$(millis_of "${!1}")
  ((found >= $2 && found <= $3)) || refuse "$1: expected $4, found '${!1}'"
}

# A duration that fits its pattern, in milliseconds.
millis_of() {
  local millis
  [[ $1 =~ ^PT(([0-9]+)H)?(([0-9]+)M)?(([0-9]+)(\.([0-9]+))?S)?$ ]] || return 1
  millis=${BASH_REMATCH[8]}000
  # In base ten even where a number starts with a zero.
  printf '%d' $((10#${BASH_REMATCH[2]:-0} * 3600000 + 10#${BASH_REMATCH[4]:-0} * 60000 \
    + 10#${BASH_REMATCH[6]:-0} * 1000 + 10#${millis:0:3}))
}

# Names that break later, in the rules' compiler or in Firestore, are refused here.
check_names() {
  local key id='[A-Za-z0-9_][A-Za-z0-9_-]*'
  check_counters "$id"
  # Two collections under one name would let the functions trigger themselves, or rules open the live list.
  TAKEN='passes live'
  ! one_of "$COUNTERS_COLLECTION" "$TAKEN" \
    || refuse "COUNTERS: expected a name that no other collection has, found '$COUNTERS_COLLECTION'"
  TAKEN="$TAKEN $COUNTERS_COLLECTION"
  for key in SHARDS_COLLECTION ROLLUPS_COLLECTION RUNS_COLLECTION INCREMENTS_COLLECTION; do
    expect "$key" "^$id\$" "a collection's name of letters, digits, _ and -"
    at_most "$key" $MOST_OF_A_NAME "which is the most that Firestore takes"
    ! one_of "${!key}" "$TAKEN" || refuse "$key: expected a name that no other collection has, found '${!key}'"
    [[ ! ${!key} =~ ^__.*__$ ]] || refuse "$key: expected a name that Firestore does not reserve, found '${!key}'"
    TAKEN="$TAKEN ${!key}"
  done
  expect COUNT_FIELD '^[A-Za-z_][A-Za-z0-9_]*$' "a field's name of letters, digits and _"
  at_most COUNT_FIELD $MOST_OF_A_NAME "which is the most that Firestore takes"
}

# at_most KEY MOST WHY: a refusal that does not print a text of thousands of letters.
at_most() {
  local found=${!1}
  [ ${#found} -le "$2" ] || refuse "$1: expected at most $2 characters, $3, found ${#found}"
}

# Where counters are: the grammar of a trigger's path pattern, as far as a collection needs it.
check_counters() {
  local part used=''
  case $ANYWHERE/$COUNTERS in
    'yes/{parent=**}/'* | no/*) ;;
    yes/*/*) refuse "COUNTERS: expected one collection's name with --anywhere, found '$COUNTERS'" ;;
    yes/*) COUNTERS="{parent=**}/$COUNTERS" ;;
  esac
  at_most COUNTERS $MOST_OF_A_PATH "since the id of a run's document holds them"
  expect COUNTERS "^(\{parent=\*\*\}/$1|($1/(\{[a-z][a-z0-9_]*\}|$1)/)*$1)\$" \
    "a path that starts and ends with a collection, such as counters, rooms/{room}/counters or {parent=**}/counters"
  [[ ! /$COUNTERS/ =~ /(__[^/]*__)/ ]] \
    || refuse "COUNTERS: expected names that Firestore does not reserve, found '${BASH_REMATCH[1]}'"
  # For the scripts only, as its neighbours are named.
  COUNTERS_COLLECTION=${COUNTERS##*/}
  while read -r part; do
    ! one_of "$part" "$RESERVED $(words_of_rules)" \
      || refuse "COUNTERS: expected a variable that security rules do not use themselves, found '{$part}'"
    ! one_of "$part" "$used" || refuse "COUNTERS: expected each variable once, found '{$part}' again"
    used="$used $part"
  done < <(grep -oE '\{[a-z0-9_]+\}' <<< "$COUNTERS" | tr -d '{}')
}

# A variable with the name of a function or a variable of our rules would hide it.
words_of_rules() {
  sed -e 's|// variant [a-z]*:||' -e 's|//.*||' "$ROOT"/deploy/firestore/*.rules | grep -oE '[A-Za-z_]+' | sort -u
}

# Rules that cannot hold are refused, not written.
check_rules() {
  case $RULES/$RULES_VARIANTS in
    none/?* | plain/*once*) refuse "RULES_VARIANTS: expected --rules=strict with it, found '$RULES_VARIANTS'" ;;
  esac
  case $RULES/$COUNTERS in
    'strict/{parent=**}/'*)
      refuse 'RULES: expected plain for counters under any parent, since a pass names the path of its shard, found strict' ;;
  esac
  [[ $RULES_VARIANTS != *list* || $COUNTERS != '{parent=**}/'* ]] \
    || refuse "RULES_VARIANTS: expected no list for counters under any parent, since it makes every document in a roll-ups collection public, found '$RULES_VARIANTS'"
}

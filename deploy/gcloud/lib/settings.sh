# shellcheck shell=bash disable=SC2034 # settings are read by their names, which are data
# Options and settings: where they come from, and what is refused.

# Environment variables of the functions, with their defaults.
COUNTERS_COLLECTION=''
SHARDS_COLLECTION=shards
ROLLUPS_COLLECTION=rollups
RUNS_COLLECTION=rollup_runs
COUNT_FIELD=count
FIRESTORE_DATABASE='(default)'
TICK=PT1S
LEASE=PT5S
SLACK=PT1S
LANES=16
WORKERS=1
SUM=aggregate
RUN=PT70S
IDLE_EXIT=PT5S
SWEEP=PT8M
ROLLUP_TOPIC=rollup
SETTINGS='COUNTERS_COLLECTION SHARDS_COLLECTION ROLLUPS_COLLECTION RUNS_COLLECTION COUNT_FIELD FIRESTORE_DATABASE
  TICK LEASE SLACK LANES WORKERS SUM RUN IDLE_EXIT SWEEP ROLLUP_TOPIC'

# What only the scripts use.
PROJECT=''
REGION=''
TRIGGER_LOCATION=''
NAME=tallyroll
COUNTERS=''
ANYWHERE=no
INCREMENTS_COLLECTION=increments
RULES=none
RULES_VARIANTS=''
MAX_INSTANCES=20
RUNTIME=java21
BUILD_SERVICE_ACCOUNT=''
ARTIFACT=$ROOT/functions/target/function
STAGE=''
DRY_RUN=no
YES=no
INDEXES=no
OPTIONS='PROJECT REGION TRIGGER_LOCATION NAME COUNTERS INCREMENTS_COLLECTION RULES RULES_VARIANTS MAX_INSTANCES RUNTIME
  BUILD_SERVICE_ACCOUNT ARTIFACT STAGE'

refuse() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
  exit 2
}

# Reads the command line. A later word wins over an earlier one, so flags behind --env-file override the file.
read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) usage && exit 0 ;;
      --dry-run) DRY_RUN=yes ;;
      --anywhere) ANYWHERE=yes ;;
      --yes) YES=yes ;;
      --indexes) INDEXES=yes ;;
      --rules) RULES=plain ;;
      --*=*) set_option "${1%%=*}" "${1#*=}" ;;
      --*) [ $# -ge 2 ] || refuse "$1: expected a value, found the end of the line"
        set_option "$1" "$2" && shift ;;
      *) refuse "expected an option, found '$1' (see --help)" ;;
    esac
    shift
  done
}

set_option() {
  local key
  key=$(printf '%s' "${1#--}" | tr 'a-z-' 'A-Z_')
  case $key in
    ENV_FILE) read_env_file "$2" ;;
    DATABASE) FIRESTORE_DATABASE=$2 ;;
    *) one_of "$key" "$OPTIONS $SETTINGS" || refuse "expected an option, found '$1' (see --help)"
      printf -v "$key" '%s' "$2" ;;
  esac
}

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
      *=*) one_of "${line%%=*}" "$SETTINGS INCREMENTS_COLLECTION" \
          || refuse "$1: expected one of the settings, found '${line%%=*}'"
        printf -v "${line%%=*}" '%s' "${line#*=}" ;;
      *) refuse "$1: expected KEY=VALUE, found '$line'" ;;
    esac
  done < "$1"
}

expect() {
  [[ ${!1} =~ $2 ]] || refuse "$1: expected $3, found '${!1}'"
}

check_settings() {
  expect PROJECT '^[a-z][a-z0-9-]{0,29}$' "a project's id"
  expect REGION '^[a-z]+-[a-z]+[0-9]+$' 'a region such as us-central1'
  TRIGGER_LOCATION=${TRIGGER_LOCATION:-$REGION}
  expect TRIGGER_LOCATION '^([a-z]+-[a-z]+[0-9]+|nam5|eur3)$' "the database's location, such as us-central1 or nam5"
  expect NAME '^[a-z][a-z0-9-]{0,11}[a-z0-9]$' 'a name of 2 to 13 small letters, digits and dashes'
  expect FIRESTORE_DATABASE '^(\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$' "(default) or a database's id"
  expect ROLLUP_TOPIC '^[A-Za-z][A-Za-z0-9_.-]{2,254}$' "a topic's id"
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
  expect LANES '^([1-9][0-9]?|[12][0-9]{2}|300)$' 'a number from 1 to 300'
  expect WORKERS '^[1-9][0-9]{0,2}$' 'a number from 1 to LANES'
  [ "$WORKERS" -le "$LANES" ] || refuse "WORKERS: expected a number from 1 to LANES, which is $LANES, found '$WORKERS'"
  expect SUM '^(aggregate|documents)$' 'aggregate or documents'
}

# between KEY LEAST MOST WORDS: a checked duration, in milliseconds.
between() {
  local found
  found=$(millis_of "${!1}")
  ((found >= $2 && found <= $3)) || refuse "$1: expected $4, found '${!1}'"
}

millis_of() {
  local millis
  [[ $1 =~ ^PT(([0-9]+)H)?(([0-9]+)M)?(([0-9]+)(\.([0-9]+))?S)?$ ]] || return 1
  millis=${BASH_REMATCH[8]}000
  # In base ten even where a number starts with a zero.
  printf '%d' $((10#${BASH_REMATCH[2]:-0} * 3600000 + 10#${BASH_REMATCH[4]:-0} * 60000 \
    + 10#${BASH_REMATCH[6]:-0} * 1000 + 10#${millis:0:3}))
}

check_names() {
  local key others=' passes' name='[A-Za-z0-9_][A-Za-z0-9_-]*'
  COUNTERS=${COUNTERS:-${COUNTERS_COLLECTION:-counters}}
  expect COUNTERS "^($name/(\{[a-z][a-z0-9_]*\}|$name)/)*$name\$" "a collection's path such as rooms/{room}/counters"
  [[ ! $COUNTERS =~ \{(counter|shard|uid|database|parent)\} ]] \
    || refuse "COUNTERS: expected a name that the rules do not use themselves, found '${BASH_REMATCH[0]}'"
  one_of "${COUNTERS_COLLECTION:-${COUNTERS##*/}}" "${COUNTERS##*/}" \
    || refuse "COUNTERS_COLLECTION: expected '${COUNTERS##*/}', where --counters ends, found '$COUNTERS_COLLECTION'"
  COUNTERS_COLLECTION=${COUNTERS##*/}
  for key in COUNTERS SHARDS ROLLUPS RUNS INCREMENTS; do
    expect "${key}_COLLECTION" "^$name\$" "a collection's name of letters, digits, _ and -"
    key=${key}_COLLECTION
    # Two collections under one name would let the functions trigger themselves.
    ! one_of "${!key}" "$others" || refuse "$key: expected a name that no other collection has, found '${!key}'"
    [[ ! ${!key} =~ ^__.*__$ ]] || refuse "$key: expected a name that Firestore does not reserve, found '${!key}'"
    others="$others ${!key}"
  done
  expect COUNT_FIELD '^[A-Za-z_][A-Za-z0-9_]*$' "a field's name of letters, digits and _"
}

check_rules() {
  case $RULES/$RULES_VARIANTS in
    none/?* | plain/*once*) refuse "RULES_VARIANTS: expected --rules=strict with it, found '$RULES_VARIANTS'" ;;
  esac
  [[ $RULES_VARIANTS != *list* || ($ANYWHERE = no && $COUNTERS != '{parent=**}/'*) ]] \
    || refuse "RULES_VARIANTS: expected no list for counters under any parent, since it makes every document in a roll-ups collection public, found '$RULES_VARIANTS'"
  [ "$RULES/$ANYWHERE" != strict/yes ] \
    || refuse 'RULES: expected plain with --anywhere, since a pass names the path of its shard, found strict'
  case $ANYWHERE/$COUNTERS in
    yes/*/*) refuse "COUNTERS: expected one collection's name with --anywhere, found '$COUNTERS'" ;;
  esac
}

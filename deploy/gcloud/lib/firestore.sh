# shellcheck shell=bash
# Exemptions from indexing, TTL and security rules. The commands do what the staged firestore.indexes.json says.

RULES_API=https://firebaserules.googleapis.com/v1/projects

# Index settings take minutes; a million documents, longer.
INDEX_TRIES=360

# No index on fields that only rise, and what expires. What is there was read by the looks.
set_up_fields() {
  step 'Fields that only rise, or that nobody asks for, are not indexed on their own' roles/datastore.indexAdmin
  each_exemption exempt

  step 'Names of exactly-once increments expire' roles/datastore.indexAdmin
  ttl_is_there || change gcloud firestore fields ttls update expire_at "--collection-group=$INCREMENTS_COLLECTION" \
    "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" --enable-ttl --async
}

# each_exemption COMMAND: runs it for each field without an index, with the field's group and name.
each_exemption() {
  "$1" "$ROLLUPS_COLLECTION" live_until
  "$1" "$ROLLUPS_COLLECTION" as_of
  "$1" "$ROLLUPS_COLLECTION" counter
  "$1" "$INCREMENTS_COLLECTION" expire_at
}

# exempt GROUP FIELD: unless the look before found it so.
exempt() {
  grep -Fxq "$1/fields/$2|0" <<< "$FIELDS_THERE" || change gcloud firestore indexes fields update "$2" \
    "--collection-group=$1" "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" --disable-indexes
}

# restore_field GROUP FIELD: what exempt did is undone.
restore_field() {
  change gcloud firestore indexes fields update "$2" "--collection-group=$1" "--database=$FIRESTORE_DATABASE" \
    "--project=$PROJECT" --clear-exemption
}

# From what the look before found.
ttl_is_there() {
  grep -Eq "^$INCREMENTS_COLLECTION/fields/expire_at\|(ACTIVE|CREATING)$" <<< "$TTLS_THERE"
}

# A sum reads the index on the count, so functions that sum are deployed only when it is there.
restore_count_index() {
  local try
  [ "$SUM" = aggregate ] || return 0
  step 'Is there an index on the count? Sums read it' roles/datastore.indexAdmin
  read_count_index
  if [[ $ANSWER =~ ^(False)?\|(False)?\|0\|$ ]]; then
    restore_field "$SHARDS_COLLECTION" "$COUNT_FIELD"
    read_count_index
  fi
  [ "$DRY_RUN" = no ] || return 0
  for ((try = 1; try <= INDEX_TRIES; try++)); do
    [[ $ANSWER =~ ^[^|]*\|True|^(False)?\|[^|]*\|0\||CREATING|NEEDS_REPAIR ]] || return 0
    say "it is being built; once more in $PROPAGATION_PAUSE_SECONDS s ($try of $INDEX_TRIES)"
    sleep "$PROPAGATION_PAUSE_SECONDS"
    read_count_index
  done
  printf '%s: the index on %s is still being built, and the functions are as they were.\n  %s\n' "${0##*/}" \
    "$SHARDS_COLLECTION.$COUNT_FIELD" 'Run the same command again: it goes on from here.' >&2
  exit 1
}

# Whether the field is as by default, or on its way back to that; how many indexes it has, and in which states.
read_count_index() {
  ask gcloud firestore indexes fields describe "$COUNT_FIELD" "--collection-group=$SHARDS_COLLECTION" \
    "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" \
    "$CSV"'(indexConfig.usesAncestorConfig,indexConfig.reverting,indexConfig.indexes.len(),'\
'indexConfig.indexes[].state.list(separator=" "))' || true
}

# Only when no function sums any more.
exempt_count() {
  [ "$SUM" = documents ] || return 0
  step 'Shards are read one by one, so their count needs no index' roles/datastore.indexAdmin
  exempt "$SHARDS_COLLECTION" "$COUNT_FIELD"
}

# Into RULES_BEFORE: the rule set that is there; empty where there is none.
look_at_rules() {
  RULES_BEFORE='' RULES_ARE_OURS=no
  [ "$RULES" != none ] || return 0
  step 'Which security rules are there?' roles/firebaserules.admin
  ask google_api --header "x-goog-user-project: $PROJECT" "$RULES_API/$PROJECT/releases/$RULES_RELEASE" || return 0
  RULES_BEFORE=$(json_text rulesetName)
  [ -n "$RULES_BEFORE" ] || return 0
  if rules_are "$RULES_BEFORE"; then
    RULES_ARE_OURS=yes
    return
  fi
  ask_about_rules "firestore.rules.${RULES_BEFORE##*/}"
}

# ask_about_rules FILE: a rule set never changes, so its id names the copy, and a copy that is there is the same.
ask_about_rules() {
  local typed
  say "this database has the rule set $RULES_BEFORE, which --rules replaces as a whole"
  if [ "$DRY_RUN" = yes ]; then
    say "deploy would keep its text in $PWD/$1, and ask, unless --replace-rules says so"
    return
  fi
  [ -e "$1" ] || rules_text > "$1" || refuse "expected to keep the rules in $PWD/$1, found no way to; nothing was done"
  say "its text is kept in $PWD/$1"
  [ "$REPLACE_RULES" = no ] || return 0
  [ -t 0 ] || refuse "--rules: expected somebody at a terminal to ask, or --replace-rules, found neither; nothing was done"
  printf 'Every collection that the new rules do not name is locked to clients. Type replace to go on: '
  IFS= read -r typed || true
  [ "$typed" = replace ] || refuse "expected replace, found '$typed'; nothing was done"
}

# The text of the rule set in ANSWER, all its files. JSON's escapes are printf's, but for the quote.
rules_text() {
  local text
  grep -oE '"content": *"([^"\\]|\\.)*"' <<< "$ANSWER" | while read -r text; do
    text=${text#*:*\"}
    text=${text%\"}
    printf '%b' "${text//\\\"/\"}"
  done
}

# A database has one rule set, so what is there is replaced only on request, and can be put back.
make_rules() {
  step 'Security rules' roles/firebaserules.admin
  if [ "$RULES" = none ]; then
    say 'left alone (no --rules). Merge these blocks into your own rules:'
    sed 's/^/#   /' "$STAGE/firestore.rules"
    return
  fi
  [ "$RULES_ARE_OURS" = no ] || return 0
  change google_api --header "x-goog-user-project: $PROJECT" --header 'Content-Type: application/json' \
    --data-binary "@$STAGE/firestore.rules.json" "$RULES_API/$PROJECT/rulesets"
  release_rules "$RULES_RELEASE" "$RULES_BEFORE" "$(json_text name)"
}

# rules_are RULESET: are they, whole, the staged ones? Its JSON is in ANSWER.
rules_are() {
  ask google_api --header "x-goog-user-project: $PROJECT" "https://firebaserules.googleapis.com/v1/$1" || return 1
  grep -Fq "$RULES_MARK" <<< "$ANSWER"
}

# release_rules RELEASE BEFORE MADE: from then on the rules hold.
release_rules() {
  local made=${3:-projects/$PROJECT/rulesets/ID_FROM_THE_ANSWER_ABOVE}
  if [ -n "$2" ]; then
    change google_api --request PATCH --header "x-goog-user-project: $PROJECT" \
      --header 'Content-Type: application/json' \
      --data-binary "{\"release\":{\"name\":\"projects/$PROJECT/releases/$1\",\"rulesetName\":\"$made\"}}" \
      "$RULES_API/$PROJECT/releases/$1"
    say "the rules before were $2; to put them back, send that name in the same PATCH"
  else
    change google_api --header "x-goog-user-project: $PROJECT" --header 'Content-Type: application/json' \
      --data-binary "{\"name\":\"projects/$PROJECT/releases/$1\",\"rulesetName\":\"$made\"}" \
      "$RULES_API/$PROJECT/releases"
  fi
}

# The first text under a key of the JSON in ANSWER.
json_text() {
  tr '\n' ' ' <<< "$ANSWER" | awk -v key="\"$1\": *\"" \
    'match($0, key) { $0 = substr($0, RSTART + RLENGTH); print substr($0, 1, index($0, "\"") - 1) }'
}

# shellcheck shell=bash
# Indexes, exemptions, TTL and security rules. The commands do what the staged firestore.indexes.json says.

INDEX_FORMAT="$CSV"'(name.scope(collectionGroups).segment(0),queryScope,fields[].fieldPath.list(separator=" "),state)'
RULES_API=https://firebaserules.googleapis.com/v1/projects

make_indexes() {
  step 'Firestore indexes: the live list is a sharded timestamp' roles/datastore.indexAdmin
  ask gcloud firestore indexes composite list "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" \
    "$INDEX_FORMAT" || true
  has_live_index '' || change gcloud firestore indexes composite create "--database=$FIRESTORE_DATABASE" \
    "--project=$PROJECT" "--collection-group=$ROLLUPS_COLLECTION" --query-scope=collection-group \
    --field-config=field-path=live_lane,order=ascending --field-config=field-path=live_until,order=ascending

  step 'Fields that only rise are not indexed on their own' roles/datastore.indexAdmin
  ask gcloud firestore indexes fields list "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" \
    "$CSV"'(name.scope(collectionGroups),indexConfig.indexes.len())' || true
  exempt "$ROLLUPS_COLLECTION" live_lane
  exempt "$ROLLUPS_COLLECTION" live_until
  exempt "$ROLLUPS_COLLECTION" as_of
  exempt "$INCREMENTS_COLLECTION" expire_at
  [ "$SUM" = aggregate ] || exempt "$SHARDS_COLLECTION" "$COUNT_FIELD"
  make_ttl
}

# The platform adds the document's name behind the fields that were asked for.
has_live_index() {
  grep -Eq "^$ROLLUPS_COLLECTION\|COLLECTION_GROUP\|live_lane live_until( __name__)?\|$1" <<< "$ANSWER"
}

exempt() {
  grep -Fxq "$1/fields/$2|0" <<< "$ANSWER" && return
  local answer=$ANSWER
  change gcloud firestore indexes fields update "$2" "--collection-group=$1" "--database=$FIRESTORE_DATABASE" \
    "--project=$PROJECT" --disable-indexes
  ANSWER=$answer
}

make_ttl() {
  step 'Names of exactly-once increments expire' roles/datastore.indexAdmin
  ask gcloud firestore fields ttls list "--collection-group=$INCREMENTS_COLLECTION" \
    "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" \
    "$CSV"'(name.scope(collectionGroups),ttlConfig.state)' || true
  grep -Eq "^$INCREMENTS_COLLECTION/fields/expire_at\|(ACTIVE|CREATING)$" <<< "$ANSWER" \
    || change gcloud firestore fields ttls update expire_at "--collection-group=$INCREMENTS_COLLECTION" \
      "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" --enable-ttl --async
}

# A database has one rule set, so what is there is replaced only on request, and can be put back.
make_rules() {
  step 'Security rules' roles/firebaserules.admin
  if [ "$RULES" = none ]; then
    say 'left alone (no --rules). Merge these blocks into your own rules:'
    sed 's/^/#   /' "$STAGE/firestore.rules"
    return
  fi
  local release=cloud.firestore before=''
  [ "$FIRESTORE_DATABASE" = '(default)' ] || release=cloud.firestore/$FIRESTORE_DATABASE
  if ask google_api --header "x-goog-user-project: $PROJECT" "$RULES_API/$PROJECT/releases/$release"; then
    before=$(json_text rulesetName)
  fi
  [ -n "$before" ] && rules_are "$before" && return
  change google_api --header "x-goog-user-project: $PROJECT" --header 'Content-Type: application/json' \
    --data-binary "@$STAGE/firestore.rules.json" "$RULES_API/$PROJECT/rulesets"
  release_rules "$release" "$before" "$(json_text name)"
}

rules_are() {
  ask google_api --header "x-goog-user-project: $PROJECT" "https://firebaserules.googleapis.com/v1/$1" || return 1
  grep -Fq "$RULES_MARK" <<< "$ANSWER"
}

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
  printf '%s' "$ANSWER" | tr '\n' ' ' | grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | sed 's/^[^:]*: *"//; s/"$//'
}

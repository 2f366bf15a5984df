# shellcheck shell=bash
# Looks before anything is touched: whose documents, settings and deployments are in this database already? What could
# lose somebody's data ends the script; all else is said.

# One page: enough to warn by, and cheap in a database of any size.
MOST_DOCUMENTS=300
MOST_SHOWN=10

# In this order: a refusal of the cheap looks spares the others.
look_first() {
  start_looking
  check_database
  check_trigger
  look_for_deployments
  look_at_topic
  look_at_fields
  look_at_rollups
  look_at_names
  look_at_rules
  LOOKING=no
}

# A dry run looks where it can: looks change nothing.
start_looking() {
  LOOKING=yes
  [ "$DRY_RUN" = yes ] || return 0
  TOKEN=$(gcloud auth print-access-token 2> "$STAGE/errors") && return
  TOKEN=''
  LOOKING=no
  printf '\n# Nobody is signed in here (gcloud auth login), so this dry run leaves the looks out: whether documents,\n'
  printf '# settings or deployments of others are in the way, only a look can tell.\n'
}

# Two deployments may share a database, but never a counter.
look_for_deployments() {
  local name region database counters shards rollups runs field sum names shared
  step 'Who else counts in this project?' roles/cloudfunctions.viewer
  read_deployments
  # Where the others' counters are, one regular expression a line.
  NEIGHBOURS=''
  while IFS='|' read -r name region database counters shards rollups runs field sum names; do
    [ -n "$name" ] || continue
    [ "$name" != "$NAME" ] \
      || refuse "NAME: expected one that no other deployment of the project has, found $NAME in $region, too"
    [ "$database" = "$FIRESTORE_DATABASE" ] || continue
    check_neighbour
    NEIGHBOURS+=$(regex_of "$counters")$'\n'
    shared=$(shared_with)
    say "$name ($region) counts $counters in this database, too; both use:${shared%;}"
  done <<< "$OTHERS"
}

# The columns of a line of OTHERS that are asked for by number.
O_SHARDS=5 O_ROLLUPS=6 O_FIELD=8 O_INCREMENTS=10
DEPLOYMENT_FORMAT="$CSV(labels.tallyroll,name.segment(3)"
for SETTING in FIRESTORE_DATABASE COUNTERS SHARDS_COLLECTION ROLLUPS_COLLECTION RUNS_COLLECTION COUNT_FIELD SUM \
  INCREMENTS_COLLECTION; do
  DEPLOYMENT_FORMAT+=",serviceConfig.environmentVariables.$SETTING"
done
DEPLOYMENT_FORMAT+=')'

# Into OTHERS, a line for each deployment but this one, wherever in the project it is.
read_deployments() {
  ask gcloud functions list --v2 "--project=$PROJECT" '--filter=labels.tallyroll:*' "$DEPLOYMENT_FORMAT" || true
  OTHERS=$(grep -v "^$NAME|$REGION|" <<< "$ANSWER" | sort -u) || true
}

# others_with COLUMN VALUE [COLUMN VALUE]: the names of the other deployments in this database with these settings.
others_with() {
  awk -F '|' -v database="$FIRESTORE_DATABASE" -v c="$1" -v v="$2" -v d="${3:-1}" -v w="${4-}" \
    '$3 == database && $c == v && (w == "" || $d == w) { printf "%s%s", gap, $1; gap = ", " }' <<< "$OTHERS"
}

# Reads the variables of look_for_deployments.
check_neighbour() {
  ! overlaps "$COUNTERS" "$counters" || refuse "COUNTERS: expected a path that no other deployment covers, found \
$COUNTERS, and ${counters:-a path that cannot be read} of $name in $region
  Both would keep the totals of the same counters. Remove that one first (destroy --name $name --region $region)."
  if one_of "$SHARDS_COLLECTION" "$rollups $runs" || one_of "$shards" "$ROLLUPS_COLLECTION $RUNS_COLLECTION"; then
    refuse "SHARDS_COLLECTION: expected a name that is not another deployment's collection of roll-ups or runs, found
  $SHARDS_COLLECTION here, $shards of $name: one could take the other's totals for shards"
  fi
  [ "$shards.$field" != "$SHARDS_COLLECTION.$COUNT_FIELD" ] || [ "$sum" = "$SUM" ] \
    || refuse "SUM: expected $sum as $name has it, found $SUM: $shards.$field is either indexed or exempt for both"
}

# overlaps PATTERN PATTERN: can one path fit both? A pattern that cannot be read fits everything.
overlaps() {
  local a b i
  [ -n "$1" ] && [ -n "$2" ] || return 0
  if [[ $1 == '{parent=**}/'* || $2 == '{parent=**}/'* ]]; then
    [ "${1##*/}" = "${2##*/}" ]
    return
  fi
  IFS=/ read -ra a <<< "$1"
  IFS=/ read -ra b <<< "$2"
  [ ${#a[@]} -eq ${#b[@]} ] || return 1
  for i in "${!a[@]}"; do
    [[ ${a[i]} == "${b[i]}" || ${a[i]} == '{'* || ${b[i]} == '{'* ]] || return 1
  done
}

# Reads the variables of look_for_deployments.
shared_with() {
  local shared=''
  [ "$rollups" != "$ROLLUPS_COLLECTION" ] \
    || shared=" the roll-ups' collection $rollups with its exemptions (marks keep the documents apart);"
  [ "$names" != "$INCREMENTS_COLLECTION" ] || shared="$shared the TTL policy on $names;"
  [ "$runs" != "$RUNS_COLLECTION" ] || shared="$shared the collection $runs (each has its own documents);"
  printf '%s' "${shared:- nothing;}"
}

# Two deployments on one topic would answer each other's messages; a topic of somebody else has other readers.
look_at_topic() {
  step 'Is the topic ours, or still to be made?' roles/pubsub.viewer
  TOPIC_IS_THERE=no
  ask gcloud pubsub topics describe "$ROLLUP_TOPIC" "--project=$PROJECT" '--format=value(labels.tallyroll)' \
    || return 0
  [ -n "$ANSWER" ] || refuse "ROLLUP_TOPIC: expected a topic of $NAME, found one without a label
  Name another (--rollup-topic), or hand it over: gcloud pubsub topics update $ROLLUP_TOPIC \
--update-labels=tallyroll=$NAME --project=$PROJECT"
  [ "$ANSWER" = "$NAME" ] \
    || refuse "ROLLUP_TOPIC: expected a topic of $NAME, found one of $ANSWER; name another (--rollup-topic)"
  TOPIC_IS_THERE=yes
}

# Whoever set up a field of ours in another way has a reason.
look_at_fields() {
  local field
  step 'What is set up on the fields that lose their index, and does anything expire?' roles/datastore.viewer
  ask gcloud firestore indexes fields list "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" \
    "$CSV"'(name.scope(collectionGroups),indexConfig.indexes.len())' || true
  FIELDS_THERE=$ANSWER
  each_exemption look_at_field
  [ "$SUM" = aggregate ] || look_at_field "$SHARDS_COLLECTION" "$COUNT_FIELD"

  ask gcloud firestore fields ttls list "--collection-group=$INCREMENTS_COLLECTION" \
    "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" \
    "$CSV"'(name.scope(collectionGroups),ttlConfig.state)' || true
  TTLS_THERE=$ANSWER
  field=$(sed -n "s,^$INCREMENTS_COLLECTION/fields/\([^|]*\)|.*,\1,p" <<< "$TTLS_THERE" | grep -Fvx expire_at) || true
  [ -z "$field" ] || refuse "INCREMENTS_COLLECTION: expected a collection group without a TTL policy of others, found \
one on $INCREMENTS_COLLECTION.$field
  A group has one TTL field. Name another collection (--increments-collection, and the client library's option)."
}

# look_at_field GROUP FIELD: exempt already is as good as default.
look_at_field() {
  local indexes
  indexes=$(sed -n "s/^$1\/fields\/$2|//p" <<< "$FIELDS_THERE")
  [ "${indexes:-0}" = 0 ] || refuse "expected no index settings of others on $1.$2, found $indexes indexes of its own
  Name another collection in the settings, or clear them: gcloud firestore indexes fields update $2 \
--collection-group=$1 --database='$FIRESTORE_DATABASE' --project=$PROJECT --clear-exemption"
}

# What lies where a total would go, and is not ours, is left alone by the functions: people have to know.
look_at_rollups() {
  local looked=0 elsewhere=0 theirs=0 in_the_way=() path mark parent
  step "Documents in collections named $ROLLUPS_COLLECTION" roles/datastore.viewer
  page_of "$ROLLUPS_COLLECTION" counter || return 0
  while IFS=$'\t' read -r path mark; do
    looked=$((looked + 1))
    parent=${path%"$ROLLUPS_COLLECTION/"*}
    if [[ ! $parent$COUNTERS_COLLECTION =~ $COUNTERS_REGEX ]]; then
      elsewhere=$((elsewhere + 1))
    elif lies_in "$NEIGHBOURS" "${mark%/*}"; then
      theirs=$((theirs + 1))
    elif [ "$mark" != "$parent$COUNTERS_COLLECTION/${path##*/}" ]; then
      in_the_way+=("$path${mark:+ (marked $mark)}")
    fi
  done < <(documents_in_answer counter)
  say "looked at $(how_many "$looked"); $elsewhere lie where no total of ours goes, and $theirs are totals of the deployments \
named above: they stay as they are"
  [ ${#in_the_way[@]} -gt 0 ] || return 0
  say "${#in_the_way[@]} lie where a total would go, and are not ours. The functions leave them alone, and a counter there"
  say "has no total, until you remove them, or hand them over: set the field counter to the counter's path."
  printf '#   %s\n' "${in_the_way[@]:0:MOST_SHOWN}"
}

# A TTL policy deletes documents in all collections of a name, so all of them have to be names of increments.
look_at_names() {
  local looked=0 strange=() path name
  ! ttl_is_there || return 0
  step "Documents in collections named $INCREMENTS_COLLECTION, which is to have a TTL policy" roles/datastore.viewer
  page_of "$INCREMENTS_COLLECTION" __name__ || return 0
  while IFS=$'\t' read -r path; do
    looked=$((looked + 1))
    name=${path%"/$INCREMENTS_COLLECTION/"*}
    lies_in "$NEIGHBOURS$COUNTERS_REGEX" "${name%/*}" || strange+=("$path")
  done < <(documents_in_answer '')
  say "looked at $(how_many "$looked")"
  [ ${#strange[@]} -eq 0 ] || refuse "INCREMENTS_COLLECTION: expected only names of increments in $INCREMENTS_COLLECTION, \
found ${#strange[@]} documents that lie beneath no counter of ours:
$(printf '  %s\n' "${strange[@]:0:MOST_SHOWN}")
  The TTL policy would delete each that has a time in expire_at. Name another collection (--increments-collection, and
  the client library's option)."
}

# lies_in REGEXES COLLECTION: one expression a line.
lies_in() {
  local regex
  while read -r regex; do
    [ -z "$regex" ] || ! [[ $2 =~ $regex ]] || return 0
  done <<< "$1"
  return 1
}

# page_of GROUP FIELD: one page of a collection group, wherever its collections are; of the documents, one field.
page_of() {
  post ask runQuery "{\"structuredQuery\":{\"select\":{\"fields\":[{\"fieldPath\":\"$2\"}]},\"from\":[{\"collectionId\":\
\"$1\",\"allDescendants\":true}],\"limit\":$MOST_DOCUMENTS}}"
}

# how_many NUMBER: in words, with a warning that one page may not be all.
how_many() {
  printf '%s documents%s' "$1" "$([ "$1" -lt $MOST_DOCUMENTS ] || printf ' (there may be more)')"
}

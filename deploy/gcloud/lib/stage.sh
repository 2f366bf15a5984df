# shellcheck shell=bash
# Staged copies: the one place where the settings' names replace the names in deploy/firestore, and where the artifact's
# hash is taken.

# Before anything is asked: what a refusal or a failure needs to be written down.
stage_all() {
  STAGE=${STAGE:-$ROOT/deploy/gcloud/target/stage/$NAME}
  mkdir -p "$STAGE"
  PARENT=${COUNTERS%"$COUNTERS_COLLECTION"}
  PARENT=${PARENT:+/${PARENT%/}}
  PATTERN="$COUNTERS/{counter}/$SHARDS_COLLECTION/{shard}"
  COUNTERS_REGEX=$(regex_of "$COUNTERS")
  stage_indexes < "$ROOT/deploy/firestore/firestore.indexes.json" > "$STAGE/firestore.indexes.json"
  # Each database but the default one has a release of its own.
  RULES_RELEASE=cloud.firestore
  [ "$FIRESTORE_DATABASE" = '(default)' ] || RULES_RELEASE=cloud.firestore/$FIRESTORE_DATABASE
  local file=firestore.rules
  [ "$RULES" != strict ] || file=firestore.strict.rules
  stage_rules < "$ROOT/deploy/firestore/$file" > "$STAGE/firestore.rules"
  # Tells a rule set that was made here, whole, from any other.
  RULES_MARK="tallyroll-rules: $(sha256 < "$STAGE/firestore.rules" | cut -c 1-40)"
  printf '// %s\n' "$RULES_MARK" >> "$STAGE/firestore.rules"
  rules_as_json < "$STAGE/firestore.rules" > "$STAGE/firestore.rules.json"
}

# For the Firebase CLI; the commands of lib/firestore.sh do the same.
stage_indexes() {
  local extra=''
  [ "$SUM" = aggregate ] \
    || extra="    { \"collectionGroup\": \"$SHARDS_COLLECTION\", \"fieldPath\": \"$COUNT_FIELD\", \"indexes\": [] },"
  sed -e "s/\"rollups\"/\"$ROLLUPS_COLLECTION\"/" -e "s/\"increment_names\"/\"$INCREMENTS_COLLECTION\"/" \
    | awk -v extra="$extra" '{ print } /"fieldOverrides"/ && extra { print extra }'
}

# Names of ours in place of the default names; the parent of the counters before each.
stage_rules() {
  local path text
  # shellcheck disable=SC2016 # the dollar is the rules' own
  path=$(printf '%s' "$PARENT" | sed 's/{\([a-z0-9_]*\)}/$(\1)/g')
  text=$(printf '%s' "${PARENT:+${PARENT#/}/}" | sed "s/{\([a-z0-9_]*\)}/' + \1 + '/g")
  stage_variants | sed \
    -e "s|/shards/|/$SHARDS_COLLECTION/|" \
    -e "s|/counters/{counter}|$PARENT/$COUNTERS_COLLECTION/{counter}|" \
    -e "s|/counters/\$(counter)|$path/$COUNTERS_COLLECTION/\$(counter)|" \
    -e "s|'counters/' + counter|'$text$COUNTERS_COLLECTION/' + counter|" \
    -e "s|'.\*/counters/'|'.*/$COUNTERS_COLLECTION/'|" \
    -e "s|) counters/likes/|) ${PARENT:+${PARENT#/}/}$COUNTERS_COLLECTION/likes/|" \
    -e "s|/rollups/{counter}|$PARENT/$ROLLUPS_COLLECTION/{counter}|" \
    -e "s|rollup_runs|$RUNS_COLLECTION|" \
    -e "s|\['count'\]|['$COUNT_FIELD']|" \
    -e "s/before\.count/before.$COUNT_FIELD/g" \
    -e "s/after\.count/after.$COUNT_FIELD/g"
}

# On a line with "// variant NAME:", keeps what stands before the mark, or takes what stands behind it.
stage_variants() {
  local variant variants=${RULES_VARIANTS//,/ } text
  [ "$PARENT" != '/{parent=**}' ] || variants="$variants anywhere"
  text=$(cat)
  for variant in $variants; do
    text=$(printf '%s\n' "$text" | sed "s|^\( *\)[^ ].*// variant $variant: \(.*\)$|\1\2|")
  done
  printf '%s\n' "$text" | sed 's| // variant [a-z]*: .*$||'
}

# The body of the Rules API's projects.rulesets.create.
rules_as_json() {
  printf '{"source":{"files":[{"name":"firestore.rules","content":"'
  sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' | awk '{ printf "%s\\n", $0 }'
  printf '"}]}}\n'
}

# The folder that is deployed. Before anything is touched, since without it nothing can be.
stage_function() {
  if ! ls "$ARTIFACT"/*.jar > /dev/null 2>&1; then
    [ "$DRY_RUN" = yes ] || refuse "ARTIFACT: expected a folder with one jar, found '$ARTIFACT'; make it: mvn package"
    say "nothing is built yet (mvn package), so the hashes below are those of an empty artifact"
    ARTIFACT=/dev/null
    ARTIFACT_HASHES=''
    return
  fi
  [ "$(find "$ARTIFACT" -maxdepth 1 -name '*.jar' | wc -l)" -eq 1 ] \
    || refuse "ARTIFACT: expected a folder with one jar, found '$(cd "$ARTIFACT" && echo ./*.jar)'"
  rm -rf "$STAGE/function"
  cp -R "$ARTIFACT" "$STAGE/function"
  # Without this file, gcloud would write one that leaves out what git leaves out: the jars.
  printf '.gcloudignore\n' > "$STAGE/function/.gcloudignore"
  ARTIFACT_HASHES=$(hashes_of_artifact)
}

# A label's value: the artifact and the flags of one function, the same on every machine.
hash_of() {
  printf '%s\n' "$@" "$ARTIFACT_HASHES" | sha256 | cut -c 1-40
}

# Of each file, its hash and its name.
hashes_of_artifact() {
  (cd "$ARTIFACT" && find . -type f -exec "${SHA256[@]}" {} + | LC_ALL=C sort -k 2)
}

SHA256=(shasum -a 256)
! command -v sha256sum > /dev/null || SHA256=(sha256sum)

# The same on Linux and macOS.
sha256() {
  "${SHA256[@]}"
}

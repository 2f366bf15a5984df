# shellcheck shell=bash
# Firestore's REST API, for the scripts that look at data.

FIRESTORE_API=https://firestore.googleapis.com/v1

# The database, as the REST API names it.
documents() {
  printf 'projects/%s/databases/%s/documents' "$PROJECT" "$FIRESTORE_DATABASE"
}

# Posts a body to a method of the database: commit, runQuery.
post() {
  "$1" google_api --header "x-goog-user-project: $PROJECT" --header 'Content-Type: application/json' \
    --data-binary "$3" "$FIRESTORE_API/$(documents):$2"
}

# read_document PATH: into ANSWER; false when there is none.
read_document() {
  ask google_api --header "x-goog-user-project: $PROJECT" "$FIRESTORE_API/$(documents)/$1"
}

# Where counters are, with every {variable} of the path filled in: counters_in ID.
counters_in() {
  sed -e 's|^{parent=\*\*}/||' -e "s|{[a-z0-9_]*}|$1|g" <<< "$COUNTERS"
}

# A path pattern as a regular expression that collections' paths fit: regex_of PATTERN.
regex_of() {
  # shellcheck disable=SC2016 # the dollar ends the expression
  sed -e 's|^{parent=\*\*}/|([^/]+/[^/]+/)*|' -e 's|{[a-z0-9_]*}|[^/]+|g' -e 's|.*|^&$|' <<< "$1"
}

# The document beneath which the live list lies.
live_document() {
  printf '%s/%s' "$RUNS_COLLECTION" \
    "$(sed -e 's|^{parent=\*\*}/||' -e 's|{[a-z0-9_]*}|*|g' -e 's|/|:|g' <<< "$COUNTERS")"
}

# run_document WORKER: the document that a worker's run holds, as a URL spells it (a colon would name a method).
run_document() {
  printf '%s-%s' "$(live_document | sed -e 's|\*|%2A|g' -e 's|:|%3A|g')" "$1"
}

# documents_in_answer FIELD: of each document that a query found, its path and the text in a field, with a tab between.
documents_in_answer() {
  awk -v field="$1" '
    { text = text $0 }
    END {
      count = split(text, found, /"document": *[{] *"name": *"projects\/[^\/]*\/databases\/[^\/]*\/documents\//)
      mark = "\"" field "\": *[{] *\"stringValue\": *\""
      for (i = 2; i <= count; i++) {
        path = substr(found[i], 1, index(found[i], "\"") - 1)
        value = ""
        if (match(found[i], mark)) {
          value = substr(found[i], RSTART + RLENGTH)
          value = substr(value, 1, index(value, "\"") - 1)
        }
        print path "\t" value
      }
    }' <<< "$ANSWER"
}

# The first value of a field of the document, or of the aggregation, in ANSWER, whatever its type: field_value count.
field_value() {
  printf '%s' "$ANSWER" | tr -d '\n' | sed -n "s/.*\"$1\": *{ *\"[a-zA-Z]*\": *\"\{0,1\}\([^\",}]*\)\"\{0,1\} *}.*/\1/p"
}

# Seconds from one time stamp to another, both Firestore's own; a day's end may lie between.
seconds_between() {
  printf '%s %s\n' "$1" "$2" | sed 's/[TZ:]/ /g' \
    | awk '{ t = ($6 - $2) * 3600 + ($7 - $3) * 60 + $8 - $4; if (t < -43200) t += 86400; printf "%.3f", t }'
}

# shellcheck shell=bash
# Firestore's REST API, for the scripts that look at data.

FIRESTORE_API=https://firestore.googleapis.com/v1

documents() {
  printf 'projects/%s/databases/%s/documents' "$PROJECT" "$FIRESTORE_DATABASE"
}

# Posts a body to a method of the database: commit, runQuery.
post() {
  "$1" google_api --header "x-goog-user-project: $PROJECT" --header 'Content-Type: application/json' \
    --data-binary "$3" "$FIRESTORE_API/$(documents):$2"
}

read_document() {
  ask google_api --header "x-goog-user-project: $PROJECT" "$FIRESTORE_API/$(documents)/$1"
}

# Where counters are, with every {capture} of the path filled in.
counters_in() {
  printf '%s' "$COUNTERS" | sed "s/{[a-z0-9_]*}/$1/g"
}

# The first value of a field of the document in ANSWER, whatever its type: field_value count.
field_value() {
  printf '%s' "$ANSWER" | tr -d '\n' | sed -n "s/.*\"$1\": *{ *\"[a-zA-Z]*\": *\"\{0,1\}\([^\",}]*\)\"\{0,1\} *}.*/\1/p"
}

# Seconds from one time stamp to another, both Firestore's own; a day's end may lie between.
seconds_between() {
  printf '%s %s\n' "$1" "$2" | sed 's/[TZ:]/ /g' \
    | awk '{ t = ($6 - $2) * 3600 + ($7 - $3) * 60 + $8 - $4; if (t < -43200) t += 86400; printf "%.3f", t }'
}

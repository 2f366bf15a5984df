# shellcheck shell=bash
# What a project needs before any code: APIs, accounts, a database that fits, the topic.

APIS='artifactregistry cloudbuild cloudfunctions cloudscheduler eventarc firebaserules firestore iam logging pubsub run'

# First of all: without them there is nothing to look at.
enable_apis() {
  local api missing=()
  step 'APIs' roles/serviceusage.serviceUsageAdmin
  ask gcloud services list --enabled "--project=$PROJECT" '--format=value(config.name)' || true
  for api in $APIS; do
    one_of "$api.googleapis.com" "$ANSWER" || missing+=("$api.googleapis.com")
  done
  [ ${#missing[@]} -eq 0 ] || change gcloud services enable "${missing[@]}" "--project=$PROJECT"
}

# The database is the user's: where it lies and what kind it is cannot be changed later, so nothing is guessed here.
check_database() {
  local place kind edition
  step 'The database' roles/datastore.viewer
  if ! ask gcloud firestore databases describe "--database=$FIRESTORE_DATABASE" "--project=$PROJECT" \
    "$CSV"'(locationId,type,databaseEdition)'; then
    [ "$DRY_RUN" = no ] || return 0
    refuse "FIRESTORE_DATABASE: expected a database, found none; choose its location for good with
  gcloud firestore databases create --database='$FIRESTORE_DATABASE' --location=$REGION --project=$PROJECT"
  fi
  IFS='|' read -r place kind edition <<< "$ANSWER"
  [ "$kind" = FIRESTORE_NATIVE ] || refuse "FIRESTORE_DATABASE: expected one in native mode, found $kind"
  [ "$edition" != ENTERPRISE ] \
    || refuse "FIRESTORE_DATABASE: expected the Standard edition, found $edition (deploy/README.md, Editions)"
  [ "$place" = "$TRIGGER_LOCATION" ] \
    || refuse "TRIGGER_LOCATION: expected $place, where the database is, found $TRIGGER_LOCATION"
}

# account WHO: its address. A project of a domain, example.com:p, stands in it the other way round.
account() {
  local project=$PROJECT
  [[ $project != *:* ]] || project=${project#*:}.${project%%:*}
  printf '%s-%s@%s.iam.gserviceaccount.com' "$NAME" "$1" "$project"
}

# Three, so that none may do more than its one task needs.
make_accounts() {
  local known policy
  step 'Service accounts: one delivers events, and each function has its own' roles/iam.serviceAccountAdmin
  ask gcloud iam service-accounts list "--project=$PROJECT" '--format=value(email)' || true
  known=$ANSWER
  make_account delivery 'Delivers events to the functions'
  make_account on-shard-written 'Runs OnShardWritten'
  make_account roll-up 'Runs RollUp'

  step 'What the accounts may do in the project' roles/resourcemanager.projectIamAdmin
  ask gcloud projects get-iam-policy "$PROJECT" '--flatten=bindings[].members' \
    '--format=value[separator="|"](bindings.members,bindings.role,bindings.condition.expression)' || true
  policy=$ANSWER
  bind_in_project delivery roles/eventarc.eventReceiver ''
  bind_in_project on-shard-written roles/datastore.user "$(on_this_database)"
  bind_in_project roll-up roles/datastore.user "$(on_this_database)"
}

# make_account WHO WORDS: the description is what destroy knows them by.
make_account() {
  one_of "$(account "$1")" "$known" || change gcloud iam service-accounts create "$NAME-$1" "--project=$PROJECT" \
    "--display-name=$NAME-$1" "--description=Tallyroll: $2"
}

# An account's reach ends at its database.
on_this_database() {
  printf 'resource.name=="projects/%s/databases/%s"' "$PROJECT" "$FIRESTORE_DATABASE"
}

# bind_in_project WHO ROLE CONDITION: the policy that is there was read once.
bind_in_project() {
  local member condition=None
  member=serviceAccount:$(account "$1")
  [ -z "$3" ] || condition="expression=$3,title=$NAME"
  ! grep -Fxq "$member|$2|$3" <<< "$policy" || return 0
  change gcloud projects add-iam-policy-binding "$PROJECT" "--member=$member" "--role=$2" "--condition=$condition" \
    '--format=none'
}

# The look before has refused a topic that is not ours.
make_topic() {
  step 'The topic of the run, wake and sweep messages; both functions publish to it' roles/pubsub.admin
  [ "$TOPIC_IS_THERE" = yes ] \
    || change gcloud pubsub topics create "$ROLLUP_TOPIC" "--project=$PROJECT" "--labels=tallyroll=$NAME"
  ask gcloud pubsub topics get-iam-policy "$ROLLUP_TOPIC" "--project=$PROJECT" '--flatten=bindings[].members' \
    '--format=value[separator="|"](bindings.members,bindings.role)' || true
  local policy=$ANSWER who
  for who in on-shard-written roll-up; do
    grep -Fxq "serviceAccount:$(account $who)|roles/pubsub.publisher" <<< "$policy" \
      || change gcloud pubsub topics add-iam-policy-binding "$ROLLUP_TOPIC" "--project=$PROJECT" \
        "--member=serviceAccount:$(account $who)" --role=roles/pubsub.publisher '--format=none'
  done
}

# shellcheck shell=bash
# The two functions, the messages that drive them, and who may call them.

FUNCTION_FORMAT="$CSV"'(state,labels.tallyroll-hash,eventTrigger.retryPolicy,eventTrigger.triggerRegion,'
FUNCTION_FORMAT=$FUNCTION_FORMAT'eventTrigger.eventFilters.map().format("{0}={1}",attribute,value).list(separator=" "),'
FUNCTION_FORMAT=$FUNCTION_FORMAT'serviceConfig.ingressSettings,eventTrigger.trigger)'
# The most that Pub/Sub allows, and more than a run's 540 s: a shorter one delivers a run again while it still runs.
ACK_DEADLINE_SECONDS=600

# Reads one function into F_STATE and so on. False when there is none.
read_function() {
  F_STATE='' F_HASH='' F_RETRY='' F_REGION='' F_FILTERS='' F_INGRESS='' F_TRIGGER=''
  ask gcloud functions describe "$NAME-$1" "--region=$REGION" "--project=$PROJECT" "$FUNCTION_FORMAT" || return 1
  IFS='|' read -r F_STATE F_HASH F_RETRY F_REGION F_FILTERS F_INGRESS F_TRIGGER <<< "$ANSWER"
}

# A trigger cannot change its pattern. Made anew, it would lose what is written in between, so that is left to people.
check_trigger() {
  step 'Is there a trigger already, and is it this one?' roles/cloudfunctions.viewer
  read_function on-shard-written || return 0
  [ -n "$F_TRIGGER" ] || return 0
  if ! one_of "document=$PATTERN" "$F_FILTERS" || ! one_of "database=$FIRESTORE_DATABASE" "$F_FILTERS" \
    || [ "$F_REGION" != "$TRIGGER_LOCATION" ]; then
    refuse "the trigger of $NAME-on-shard-written differs, and is not recreated, since that loses events:
  expected document=$PATTERN database=$FIRESTORE_DATABASE in $TRIGGER_LOCATION
  found    $F_FILTERS in $F_REGION
  Deploy the new pattern beside it (--name another), then destroy this one (deploy/README.md, Another pattern)."
  fi
}

environment() {
  local key line=LOG_EXECUTION_ID=true
  for key in $SETTINGS; do
    line=$line,$key=${!key}
  done
  printf '%s' "$line"
}

deploy_functions() {
  step 'The functions: one artifact, two entry points' 'roles/cloudfunctions.developer and roles/iam.serviceAccountUser'
  stage_function
  # Retries: an event that is lost shows only at the next sweep.
  deploy_function on-shard-written --entry-point=dev.tallyroll.functions.OnShardWritten \
    "--trigger-location=$TRIGGER_LOCATION" \
    --trigger-event-filters=type=google.cloud.firestore.document.v1.written \
    "--trigger-event-filters=database=$FIRESTORE_DATABASE" \
    "--trigger-event-filters-path-pattern=document=$PATTERN" \
    --retry --concurrency=80 --cpu=1 --memory=512Mi --timeout=60s "--max-instances=$MAX_INSTANCES"
  # No retries: the next schedule is the retry. Runs overlap when one takes over; a sweep and a wake-up come on top.
  # Many messages at a time: a wake-up that comes to the instance whose run is alive only tells that run to look.
  deploy_function roll-up --entry-point=dev.tallyroll.functions.RollUp "--trigger-topic=$ROLLUP_TOPIC" \
    --no-retry --concurrency=80 --cpu=1 --memory=512Mi --timeout=540s "--max-instances=$((2 * WORKERS + 2))"
  let_deliver on-shard-written
  let_deliver roll-up
}

deploy_function() {
  local who=$1 hash flags
  shift
  flags=("--runtime=$RUNTIME" "$@" "--trigger-service-account=$(account delivery)" "--service-account=$(account "$who")"
    --no-allow-unauthenticated --ingress-settings=internal-only --min-instances=0 "--set-env-vars=$(environment)")
  [ -z "$BUILD_SERVICE_ACCOUNT" ] || flags+=("--build-service-account=$BUILD_SERVICE_ACCOUNT")
  hash=$(hash_of "${flags[@]}")
  if read_function "$who" && [ "$F_STATE/$F_HASH" = "ACTIVE/$hash" ]; then
    say "$NAME-$who is as it should be"
    return
  fi
  change gcloud functions deploy "$NAME-$who" "--project=$PROJECT" "--region=$REGION" --gen2 \
    "--source=$STAGE/function" "${flags[@]}" "--update-labels=tallyroll=$NAME,tallyroll-hash=$hash" '--format=none'
}

let_deliver() {
  NEEDS=roles/run.admin
  invokers "$1"
  one_of "serviceAccount:$(account delivery)" "$ANSWER" \
    || change gcloud run services add-iam-policy-binding "$NAME-$1" "--region=$REGION" "--project=$PROJECT" \
      "--member=serviceAccount:$(account delivery)" --role=roles/run.invoker '--format=none'
}

invokers() {
  ask gcloud run services get-iam-policy "$NAME-$1" "--region=$REGION" "--project=$PROJECT" \
    '--flatten=bindings[].members' '--filter=bindings.role=roles/run.invoker' '--format=value(bindings.members)' || true
}

# The subscription that Eventarc made for RollUp is known only once the function is there.
read_subscription() {
  read_function roll-up || true
  ask gcloud eventarc triggers describe "${F_TRIGGER:-TRIGGER_OF_ROLL_UP}" "--location=$REGION" "--project=$PROJECT" \
    '--format=value(transport.pubsub.subscription)' || true
  SUBSCRIPTION=${ANSWER:-SUBSCRIPTION_OF_THAT_TRIGGER}
  ask gcloud pubsub subscriptions describe "$SUBSCRIPTION" "--project=$PROJECT" \
    '--format=value(ackDeadlineSeconds)' || true
}

raise_ack_deadline() {
  step 'A run may take as long as it is allowed to before its message is sent again' \
    'roles/pubsub.admin and roles/eventarc.viewer'
  [ "$DRY_RUN" = no ] || say 'names in capitals are read from the answers before'
  read_subscription
  [ "$ANSWER" = "$ACK_DEADLINE_SECONDS" ] || change gcloud pubsub subscriptions update "$SUBSCRIPTION" \
    "--project=$PROJECT" "--ack-deadline=$ACK_DEADLINE_SECONDS"
}

make_jobs() {
  step 'The schedule' roles/cloudscheduler.admin
  make_job run '* * * * *'
  make_job sweep '17 * * * *'
}

make_job() {
  local verb=create
  if ask gcloud scheduler jobs describe "$NAME-$1" "--location=$REGION" "--project=$PROJECT" \
    "$CSV"'(schedule,pubsubTarget.topicName.basename(),pubsubTarget.attributes.kind)'; then
    [ "$ANSWER" != "$2|$ROLLUP_TOPIC|$1" ] || return 0
    verb=update
  fi
  local attributes=--attributes
  [ $verb = create ] || attributes=--update-attributes
  change gcloud scheduler jobs $verb pubsub "$NAME-$1" "--location=$REGION" "--project=$PROJECT" "--schedule=$2" \
    --time-zone=Etc/UTC "--topic=$ROLLUP_TOPIC" "--message-body=$1" "$attributes=kind=$1" \
    "--description=Tallyroll: asks RollUp for a $1"
}

sweep_once() {
  step 'A sweep: it finds whatever was written while nobody watched' roles/pubsub.publisher
  change gcloud pubsub topics publish "$ROLLUP_TOPIC" "--project=$PROJECT" --message=sweep --attribute=kind=sweep
}

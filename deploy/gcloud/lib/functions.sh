# shellcheck shell=bash
# The two functions, the messages that drive them, and who may call them.

FUNCTION_FORMAT="$CSV"'(state,labels.tallyroll-hash,eventTrigger.retryPolicy,eventTrigger.triggerRegion,'
FUNCTION_FORMAT=$FUNCTION_FORMAT'eventTrigger.eventFilters.map().format("{0}={1}",attribute,value).list(separator=" "),'
FUNCTION_FORMAT=$FUNCTION_FORMAT'serviceConfig.ingressSettings,serviceConfig.environmentVariables.JAVA_TOOL_OPTIONS,eventTrigger.trigger)'
# Of what a container has, a JVM takes a quarter unless it is told. The local stack runs with the same options.
JVM_OPTIONS=$(< "$ROOT/deploy/gcloud/jvm-options")

# Reads one function into F_STATE and so on. False when there is none.
read_function() {
  F_STATE='' F_HASH='' F_RETRY='' F_REGION='' F_FILTERS='' F_INGRESS='' F_JVM='' F_TRIGGER=''
  ask gcloud functions describe "$NAME-$1" "--region=$REGION" "--project=$PROJECT" "$FUNCTION_FORMAT" || return 1
  IFS='|' read -r F_STATE F_HASH F_RETRY F_REGION F_FILTERS F_INGRESS F_JVM F_TRIGGER <<< "$ANSWER"
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
  Deploy the new pattern beside it (--name another), and then destroy this one; where the two overlap, destroy this one
  first (deploy/README.md, Another pattern)."
  fi
}

# What both functions are told. Where a comma may stand in a value, this must change.
environment() {
  local key line="LOG_EXECUTION_ID=true,JAVA_TOOL_OPTIONS=$JVM_OPTIONS"
  for key in $SETTINGS; do
    line=$line,$key=${!key}
  done
  printf '%s' "$line"
}

# Both from one folder, with one environment.
deploy_functions() {
  step 'The functions: one artifact, two entry points' 'roles/cloudfunctions.developer and roles/iam.serviceAccountUser'
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

# deploy_function WHO FLAG...: unless its hash says that nothing changed; a build takes minutes.
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

# let_deliver WHO: nobody else may call the function.
let_deliver() {
  NEEDS=roles/run.admin
  invokers "$1"
  one_of "serviceAccount:$(account delivery)" "$ANSWER" \
    || change gcloud run services add-iam-policy-binding "$NAME-$1" "--region=$REGION" "--project=$PROJECT" \
      "--member=serviceAccount:$(account delivery)" --role=roles/run.invoker '--format=none'
}

# invokers WHO: who may call the function, a line each.
invokers() {
  ask gcloud run services get-iam-policy "$NAME-$1" "--region=$REGION" "--project=$PROJECT" \
    '--flatten=bindings[].members' '--filter=bindings.role=roles/run.invoker' '--format=value(bindings.members)' || true
}

# ack_deadline WHO: in seconds, how long its subscription waits before it sends an event again. Expired deadlines also
# make Pub/Sub slow a subscription down, and Eventarc gives it 10 s.
ack_deadline() {
  case $1 in
    # An event may wait for an instance to start, and then take the function's 60 s.
    on-shard-written) printf 120 ;;
    # The most that Pub/Sub allows, and more than a run's 540 s.
    roll-up) printf 600 ;;
  esac
}

# read_subscription WHO: its name into SUBSCRIPTION, its deadline into ANSWER. Eventarc made it with the function; false
# when it cannot be found.
read_subscription() {
  local place=$REGION
  [ "$1" = roll-up ] || place=$TRIGGER_LOCATION
  read_function "$1" || true
  ask gcloud eventarc triggers describe "${F_TRIGGER:-TRIGGER_OF_$1}" "--location=$place" "--project=$PROJECT" \
    '--format=value(transport.pubsub.subscription)' || true
  [ -n "$ANSWER" ] || [ "$DRY_RUN" = yes ] || return 1
  SUBSCRIPTION=${ANSWER:-SUBSCRIPTION_OF_$1}
  ask gcloud pubsub subscriptions describe "$SUBSCRIPTION" "--project=$PROJECT" \
    '--format=value(ackDeadlineSeconds)' || true
}

# An event or a run may take as long as it is allowed to before it is sent again.
raise_ack_deadlines() {
  local who
  step 'How long the subscriptions wait before they send again' 'roles/pubsub.admin and roles/eventarc.viewer'
  [ "$DRY_RUN" = no ] || say 'TRIGGER_OF... and SUBSCRIPTION_OF... are read from the answers before'
  for who in on-shard-written roll-up; do
    # Where there is none, the checks at the end say so.
    read_subscription $who || continue
    [ "${ANSWER:-0}" -ge "$(ack_deadline $who)" ] || change gcloud pubsub subscriptions update "$SUBSCRIPTION" \
      "--project=$PROJECT" "--ack-deadline=$(ack_deadline $who)"
  done
}

# The finest period of a schedule is a minute; a run holds its own ticks.
make_jobs() {
  step 'The schedule' roles/cloudscheduler.admin
  make_job run '* * * * *'
  make_job sweep '17 * * * *'
}

# make_job KIND SCHEDULE: the topic and the kind are compared, too.
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

# Triggers that were away have lost events for good.
sweep_once() {
  step 'A sweep: it finds whatever was written while nobody watched' roles/pubsub.publisher
  change gcloud pubsub topics publish "$ROLLUP_TOPIC" "--project=$PROJECT" --message=sweep --attribute=kind=sweep
}

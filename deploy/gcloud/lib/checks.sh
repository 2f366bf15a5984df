# shellcheck shell=bash
# What the platform says after the work. Each answer that is not as it should be is told in words.

# Each check tells what it finds, and none ends the script.
check_all() {
  step 'Is it so? Read back from the platform' 'roles/viewer'
  check_function on-shard-written RETRY_POLICY_RETRY 'lost events would show only at the next sweep; deploy with --retry'
  check_function roll-up RETRY_POLICY_DO_NOT_RETRY 'failed runs would pile up; the schedule is the retry'
  check_ack_deadline on-shard-written
  check_ack_deadline roll-up
  check_job run
  check_job sweep
  check_rules_release
}

# check_function WHO RETRY WHY: state, retries, and who can reach it.
check_function() {
  if read_function "$1"; then
    [ "$F_STATE" = ACTIVE ] || problem "$NAME-$1: expected state ACTIVE, found $F_STATE; run deploy again"
    [ "$F_RETRY" = "$2" ] || problem "$NAME-$1: expected $2, found ${F_RETRY:-no trigger}: $3"
    [ "$F_INGRESS" = ALLOW_INTERNAL_ONLY ] \
      || problem "$NAME-$1: expected ingress ALLOW_INTERNAL_ONLY, found $F_INGRESS: anyone on the internet can reach it"
    [ "$F_JVM" = "$JVM_OPTIONS" ] \
      || problem "$NAME-$1: expected JAVA_TOOL_OPTIONS=$JVM_OPTIONS, found '$F_JVM': it may run out of memory; run deploy again"
  else
    missing "function $NAME-$1"
  fi
  invokers "$1"
  ! grep -Eq '^(allUsers|allAuthenticatedUsers)$' <<< "$ANSWER" \
    || problem "$NAME-$1: expected no public invoker, found $(tr '\n' ' ' <<< "$ANSWER"): anyone can call it"
  wanted "serviceAccount:$(account delivery)" "$ANSWER" \
    || problem "$NAME-$1: expected $(account delivery) as invoker, found '${ANSWER:-nobody}': no event arrives"
}

# A dry run has no answers to judge.
missing() {
  [ "$DRY_RUN" = yes ] || problem "expected $1, found none; run deploy again"
}

# wanted WORD WORDS: as one_of, where there is an answer.
wanted() {
  [ "$DRY_RUN" = yes ] || one_of "$1" "$2"
}

# check_ack_deadline WHO: longer is fine.
check_ack_deadline() {
  read_subscription "$1" || { missing "a subscription of $NAME-$1" && return; }
  [ "$DRY_RUN" = yes ] || [ "${ANSWER:-0}" -ge "$(ack_deadline "$1")" ] || problem "$SUBSCRIPTION: expected an ack \
deadline of $(ack_deadline "$1") s, found '$ANSWER': what is still at work is sent again; run deploy again"
}

# check_job KIND: a paused one stops totals.
check_job() {
  if ask gcloud scheduler jobs describe "$NAME-$1" "--location=$REGION" "--project=$PROJECT" '--format=value(state)'; then
    wanted ENABLED "$ANSWER" || problem "$NAME-$1: expected an ENABLED job, found $ANSWER: totals of busy counters \
stand still; gcloud scheduler jobs resume $NAME-$1 --location=$REGION --project=$PROJECT"
  else
    missing "job $NAME-$1"
  fi
}

# Only where this run was asked for rules.
check_rules_release() {
  [ "$RULES" != none ] || return 0
  local release_has
  ask google_api --header "x-goog-user-project: $PROJECT" "$RULES_API/$PROJECT/releases/$RULES_RELEASE" || true
  release_has=$(json_text rulesetName)
  rules_are "${release_has:-RULESET_OF_THAT_RELEASE}" || [ "$DRY_RUN" = yes ] \
    || problem "security rules: expected those of $STAGE/firestore.rules, found others"
}

# The last line, and the exit code.
verdict() {
  [ "$DRY_RUN" = no ] || { printf '\n# Nothing was run.\n' && return 0; }
  [ "$PROBLEMS" -eq 0 ] || { printf '\n# Not as it should be: %s, see WRONG above.\n' "$PROBLEMS" && return 1; }
  printf '\n# All is as it should be.\n'
}

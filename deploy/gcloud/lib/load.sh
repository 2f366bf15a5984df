# shellcheck shell=bash source-path=SCRIPTDIR
# What every script starts with.

# The same sorting and the same letters everywhere; questions are asked by these scripts, not by gcloud.
export LC_ALL=C CLOUDSDK_CORE_DISABLE_PROMPTS=1
# shellcheck source=settings.sh
. "$ROOT/deploy/gcloud/lib/settings.sh"
# shellcheck source=run.sh
. "$ROOT/deploy/gcloud/lib/run.sh"
# shellcheck source=stage.sh
. "$ROOT/deploy/gcloud/lib/stage.sh"
# shellcheck source=project.sh
. "$ROOT/deploy/gcloud/lib/project.sh"
# shellcheck source=firestore.sh
. "$ROOT/deploy/gcloud/lib/firestore.sh"
# shellcheck source=functions.sh
. "$ROOT/deploy/gcloud/lib/functions.sh"
# shellcheck source=look.sh
. "$ROOT/deploy/gcloud/lib/look.sh"
# shellcheck source=checks.sh
. "$ROOT/deploy/gcloud/lib/checks.sh"
# shellcheck source=documents.sh
. "$ROOT/deploy/gcloud/lib/documents.sh"

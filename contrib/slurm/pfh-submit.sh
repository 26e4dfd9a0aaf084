#!/bin/bash
# Hashes what a plan still lacks, and then merges: also after failures, when only the missing shards are submitted.
#
#     pfh shard /data -o PLAN --shards 64
#     pfh-submit.sh PLAN LIST [TASKS_AT_ONCE]
set -eu
here=$(dirname "$(readlink -f "$0")")
plan=$1
list=$2
at_once=${3:-16}
status=0
missing=$(pfh shard --quiet --status "$plan") || status=$?
# The status is 3 where shards are missing, which is what this is for. Where none is named, results are damaged, and no
# task makes these again.
if [ "$status" -ne 0 ] && { [ "$status" -ne 3 ] || [ -z "$missing" ]; }; then exit "$status"; fi
missing=${missing//$'\n'/,}
after=()
if [ -n "$missing" ]; then
    job=$(sbatch --parsable --array="$missing%$at_once" "$here/pfh-array.sh" "$plan")
    # Any end will do: merging tells what is missing, and a task also fails if a single file could not be read.
    after=(--dependency="afterany:${job%%;*}")
fi
sbatch --parsable "${after[@]}" "$here/pfh-merge.sh" "$plan" "$list"

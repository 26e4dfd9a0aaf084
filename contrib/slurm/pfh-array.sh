#!/bin/bash
#SBATCH --job-name=pfh-hash
#SBATCH --cpus-per-task=4
#SBATCH --mem=1G
#SBATCH --requeue
# One task of a job array: hashes the shard of its number.
#
#     sbatch --array=0-63%16 pfh-array.sh PLAN
#
# Arrays are limited (MaxArraySize, often 1,001 tasks). For plans with more shards, give the number of tasks, too; each
# then hashes every shard whose number is its own modulo that:
#
#     sbatch --array=0-999%64 pfh-array.sh PLAN 1000
#
# Exit status 3: some files could not be read. They have records, and the merging reports them again.
set -eu
plan=$1
tasks=${2:-}
exec pfh hash --quiet --plan "$plan" --shard "$SLURM_ARRAY_TASK_ID${tasks:+/$tasks}" --threads "${SLURM_CPUS_PER_TASK:-1}"

#!/bin/bash
#SBATCH --job-name=pfh-merge
#SBATCH --mem=256M
# Joins the results of a plan into a list; it fails, and names the shards, if some have no result.
set -eu
plan=$1
list=$2
shift 2
exec pfh merge --quiet "$plan" -o "$list" "$@"

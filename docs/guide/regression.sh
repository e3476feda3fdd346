#!/bin/sh
# A pipeline step that fails on a regression of storage performance. It is run by the project's own tests.
#
#   regression.sh JOB BASELINE RESULTS [OPTION...]
#
# JOB       a fio job file
# BASELINE  a folder that the pipeline keeps between runs (a cache or an artifact); made by the first run that passes
# RESULTS   a folder for what this run leaves: run files, JUnit XML, Markdown; not one that holds an earlier run
# OPTION    more for `leadline fio`, such as --directory=/mnt/volume
#
# Limits come from the environment: ASSERT (absolute, such as 'p99<2ms'), FAIL_ON (a change), REPEATS. With
# BASELINE=required, a baseline that is not there is an error and not made.
#
# Exit status: 0 passed, 99 a limit is broken or a condition holds, anything else: it could not be measured.
set -eu

job=$1 baseline=$2 results=$3
shift 3
assert=${ASSERT:-'p99<20ms'}
fail_on=${FAIL_ON:-'iops<-3%,p99>+10%'}
repeats=${REPEATS:-5}

# With the runs of an earlier one among them, the new ones would be compared as one mixture.
if ls "$results"/runs/*.leadline > /dev/null 2>&1; then
    echo "error: $results/runs holds an earlier run: remove it, or name another folder" >&2
    exit 2
fi
if [ "${BASELINE:-}" = required ] && ! ls "$baseline"/*.leadline > /dev/null 2>&1; then
    echo "error: no baseline in $baseline, which BASELINE=required asks for" >&2
    exit 2
fi
mkdir -p "$results/runs"
k=1
while [ "$k" -le "$repeats" ]; do
    leadline fio "$job" "$@" \
        --output="$results/runs/$k.txt" --leadline-run="$results/runs/$k.leadline" \
        --assert "$assert" --junit "$results/limits-$k.xml"
    k=$((k + 1))
done

if ls "$baseline"/*.leadline > /dev/null 2>&1; then
    leadline compare "$baseline" "$results/runs" --fail-on "$fail_on" \
        --junit "$results/compare.xml" --markdown "$results/compare.md"
else
    mkdir -p "$baseline"
    cp "$results"/runs/*.leadline "$baseline"
    echo "no baseline yet: this run is kept as $baseline"
fi

#!/bin/sh
# Runs a test and writes the CPU seconds that it and its children took into
# FOLDER/NAME.   sh timed.sh FOLDER TEST [ARGUMENT...]
folder=$1; shift
name=$(printf '%s' "${1#"${top_srcdir:-.}"/}" | tr / :)
"$@"
code=$?
times >"$folder/$name"
exit $code

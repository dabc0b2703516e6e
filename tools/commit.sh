#!/bin/sh
# Writes the commit that a program is built from: of git, or of the file .commit
# that a release has.  `1` behind it: sources differ from the commit.
# usage: tools/commit.sh FOLDER-OF-SOURCES
cd "${1:?}" || exit 1
commit= dirty=0
if [ -e .git ] && commit=$(git rev-parse HEAD 2>/dev/null); then
	git diff-index --quiet HEAD -- 2>/dev/null || dirty=1
elif [ -e .commit ]; then
	read -r commit dirty <.commit
fi
echo "#define SC_COMMIT \"$commit\""
echo "#define SC_COMMIT_DIRTY ${dirty:-0}"

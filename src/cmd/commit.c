/* commit.c -- Has the commit that this program was built from. */
#include "cmd/commit.h"
#include <commit.inc>

const char commit_hex[] = SC_COMMIT;
const int commit_is_dirty = SC_COMMIT_DIRTY;

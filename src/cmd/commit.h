/* cmd/commit.h -- the commit that this program was built from; the only file
 * that is compiled again for each commit. */
#pragma once

extern const char commit_hex[];   /* 40 digits; "": not known */
extern const int commit_is_dirty; /* 1: the sources differed from it */

/* base/tempfile.h -- a file without a name, to be written and read again by
 * this program alone: gone with the last process that has it open, whatever
 * ends that.  Close-on-exec. */
#ifndef SC_BASE_TEMPFILE_H
#define SC_BASE_TEMPFILE_H
#include <stdio.h>

/* In $TMPDIR, or else where temporary files usually are.  NULL: errno. */
FILE *tempfile_open(void);
/* A file of that folder without a name, open for reading and writing, with the
 * mode that open() gives.  -1: errno; EOPNOTSUPP: its file system has no
 * files without names. */
int tempfile_in(const char *folder);
#endif

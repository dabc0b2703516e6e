/* base/file/tempfile.h -- a file without a name, which only this program writes
 * and reads.  It disappears with the last process that has it open, however
 * that process ends.  Close-on-exec. */
#pragma once
#include <stdio.h>

/* Opens it in $TMPDIR, or else in the usual folder for temporary files.
 * Returns NULL with errno set if that fails. */
FILE *tempfile_open(void);
/* Opens a nameless file in `folder` for reading and writing, with the mode that
 * open() gives.  Returns -1 with errno set; EOPNOTSUPP: the file system does
 * not support it. */
int tempfile_in(const char *folder);

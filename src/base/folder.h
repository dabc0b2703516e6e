/* base/folder.h -- lists the entries of a folder.  Knows nothing of the rest of
 * the program. */
#pragma once
#include <dirent.h>

/* As scandir(): the entries that are wanted (NULL: all) in the order of
 * alphasort().  The caller frees each, and the array, which is NULL after an
 * error.  Returns how many, or -1 with errno set; a failure of the machine is
 * noted (base/problem.h), because a folder that cannot be read is not empty. */
int folder_list(const char *folder, int (*wanted)(const struct dirent *),
		struct dirent ***entry);

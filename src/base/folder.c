/* folder.c -- Lists folders. */
#include "base/folder.h"
#include <errno.h>
#include <stddef.h>
#include "base/problem.h"

int folder_list(const char *folder, int (*wanted)(const struct dirent *),
		struct dirent ***entry)
{
	*entry = NULL;
	int n = scandir(folder, entry, wanted, alphasort);
	if (n < 0)
		problem_note_machine(errno);
	return n;
}

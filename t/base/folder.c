#include "base/folder.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "base/problem.h"
#include "scratch.h"

static int no_dot(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void list(void)
{
	struct dirent **entry;
	int n = folder_list(scratch, no_dot, &entry);
	ok(n == 2, "two files are wanted");
	is(n > 0 ? entry[0]->d_name : "", "a", "the first one");
	is(n > 1 ? entry[1]->d_name : "", "b", "in their order");
	for (int i = 0; i < n; i++)
		free(entry[i]);
	free(entry);
	ok(folder_list("/nowhere", NULL, &entry) == -1 && !entry,
	   "a folder that is not there");
	ok(!problem_machine_failed(), "is no failure of the machine");
}

static void refuse(void)
{
	struct rlimit before, none;
	struct dirent **entry;
	getrlimit(RLIMIT_NOFILE, &before);
	none = (struct rlimit){3, before.rlim_max};
	int set = setrlimit(RLIMIT_NOFILE, &none);
	int n = folder_list(scratch, NULL, &entry);
	setrlimit(RLIMIT_NOFILE, &before);
	ok(set == 0 && n == -1 && !entry,
	   "without a descriptor nothing is listed");
	ok(problem_machine_failed() == EMFILE, "and that is noted");
}

int main(void)
{
	scratch_open();
	scratch_file("b", "");
	scratch_file("a", "");
	scratch_file(".hidden", "");
	list();
	refuse();
	return done();
}

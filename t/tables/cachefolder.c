/* cachefolder: it is where the user wants it, and is made. */
#include "tables/cachefolder.h"
#include "scratch.h"

static int is_there(char *path, const char *want)
{
	struct stat st;
	int yes = path && !strcmp(path, want) && stat(path, &st) == 0 &&
		  S_ISDIR(st.st_mode);
	free(path);
	return yes;
}

int main(void)
{
	scratch_open();
	setenv("XDG_CACHE_HOME", scratch_path("a/b"), 1);
	ok(is_there(cachefolder_open("x"), scratch_path("a/b/stepcost/x")),
	   "a folder that was not there, with those around it");
	ok(is_there(cachefolder_open("x"), scratch_path("a/b/stepcost/x")),
	   "one that is there");
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", scratch_path("home"), 1);
	ok(is_there(cachefolder_open("x"),
		    scratch_path("home/.cache/stepcost/x")),
	   "a relative path counts as none: below the home folder");
	setenv("HOME", "", 1);
	ok(!cachefolder_open("x"), "no home, no folder");
	scratch_file("file", "");
	setenv("XDG_CACHE_HOME", scratch_path("file/b"), 1);
	ok(!cachefolder_open("x"), "none below a file");
	return done();
}

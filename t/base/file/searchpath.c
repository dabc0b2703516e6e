#include "base/file/searchpath.h"
#include <stdlib.h>
#include "tap.h"

static void splits(const char *path, const char *last, const char *sub,
		   const char *want)
{
	struct searchpath s;
	char buf[200];
	if (searchpath_make(&s, path, last, sub) < 0)
		bail_out("out of memory");
	is(names_join(&s.folder, buf, sizeof buf), want, "%s + %s, %s: %s",
	   path ? path : "(none)", last ? last : "(none)", sub, want);
	searchpath_free(&s);
	ok(s.folder.n == 0, "freed");
}

static void users_own(const char *data, const char *home, const char *want)
{
	struct searchpath s;
	char buf[200];
	if (data)
		setenv("XDG_DATA_HOME", data, 1);
	else
		unsetenv("XDG_DATA_HOME");
	if (home)
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
	if (searchpath_make_user(&s, "/a", "plugins", "/last", "") < 0)
		bail_out("out of memory");
	is(names_join(&s.folder, buf, sizeof buf), want,
	   "XDG_DATA_HOME %s, HOME %s", data ? data : "unset",
	   home ? home : "unset");
	searchpath_free(&s);
}

int main(void)
{
	struct searchpath s;
	splits(NULL, NULL, "", "");
	splits("", NULL, "etc", "");
	splits(":::", NULL, "", "");
	splits("/a", NULL, "", "/a");
	splits("/a:b", NULL, "", "/a, b");
	splits("/a:/b", "/last", "", "/a, /b, /last");
	splits(":/a::/b:", "/last", "etc/gpus",
	       "/a/etc/gpus, /b/etc/gpus, /last/etc/gpus");
	splits("/a:/b:/a", "/b", "", "/a, /b");
	splits(NULL, "/last", "etc", "/last/etc");
	splits("/a", "", "", "/a");
	searchpath_make(&s, "/a", NULL, "etc");
	ok(searchpath_add(&s, "/a/etc") == 0 && s.folder.n == 1 &&
	       searchpath_add(&s, "/a") == 0 && s.folder.n == 2,
	   "one more, unless it is there");
	is(s.folder.item[1], "/a", "as it is written");
	searchpath_free(&s);
	users_own("/d", "/h", "/a, /d/stepcost/plugins, /last");
	users_own(NULL, "/h", "/a, /h/.local/share/stepcost/plugins, /last");
	users_own("", "/h", "/a, /h/.local/share/stepcost/plugins, /last");
	users_own("d", "/h", "/a, /h/.local/share/stepcost/plugins, /last");
	users_own("d", "h", "/a, /last");
	users_own(NULL, NULL, "/a, /last");
	return done();
}

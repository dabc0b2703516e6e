#include "base/searchpath.h"
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
	return done();
}

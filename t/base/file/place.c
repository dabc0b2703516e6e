/* Paths as texts. */
#include "base/file/place.h"
#include <unistd.h>
#include "tap.h"

static void place(const char *path, const char *want)
{
	char *got = place_of(path);
	is(got, want, "%s", path);
	free(got);
}

static void way(const char *from, const char *to, const char *want)
{
	char *got = place_from(from, to), all[200];
	is(got, want, "from %s to %s", from, to);
	snprintf(all, sizeof all, "%s/%s", from, got);
	char *back = place_of(all);
	is(back, to, "and there it is");
	free(got), free(back);
}

int main(void)
{
	if (chdir("/usr") < 0)
		bail_out("no /usr");
	place("/a/b", "/a/b");
	place("/a//b/./c/", "/a/b/c");
	place("/a/../../b", "/b");
	place("/", "/");
	place("/..", "/");
	place("x/../../y", "/y");
	place(".", "/usr");
	place("a.b/..c", "/usr/a.b/..c");
	way("/a/b", "/a/b/c", "c");
	way("/a/b", "/a/c/d", "../c/d");
	way("/a/b/c", "/a/d", "../../d");
	way("/a/bc", "/a/b", "../b");
	way("/a/b", "/a/bc", "../bc");
	way("/", "/a/b", "a/b");
	way("/a", "/b", "../b");
	is(place_below("/a", "/a/b/c"), "b/c", "below");
	ok(!place_below("/a", "/ab"), "not below");
	ok(!place_below("/a", "/a"), "nor itself");
	is(place_below("/", "/x"), "x", "below the root");
	return done();
}

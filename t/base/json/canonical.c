/* The canonical form: one text for equal values, numbers as written. */
#include "base/json/canonical.h"
#include "tap.h"

static char *text(const char *json, const struct canonical *c)
{
	struct json_cursor j;
	char *out = NULL;
	size_t n;
	FILE *f = open_memstream(&out, &n);
	jc_begin(&j, json, strlen(json));
	int rc = canonical_write(f, &j, c);
	fclose(f);
	if (rc == 0)
		return out;
	free(out);
	return strdup("(refused)");
}

static void becomes(const char *json, const char *want,
		    const struct canonical *c)
{
	char *got = text(json, c);
	is(got, want, "%s", json);
	free(got);
}

static char *shout(void *user, struct span s)
{
	(void)user;
	return span_is(s, "file") ? strdup("sha256:00") : NULL;
}

int main(void)
{
	static const char *const skip[] = {"elapsed", "identity", NULL};
	const struct canonical plain = {0}, rules = {skip, shout, NULL};
	char one[65], two[65];
	becomes("{ \"b\" : 1.50e+3 , \"a\" : [ true , null,false ] }\n",
		"{\"a\":[true,null,false],\"b\":1.50e+3}", &plain);
	becomes("{\"ab\":1,\"a\":2,\"B\":3,\"\\u00e4\":4,\"\303\244\":5}",
		"{\"B\":3,\"\\u00e4\":4,\"a\":2,\"ab\":1,\"\303\244\":5}",
		&plain);
	becomes("[]", "[]", &plain);
	becomes("{}", "{}", &plain);
	becomes("\"a\\\"b \"", "\"a\\\"b \"", &plain);
	becomes("{\"x\":{\"elapsed\":[1,{}],\"k\":\"file\"},\"identity\":{}}",
		"{\"x\":{\"k\":\"sha256:00\"}}", &rules);
	becomes("[\"file\",\"files\"]", "[\"sha256:00\",\"files\"]", &rules);
	becomes("{\"a\":}", "(refused)", &plain);
	becomes("{\"a\":1", "(refused)", &plain);
	becomes("[1,]", "(refused)", &plain);
	static const char *const wrong[] = {
	    "tru", "[fals]", "nul", "-", "[1e]", "\"a", "{\"a\":\"b}", "x"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		becomes(wrong[i], "(refused)", &plain);
	becomes("", "(refused)", &plain);

	static const char a[] = "{\"x\": 1, \"y\": 2}",
			  b[] = "{\"y\":2,\"x\":1}";
	ok(canonical_digest(one, (struct span){a, sizeof a - 1}, &plain) == 0 &&
	       canonical_digest(two, (struct span){b, sizeof b - 1}, &plain) ==
		   0 &&
	       !strcmp(one, two),
	   "the order of members changes no digest");
	static const char more[] = "{} {}";
	ok(canonical_digest(one, (struct span){more, sizeof more - 1}, &plain) <
	       0,
	   "more than one value has none");
	char deep[2001];
	memset(deep, '[', 2000), deep[2000] = '\0';
	ok(canonical_digest(one, (struct span){deep, 2000}, &plain) < 0,
	   "too deep is refused");

	static const char doc[] = "{\"a\": {\"b\": 1}, \"b\" : [2] }";
	struct span s =
	    canonical_member((struct span){doc, sizeof doc - 1}, "b");
	ok(span_is(s, "[2]"), "a member of the outermost object");
	s = canonical_member((struct span){doc, sizeof doc - 1}, "c");
	ok(!s.s, "none of that name");
	s = canonical_member((struct span){more + 3, 0}, "c");
	ok(!s.s, "none of nothing");
	return done();
}

/* YAML becomes what PyYAML makes of it. */
#include "validate/result/yaml.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

static struct problem p;
static char all[2000];

static int keep(void *user, json_t *document, uint64_t line)
{
	size_t n = strlen(all);
	char *text = json_dumps(document, JSON_ENCODE_ANY | JSON_SORT_KEYS |
					      JSON_COMPACT);
	(void)user;
	snprintf(all + n, sizeof all - n, "%llu:%s;", (unsigned long long)line,
		 text);
	free(text);
	return 0;
}

static int read_it(const char *text)
{
	*all = '\0';
	p = (struct problem){0};
	return yaml_read(text, strlen(text), "f.yaml", keep, NULL, &p);
}

static void gives(const char *text, const char *want)
{
	ok(read_it(text) == 0, "is YAML: %s", p.text);
	is(all, want, "as %s", want);
}

static void refused(const char *text, const char *want)
{
	if (!ok(read_it(text) < 0 && p.code == EXIT_INPUT &&
		    !strncmp(p.text, want, strlen(want)),
		"%s", want))
		printf("# got %s\n", p.text);
}

static void scalars(void)
{
	gives("a: 1\nb: -2.5\nc: 1e3\nd: .5\ne: 0x10\nf: +7\n",
	      "1:{\"a\":1,\"b\":-2.5,\"c\":1000,\"d\":0.5,\"e\":16,\"f\":7};");
	gives("[~, null, '', Null, true, Yes, off, '1', \"no\", !!str 5]",
	      "1:[null,null,\"\",null,true,true,false,\"1\",\"no\",\"5\"];");
	gives("[.inf, .nan, 0.2.1, 1_000, 2025-11-05, -, nan, x: y]",
	      "1:[\".inf\",\".nan\",\"0.2.1\",\"1_000\",\"2025-11-05\",\"-\","
	      "\"nan\",{\"x\":\"y\"}];");
	gives("[0x1g, 0xffffffffffffffff, !!int 5, !!str ]",
	      "1:[\"0x1g\",\"0xffffffffffffffff\",5,\"\"];");
	gives("99999999999999999999", "1:1e20;");
	gives("[-0x10, +0x10]", "1:[-16,16];");
}

static void containers(void)
{
	gives("a: &x [1, 2]\nb: *x\nc:\n- d: {e: f}\n",
	      "1:{\"a\":[1,2],\"b\":[1,2],\"c\":[{\"d\":{\"e\":\"f\"}}]};");
	gives("[&x 1, &y 2, *x, *y]", "1:[1,2,1,2];");
	gives("# first\n---\na: 1\n---\n\nb: 2\n...\n", "3:{\"a\":1};"
							"6:{\"b\":2};");
	gives("", "");
}

static void wrong(void)
{
	char deep[2 * YAML_DEEPEST + 20] = "";
	memset(deep, '[', YAML_DEEPEST + 5);
	refused("a: [1, 2\nb: 3\n", "f.yaml:2: not YAML: ");
	refused("a: 1\n b: 2\n", "f.yaml:2: not YAML: ");
	refused("a: 1\nb: 2\na: 3\n", "f.yaml:3: a occurs twice");
	refused("? [1]\n: 2\n", "f.yaml:1: a key is no plain text");
	refused("a: *x\n", "f.yaml:1: an alias has no anchor before it");
	refused("a: &x [*x]\n", "f.yaml:1: an alias has no anchor before it");
	refused("a: \"\\xff\\0\"\nb: 'x", "f.yaml:");
	refused("a: 1\n... x\n", "f.yaml:2: not YAML: ");
	refused("--- @\n", "f.yaml:1: not YAML: ");
	refused(deep, "f.yaml:1: more than 200 lists or mappings");
}

/* Each line doubles what the one before it stands for: 3, 7, 15 … values. */
static void aliases(void)
{
	char text[2000] = "- &a0 [x, y]\n";
	size_t n = strlen(text);
	for (int i = 1; i < 60; i++) {
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "- &a%d [*a%d, *a%d]\n", i, i - 1, i - 1);
		if (i == 16)
			ok(read_it(text) == 0, "524,268 values: %s", p.text);
	}
	refused(text, "f.yaml:18: with its aliases it has more than a million");
}

static void begins(void)
{
	static const char *const yes[] = {
	    "version: '0.2'\n", "# c\n\n---\n[]", "- a\n- b\n",
	    "run:\n  uid: 1\n", "\r\na: 1",       "%YAML 1.1\n---\na: 1",
	    "  a: 1, b"};
	static const char *const no[] = {
	    "id,model,gpu\n",         "",       "# a\n",    "a\n",
	    "arrival_s,ttft_ms: x\n", "-1,2\n", "http://x", "a b '{\"c\": 1}'"};
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		ok(yaml_begins(yes[i], strlen(yes[i])), "begins YAML: %zu", i);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		ok(!yaml_begins(no[i], strlen(no[i])), "does not: %zu", i);
}

int main(void)
{
	scalars();
	containers();
	wrong();
	aliases();
	begins();
	return done();
}

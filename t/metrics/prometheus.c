/* prometheus.c -- Samples as a page has them, and lines that are none. */
#include "metrics/prometheus.h"
#include "tap.h"

static char seen[2000];

static const char *note(void *user, const struct prometheus_sample *s)
{
	(void)user;
	size_t n = strlen(seen);
	n += (size_t)snprintf(seen + n, sizeof seen - n, "%s", s->name);
	for (uint32_t i = 0; i < s->n_labels; i++)
		n += (size_t)snprintf(seen + n, sizeof seen - n, "[%s=%s]",
				      s->label[i].name, s->label[i].value);
	snprintf(seen + n, sizeof seen - n, "=%g;", s->value);
	return s->value == 99 ? "is refused" : NULL;
}

static struct problem p;

static int page(const char *text)
{
	char copy[4000];
	seen[0] = '\0';
	p = (struct problem){0};
	snprintf(copy, sizeof copy, "%s", text);
	return prometheus_read(copy, strlen(copy), "f", note, NULL, &p);
}

static void reads(const char *text, const char *as)
{
	if (ok(page(text) == 0, "%.30s is read", text))
		is(seen, as, "%.30s", text);
}

static void refuses(const char *text, const char *where)
{
	ok(page(text) < 0 && p.code == EXIT_INPUT &&
	       !strncmp(p.text, where, strlen(where)),
	   "%s", p.text);
}

int main(void)
{
	struct prometheus_sample s = {.n_labels = 2,
				      .label = {{"a", "1"}, {"b", "2"}}};
	reads("", "");
	reads("# HELP a b\n\n# TYPE a gauge\na 1\n", "a=1;");
	reads("a:b_1 +Inf\nc -1.5e3", "a:b_1=inf;c=-1500;");
	reads("a{} 1\na{x=\"\"} 2\n", "a=1;a[x=]=2;");
	reads("a { x = \"1\" , y=\"2\", } 3 1700000000\r\n", "a[x=1][y=2]=3;");
	reads("a{x=\"q\\\"\\\\\\n}, \"} 1", "a[x=q\"\\\n}, ]=1;");
	reads("a_bucket{le=\"1\"} 4 # {trace_id=\"x\"} 0.5\n# EOF\n",
	      "a_bucket[le=1]=4;");
	refuses("a 1\nb\n", "f:2: not NAME");
	refuses("a{x=\"1\" 5\n", "f:1: ");
	refuses("a{x=1} 5\n", "f:1: ");
	refuses("a{x=\"1} 5\n", "f:1: ");
	refuses("{\"a\": 1}\n", "f:1: ");
	refuses("a 5x\n", "f:1: ");
	refuses("a,b,c\n", "f:1: ");
	refuses("a 1\nb 99\n", "f:2: is refused");
	char nul[] = "a 1\nb\0 2\n";
	ok(prometheus_read(nul, sizeof nul - 1, "f", note, NULL, &p) < 0 &&
	       strstr(p.text, "f:2: "),
	   "a NUL: %s", p.text);
	char many[2000] = "a{";
	for (int i = 0; i < 65; i++)
		strcat(many, "l=\"v\",");
	strcat(many, "} 1");
	refuses(many, "f:1: more than 64 labels");

	static const char *const pages[] = {"# HELP a b\n", "\n\n# TYPE a b\n",
					    "vllm:a{b=\"c\"} 1\n", "a 5\n"};
	static const char *const others[] = {"{\"a\": 1}", "id,run\n1,2\n",
					     "<html>", "", "INFO 01-01 x"};
	for (size_t i = 0; i < 4; i++)
		ok(prometheus_likely(pages[i], strlen(pages[i])), "a page: %s",
		   pages[i]);
	for (size_t i = 0; i < 5; i++)
		ok(!prometheus_likely(others[i], strlen(others[i])),
		   "no page: %s", others[i]);
	is(prometheus_get(&s, "b"), "2", "a label");
	ok(!prometheus_get(&s, "c"), "no such label");
	return done();
}

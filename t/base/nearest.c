#include "base/nearest.h"
#include "tap.h"

/* The hint for a typed name, if the names "a b c" are known. */
static const char *hint(const char *typed, const char *known)
{
	static char buf[100];
	struct names l = {0};
	char copy[300], *rest = NULL;
	snprintf(copy, sizeof copy, "%s", known);
	for (char *s = strtok_r(copy, " ", &rest); s;
	     s = strtok_r(NULL, " ", &rest))
		names_add(&l, s);
	nearest_of(typed, &l, buf);
	names_free(&l);
	return buf;
}

/* Other spellings of known names. */
static void stands_for(const char *typed, const char *want)
{
	static const char *const known[] = {
	    "llama-3.1-8b", "llama-3.1-8b-fp8", "deepseek-v3",
	    "h100-sxm",     "h200-sxm",         "a10",
	    "a100-40-sxm",  "a100-80-sxm",      "a100-80-pcie"};
	struct names l = {0};
	char buf[100], text[100] = "";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		names_add(&l, known[i]);
	if (*want)
		snprintf(text, sizeof text, " (did you mean '%s'?)", want);
	is(nearest_of_id(typed, &l, buf), text, "%s: %s", typed,
	   *want ? want : "none");
	names_free(&l);
}

static void near_to(const char *typed, const char *known, const char *want)
{
	char text[100];
	snprintf(text, sizeof text, " (did you mean '%s'?)", want);
	is(hint(typed, known), text, "%s: %s", typed, want);
}

static void far_from(const char *typed, const char *known)
{
	is(hint(typed, known), "", "%s: none of %s", typed, known);
}

int main(void)
{
	char long_a[300], long_b[300];
	struct nearest n;
	near_to("formt", "output format arms", "format");
	near_to("fromat", "output format arms", "format");
	near_to("formatt", "output format arms", "format");
	near_to("farmat", "output format arms", "format");
	near_to("arm", "output format arms", "arms");
	near_to("h100-sxm.infersm", "h100-sxm.infersim h100-sxm.vllm-0.24",
		"h100-sxm.infersim");
	near_to("ab", "ac ba", "ac"); /* the first of equals; a swap is one */
	near_to("ba", "bcd ab", "ab");
	far_from("format", "");
	far_from("xyz", "output format");
	far_from("quiet", "loud");
	near_to("set", "st", "st");
	far_from("a", "bcd");
	near_to("draft_model", "draft_us draft_model_config",
		"draft_model_config");
	near_to("abcdef", "abcdefghi abcdefgh", "abcdefgh");
	near_to("abcdef", "abc abcd", "abcd");
	memset(long_a, 'a', sizeof long_a - 1);
	memset(long_b, 'a', sizeof long_b - 1);
	long_a[sizeof long_a - 1] = long_b[sizeof long_b - 1] = '\0';
	long_b[200] = 'b';
	nearest_start(&n, long_a);
	nearest_try(&n, long_b);
	ok(n.name == long_b && n.distance == 0,
	   "names are compared by their first 63 letters");
	char buf[100];
	ok(strlen(nearest_hint(&n, buf)) < sizeof buf, "and a hint is short");
	stands_for("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b");
	stands_for("meta-llama/Meta-Llama-3.1-8B", "llama-3.1-8b");
	stands_for("deepseek-ai/DeepSeek-V3", "deepseek-v3");
	stands_for("H100", "h100-sxm");
	stands_for("h10-sxm", "h100-sxm");
	stands_for("NVIDIA/A100-SXM4-80GB", "a100-80-sxm");
	stands_for("a100-sxm-40gb", "a100-40-sxm");
	stands_for("a10-24gb", "a10");
	stands_for("meta-", "");
	stands_for("", "");
	stands_for("elephant", "");
	return done();
}

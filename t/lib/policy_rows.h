/* policy_rows.h -- what the policies of plugins have in common: a source names
 * only files and sets that exist, and the code of the plugin reads each number.
 * Needs tap.h before it. */
#ifndef T_POLICY_ROWS_H
#define T_POLICY_ROWS_H
#include <ctype.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>

static const char *policy_top(void)
{
	const char *folder = getenv("top_srcdir");
	return folder ? folder : ".";
}

/* ---- sources ---- */

static int policy_is_there(const char *folder, const char *name,
			   const char *suffix)
{
	char path[4096];
	struct stat st;
	snprintf(path, sizeof path, "%s/%s%s%s", policy_top(), folder, name,
		 suffix);
	return stat(path, &st) == 0;
}

/* Returns 1 if a word of a source looks like a file or a set of tables,
 * "doc/tables.md", "t/plugins/operators_held_out",
 * "h100-sxm.deepep-sglang-0.5.6", and there is none. */
static int policy_is_false_name(const char *name)
{
	const char *dot = strchr(name, '.');
	if (!strncmp(name, "t/", 2) || !strncmp(name, "doc/", 4) ||
	    !strncmp(name, "tools/", 6))
		return !policy_is_there("", name, "") &&
		       !policy_is_there("", name, ".c");
	return dot && strchr(dot, '-') && isalpha((unsigned char)dot[1]) &&
	       !policy_is_there("bench_data/", name, "");
}

/* Passes for a source that says something, and names only what exists. */
static void policy_source(const char *source, const char *what)
{
	char text[512], *rest, *name;
	int bad = strlen(source) < 10 || strlen(source) >= sizeof text;
	snprintf(text, sizeof text, "%s", source);
	for (name = strtok_r(text, " ,;:()", &rest); name && !bad;
	     name = strtok_r(NULL, " ,;:()", &rest))
		bad = policy_is_false_name(name);
	if (!ok(!bad, "%s: a source that is there", what))
		printf("# %s\n", source);
}

/* The same check finds a name of nothing. */
static void policy_false_names(void)
{
	ok(policy_is_false_name("t/plugins/none") &&
	       policy_is_false_name("doc/none.md") &&
	       policy_is_false_name("h100-sxm.none-1") &&
	       !policy_is_false_name("12.3"),
	   "a name of nothing is found");
}

/* ---- readers ---- */

/* The files of a plugin. */
struct policy_texts {
	char **of;
	size_t n;
};

static char *policy_read_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	if (!f || getdelim(&text, &size, '\0', f) < 0)
		bail_out(path);
	fclose(f);
	return text;
}

/* in: patterns of files in the folder of the plugin, up to NULL. */
static struct policy_texts policy_texts(const char *plugin,
					const char *const *in)
{
	struct policy_texts t;
	glob_t found = {0};
	char pattern[4096];
	for (int i = 0; in[i]; i++) {
		snprintf(pattern, sizeof pattern, "%s/plugins/%s/%s",
			 policy_top(), plugin, in[i]);
		glob(pattern, i ? GLOB_APPEND : 0, NULL, &found);
	}
	t.n = found.gl_pathc;
	t.of = calloc(t.n + 1, sizeof *t.of);
	for (size_t i = 0; i < t.n; i++)
		t.of[i] = policy_read_file(found.gl_pathv[i]);
	globfree(&found);
	return t;
}

static void policy_texts_free(struct policy_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->of[i]);
	free(t->of);
}

/* Returns 1 if a file has the member, "number." and its name. */
static int policy_is_read(const struct policy_texts *t, const char *prefix,
			  const char *name)
{
	char member[80];
	int length = snprintf(member, sizeof member, "%s%s", prefix, name);
	for (size_t i = 0; i < t->n; i++)
		for (const char *at = t->of[i]; (at = strstr(at, member)); at++)
			if (!isalnum((unsigned char)at[length]) &&
			    at[length] != '_')
				return 1;
	return 0;
}
#endif

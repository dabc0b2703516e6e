/* imported_launch.c -- Writes flags as keys. */
#include "report/import/imported_launch.h"
#include <string.h>
#include "base/printable.h"
#include "engine/choices.h"

static void write_line(FILE *f, const char *before, const char *s)
{
	fputs(before, f);
	printable_line(f, s, strlen(s));
	fputc('\n', f);
}

/* All keys of a section, after the head `as`, unless it has been written. */
static void write_section(const struct launched *l, const char *section,
			  const char *as, FILE *f)
{
	int has_head = !as;
	for (size_t i = 0; i < l->c.n; i++) {
		const struct ini_item *t = &l->c.item[i];
		if (strcmp(t->section, section) != 0)
			continue;
		if (!has_head++)
			fprintf(f, "\n[%s]\n", as);
		imported_line(f, t->key, t->value, t->at);
	}
}

static int write_engine(const struct launched *l, size_t n,
			const struct imported *x, FILE *f)
{
	int is_vllm = !strcmp(l->engine, "vllm");
	if (imported_served(x, f) < 0)
		return -1;
	fputs("\n[engine]\n", f);
	imported_line(f, "preset",
		      is_vllm ? engine_preset_words[PRESET_VLLM_NEWEST]
			      : l->engine,
		      "check: the version is not told, this is the newest");
	for (const struct launched *end = l + n; l < end; l++) {
		write_section(l, "engine", l->pool, f);
		if (ini_get(&l->c, "engine", "num_speculative_tokens") &&
		    !ini_get(&l->c, "engine", "synthetic_acceptance_length") &&
		    imported_missing(x, f, "synthetic_acceptance_length", "",
				     "not told: how many tokens a step "
				     "yields") < 0)
			return -1;
	}
	return names_add_new(x->missing, "engine.preset");
}

int imported_launch_write(const struct launched *l, size_t n,
			  const struct imported *x, const char *const *path,
			  FILE *f)
{
	static const char *const router[] = {"engine", "router",
					     "router:prefill", "router:decode"};
	size_t listed = 0;
	for (size_t i = 0; i < n; i++)
		write_line(f, "; As stepcost import launch understood ",
			   path[i]);
	if (l->engine) {
		fputs("; Lines that begin with \";?\" are what it does not "
		      "tell: fill them in.  [workload] is yours.\n"
		      "[stepcost]\nschema = 1\n",
		      f);
		if (write_engine(l, n, x, f) < 0)
			return -1;
		fputs(imported_arms, f);
	}
	for (size_t i = 0; !l->engine && i < 4; i++)
		write_section(l, router[i], router[i], f);
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < l[k].other.n; i++) {
			if (!listed++)
				fputs("\n; Without a counterpart in the "
				      "simulation:\n",
				      f);
			write_line(f, ";   ", l[k].other.item[i]);
		}
	return 0;
}

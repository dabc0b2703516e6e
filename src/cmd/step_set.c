/* step_set.c -- Opens files of steps, and arms on their deployments. */
#include "cmd/step_set.h"
#include "validate/measured/aliases.h"

static void print_notes(const struct step_set *set, const struct cmdline *c)
{
	for (size_t i = 0; i < set->notes.n; i++)
		print_note(c, "%s", set->notes.item[i]);
	for (size_t i = 0; i < set->n_left_out; i++) {
		const struct steps_left_out *l = &set->left_out[i];
		print_note(c, "%zu step%s left out: %s%s%s", l->n,
			   l->n == 1 ? " is" : "s are",
			   l->is_flag ? "flag " : "", l->why,
			   l->is_flag ? " (--flags all takes them)" : "");
	}
}

int open_step_set(struct step_set *set, struct ini *aliases,
		  const struct cmdline *c, const char *const *file, size_t n,
		  const struct step_set_options *o, struct problem *p)
{
	if ((!aliases->n && aliases_read(aliases, NULL, p) < 0) ||
	    step_set_read(set, file, n, aliases, o, p) < 0)
		return -1;
	print_notes(set, c);
	return 0;
}

int open_step_arms(struct step_arms *arms, const struct step_set *set,
		   const struct ini *aliases, const struct cmdline *c,
		   const char *extra, const struct config *beside,
		   struct problem *p)
{
	const struct step_arms_options how = {.path = c->arg[0],
					      .set = c->set.item,
					      .n_set = c->set.n,
					      .arms = c->arms,
					      .extra = extra,
					      .beside = beside};
	int noted = 0;
	if (step_arms_open(arms, set, aliases, &how, p) < 0)
		return -1;
	for (size_t d = 0; d < set->n_deployments; d++) {
		if (arms->refused[d])
			print_note(c, "%s: %s", set->deployment[d].name,
				   arms->refused[d]);
		else if (!noted++)
			print_priced_config_note(&arms->config[d], c);
	}
	return 0;
}

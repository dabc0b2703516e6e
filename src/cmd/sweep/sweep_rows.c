/* sweep_rows.c -- Opens the store of a sweep, and writes rows of it. */
#include "cmd/sweep/sweep_rows.h"
#include <inttypes.h>
#include <string.h>
#include "base/hash.h"
#include "cmd/cmd.h"
#include "report/sweep/sweep_table.h"
#include "store/rows.h"

/* Returns the exit code. */
static int tell_damage(const struct store *s, const struct reader *r)
{
	struct problem p;
	const struct damage *d = reader_damage(r);
	if (!d->n)
		return EXIT_DONE;
	damage_say(d, store_path(s),
		   "left out (resume the sweep to compute them)", &p);
	return print_error(&p);
}

static void note_digests(const struct cmdline *c, const struct store *s)
{
	if (!store_has_digests(s))
		print_note(
		    c,
		    "%s: was written before rows had digests: damage to it "
		    "cannot be noticed",
		    store_path(s));
}

int sweep_note_former(const struct cmdline *c, struct store *s,
		      const char *then, struct problem *p)
{
	struct store_counts n = {0};
	if (store_has_study(s) && store_count(s, &n, p) < 0)
		return -1;
	if (n.former)
		print_note(
		    c,
		    "%s: %" PRId64 " of %" PRId64
		    " rows were made before rows knew what they read: %s",
		    store_path(s), n.former, n.rows, then);
	return 0;
}

int sweep_read(const struct cmdline *c, const char *where, const char *sort,
	       sweep_use *use)
{
	struct problem p;
	struct store *s = store_open(c->arg[0], STORE_READ, &p);
	struct reader *r = s ? reader_open(s, where, sort, &p) : NULL;
	int rc = r ? use(c, s, r, &p) : -1;
	if (rc == 0)
		rc = sweep_note_former(c, s,
				       "files may have changed since; resume "
				       "the sweep to compute them again",
				       &p);
	int code = rc == 0 ? tell_damage(s, r) : print_error(&p);
	if (rc == 0)
		note_digests(c, s);
	reader_close(r);
	if (s)
		store_close(s, NULL);
	return code;
}

/* Hashes the point and the arm of a row in *place, and its other cells without
 * the seed in *figures.  Returns 0 if there are no figures. */
static int hash_row(const struct reader *r, uint64_t *place, uint64_t *figures)
{
	int has_figures = 0;
	*place = *figures = HASH_BEGIN;
	for (size_t i = 0; i < reader_n_columns(r); i++) {
		enum reader_role role = reader_head(r, i)->role;
		char buf[32];
		const char *text = reader_text(r, i, buf);
		uint64_t *to = role <= READER_ARM ? place : figures;
		has_figures |= role == READER_NUMBER && *text;
		if (role != READER_SEED)
			*to = hash_on(*to, text, strlen(text) + 1);
	}
	return has_figures;
}

int sweep_find_equal_seeds(struct reader *r, struct problem *p)
{
	uint64_t place, figures, last_place = 0, last_figures = 0;
	int rc = 0, pairs = 0, differ = 0;
	while (!differ && (rc = reader_next(r, p)) == 1) {
		if (!hash_row(r, &place, &figures))
			continue;
		pairs += place == last_place;
		differ = place == last_place && figures != last_figures;
		last_place = place, last_figures = figures;
	}
	return rc < 0 ? -1 : pairs && !differ;
}

int sweep_write_rows(const struct cmdline *c, struct store *s, struct reader *r,
		     const unsigned char *chosen, struct problem *p)
{
	const struct sweep_table t = {
	    .command = c->command->name, .store = s, .reader = r};
	struct outfile out;
	int rc = open_output(&out, c, p);
	reader_choose(r, chosen);
	if (rc == 0)
		rc = sweep_table_write(out.f, c->format, &t, p);
	reader_choose(r, NULL);
	return outfile_end(&out, rc, p);
}

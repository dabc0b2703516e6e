/* cmd/bundle/contents.h -- what a bundle has, and how its files lie: `data/I`
 * and `plugins/I` are the I-th folder of the data and of the plugins, `work` is
 * the deepest folder that has the working directory and all other files.
 * bundle.json says the command and the SHA-256 of every other member. */
#pragma once
#include "base/cmdline.h"
#include "base/file/archive.h"
#include "base/names.h"
#include "base/problem.h"

#define BUNDLE_HEAD "bundle.json"
#define BUNDLE_RESULT "result.json"

/* Refuses commands that a bundle cannot repeat, and options that write, or run
 * something.  Returns 0, or -1 with *p filled in (EXIT_USAGE). */
int bundle_allows(const struct cmdline *c, struct problem *p);

/* A bundle under way; it owns its texts. */
struct bundle {
	struct archive archive;
	char **text; /* [n_texts] */
	size_t n_texts, cap_texts;
};
/* Packs everything on the list of inputs, the result (a JSON document) and the
 * command that made it.  Returns 0, or -1 with *p filled in.  The caller calls
 * bundle_free() in either case. */
int bundle_pack(struct bundle *b, const struct cmdline *made_by,
		const char *result, struct problem *p);
void bundle_free(struct bundle *b);

/* The head of a bundle that is read. */
struct bundle_head {
	struct names words; /* of the command */
	char *folder;       /* where it runs, in the archive */
	char *commit, *results_sha256;
};
/* Reads the head, and compares the digest of every member.  Returns 0, or -1
 * with *p filled in (EXIT_INPUT).  The caller calls bundle_head_free() in
 * either case. */
int bundle_head_read(struct bundle_head *h, const struct archive *a,
		     const char *origin, struct problem *p);
void bundle_head_free(struct bundle_head *h);

/* key.c -- Hashes everything that determines a row. */
#include "sweep/key.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "arm/arm_list.h"
#include "base/file/digest.h"
#include "base/file/inputs.h"
#include "base/grow.h"
#include "base/text.h"
#include "keys/keys.h"
#include "plugin/digest.h"

void key_memory_free(struct key_memory *m)
{
	for (size_t i = 0; i < m->n_files; i++)
		free(m->file[i].path);
	free(m->file);
	m->file = NULL;
	m->n_files = m->cap_files = 0;
}

/* ---- files, each hashed once ---- */

/* Two programs of one commit are alike; of others, or of changed sources, the
 * bytes tell. */
static const char *program_hash(char hex[DIGEST])
{
	size_t n;
	struct input *in = inputs_list(INPUT_PROGRAM, &n);
	int is_clean = n && *in->text[1] && !*in->text[2];
	const char *is = is_clean ? strncpy(hex, in->text[1], DIGEST - 1)
				  : digest_file("/proc/self/exe", hex);
	free(in);
	return is;
}

/* A plugin without a folder of its own has the hash "". */
static const char *new_hash(const char *path, enum hash_of of, char hex[DIGEST])
{
	switch (of) {
	case HASH_PROGRAM:
		return program_hash(hex);
	case HASH_PLUGIN:
		return plugin_digest(path, 1, hex);
	case HASH_PLUGIN_DATA:
		return plugin_data_digest(path, hex) ? hex : strcpy(hex, "");
	default:
		return digest_file(path, hex);
	}
}

/* Returns NULL with *p filled in if it cannot be read. */
static const char *hash_of(struct key_memory *m, const char *path,
			   enum hash_of of, struct problem *p)
{
	for (size_t i = 0; i < m->n_files; i++)
		if (m->file[i].of == of && !strcmp(m->file[i].path, path))
			return m->file[i].sha256;
	char *copy =
	    MAKE_ROOM(m->file, m->n_files, m->cap_files) ? strdup(path) : NULL;
	if (!copy) {
		problem_no_memory(p);
		return NULL;
	}
	struct file_hash *h = &m->file[m->n_files];
	*h = (struct file_hash){.path = copy, .of = of};
	if (new_hash(path, of, h->sha256)) {
		m->n_files++;
		return h->sha256;
	}
	free(copy);
	problem_set(p, EXIT_USAGE, "%s: cannot be read", path);
	return NULL;
}

/* ---- the text that is hashed ---- */

/* The parts that rarely differ between points come first, seeds last: the hash
 * of the first ones is kept. */

struct material {
	FILE *f;
	char *text;
	size_t size;
};

static int begin(struct material *m, struct problem *p)
{
	m->text = NULL;
	m->f = text_open(&m->text, &m->size);
	return m->f ? 0 : problem_no_memory(p);
}

/* Hashes the text, also that of a point that failed.  Returns rc, or -1 with
 * *p. */
static int hash(struct material *m, SHA2_CTX *c, int rc, struct problem *p)
{
	if (fclose(m->f) == 0)
		SHA256Update(c, (const uint8_t *)m->text, m->size);
	else if (rc == 0)
		rc = problem_no_memory(p);
	free(m->text);
	return rc;
}

static int study(FILE *f, const struct key_parts *k, struct key_memory *memory,
		 struct problem *p)
{
	const char *hash = hash_of(memory, "/proc/self/exe", HASH_PROGRAM, p);
	fprintf(f, "%s\n%s\nprogram %s\n", PACKAGE_VERSION, k->what,
		hash ? hash : "");
	return hash ? 0 : -1;
}

/* c: the hash of the parts before. */
static int finish(struct material *m, char key[STORE_KEY], int rc,
		  const struct key_parts *k, SHA2_CTX *c, struct problem *p)
{
	_Static_assert((int)STORE_KEY == (int)SHA256_DIGEST_STRING_LENGTH,
		       "a key is a digest");
	fprintf(m->f, "trace %016" PRIx64 "\nseed + %" PRId64 "\n",
		k->trace_hash, k->seed_shift);
	rc = hash(m, c, rc, p);
	SHA256End(c, key);
	key[0] = STORE_KEY_KNOWS_INPUTS;
	return rc;
}

static void items(FILE *f, const struct ini *c, const char *section)
{
	for (size_t i = 0; i < c->n; i++)
		if (!section || !strcmp(c->item[i].section, section))
			fprintf(f, "%s.%s=%s\n", c->item[i].section,
				c->item[i].key, c->item[i].value);
}

static int plugin(FILE *f, const char *path, struct key_memory *memory,
		  struct problem *p)
{
	/* The second call may move what the first returned. */
	const char *hash = hash_of(memory, path, HASH_PLUGIN, p);
	if (hash)
		fprintf(f, "plugin %s ", hash);
	const char *data =
	    hash ? hash_of(memory, path, HASH_PLUGIN_DATA, p) : NULL;
	if (data)
		fprintf(f, "%s\n", data);
	return data ? 0 : -1;
}

/* ---- files that values name ---- */

static const char lengths[] = "empirical:";

/* Returns the name of a file of lengths behind "empirical:", else the whole
 * value. */
static const char *name_in(const char *value)
{
	size_t n = sizeof lengths - 1;
	return strncmp(value, lengths, n) ? value : value + n;
}

/* Returns 1 if the value may name a file.  A trace is hashed by its requests,
 * and a run of [arena] by its row. */
static int may_name_file(const struct ini_item *t)
{
	const char *s = t->value;
	return (name_in(s) > s || strpbrk(s, "./")) &&
	       s[strspn(s, "0123456789-+.,:e ")] &&
	       !(!strcmp(t->section, "workload") && !strcmp(t->key, "trace")) &&
	       strcmp(t->section, "arena") != 0;
}

static int named_file(FILE *f, const struct ini *c, const struct ini_item *t,
		      struct key_memory *memory, struct problem *p)
{
	char *path = ini_resolve_key(c, t->section, t->key, name_in(t->value));
	struct stat is;
	int rc = 0;
	if (!path)
		return problem_no_memory(p);
	if (stat(path, &is) == 0 && S_ISREG(is.st_mode)) {
		const char *hash = hash_of(memory, path, HASH_FILE, p);
		rc = hash ? 0 : -1;
		fprintf(f, "%s.%s names %s\n", t->section, t->key,
			hash ? hash : "");
	}
	free(path);
	return rc;
}

/* Returns 1 if the arm reads the section: not that of another arm, unless that
 * one prices its drafter or its decode pool. */
static int reads_section(const struct arm *a, const char *section)
{
	return !arm_is_section(section) || !strcmp(section, a->is->section) ||
	       (a->drafter && reads_section(a->drafter, section)) ||
	       (a->decode && reads_section(a->decode, section));
}

static int named_files(FILE *f, const struct arm *a, struct key_memory *memory,
		       struct problem *p)
{
	const struct ini *c = &a->config->cfg;
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < c->n; i++)
		if (may_name_file(&c->item[i]) &&
		    reads_section(a, c->item[i].section))
			rc = named_file(f, c, &c->item[i], memory, p);
	return rc;
}

/* The law of a GPU's power is of a file that may change. */
static void power(FILE *f, const struct power_law *l)
{
	if (l->limit_w > 0)
		fprintf(f, "power %a %a %a %a %a %a %a\n", l->limit_w, l->a,
			l->b, l->p, l->c, l->q, l->error);
}

/* A set of acceptance rates is of a file that may change. */
static void acceptance(FILE *f, const struct speculation *s)
{
	for (uint32_t i = 0; i < s->drafts; i++)
		fprintf(f, "accepted %a\n", s->rate[i]);
}

static void tables(FILE *f, const struct selection *l)
{
	for (size_t i = 0; i < l->n_sets; i++) {
		const struct table_set *s = l->set[i];
		fprintf(f, "set %s\n", s->name);
		items(f, &s->manifest, NULL);
		for (uint32_t k = 0; k < s->n_files; k++)
			fprintf(f, "table %s %s\n", s->file[k].name,
				s->file[k].sha256);
	}
}

/* Writes all that the price of a drafter's steps depends on. */
static int drafter(FILE *f, const struct arm *d, struct key_memory *memory,
		   struct problem *p)
{
	items(f, &d->config->cfg, d->is->section);
	tables(f, &d->tables);
	return plugin(f, d->is->plugin_path, memory, p);
}

static int one_arm(FILE *f, const struct arm *a, struct key_memory *memory,
		   struct problem *p)
{
	struct jw j;
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	knobs_write(&j, &a->hardware.keys, hardware_key, hardware_n_keys);
	jw_finish(&j);
	power(f, &a->hardware.power);
	acceptance(f, &a->engine.speculation);
	items(f, &a->config->cfg, a->is->section);
	tables(f, &a->tables);
	items(f, &a->draft_model.from, NULL);
	if (plugin(f, a->is->plugin_path, memory, p) < 0)
		return -1;
	return a->drafter ? drafter(f, a->drafter, memory, p) : 0;
}

static void part(FILE *f, void (*write)(struct jw *j, const struct config *c),
		 const struct config *c)
{
	struct jw j;
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	write(&j, c);
	jw_finish(&j);
}

/* Hashes everything before the workload. */
static int hash_head(const struct arm *a, const struct key_parts *k,
		     struct key_memory *memory, struct problem *p)
{
	struct material m;
	if (begin(&m, p) < 0)
		return -1;
	int rc = study(m.f, k, memory, p);
	if (rc == 0)
		rc = one_arm(m.f, a, memory, p);
	if (rc == 0 && a->decode)
		rc = one_arm(m.f, a->decode, memory, p);
	items(m.f, &a->config->model.from, NULL);
	part(m.f, config_write_setup, a->config);
	SHA256Init(&memory->head);
	return hash(&m, &memory->head, rc, p);
}

int key_of_arm(char key[STORE_KEY], const struct arm *a,
	       const struct key_parts *k, struct key_memory *memory,
	       struct problem *p)
{
	const unsigned of_head = CONFIG_ALL & ~(CONFIG_HOST | CONFIG_WORKLOAD);
	struct material m;
	int rc = 0;
	if (!memory->has_head || (k->same & of_head) != of_head)
		rc = hash_head(a, k, memory, p);
	memory->has_head = rc == 0;
	SHA2_CTX c = memory->head;
	if (begin(&m, p) < 0)
		return -1;
	part(m.f, config_write_workload, a->config);
	if (rc == 0)
		rc = named_files(m.f, a, memory, p);
	return finish(&m, key, rc, k, &c, p);
}

int key_of_trace(uint64_t *hash, const struct config *c, struct traces *traces,
		 struct problem *p)
{
	*hash = 0;
	return *c->workload_keys.trace
		   ? workload_read_trace(traces, &c->workload_keys, &c->cfg,
					 hash, p)
		   : 0;
}

int key_of_refusal(char key[STORE_KEY], const struct config *c,
		   const struct key_parts *k, const char *why,
		   struct key_memory *memory, struct problem *p)
{
	struct material m;
	SHA2_CTX h;
	memory->has_head = 0;
	SHA256Init(&h);
	if (begin(&m, p) < 0)
		return -1;
	int rc = study(m.f, k, memory, p);
	items(m.f, &c->cfg, NULL);
	fprintf(m.f, "refused: %s\n", why);
	return finish(&m, key, rc, k, &h, p);
}

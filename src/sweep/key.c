/* key.c -- Hashes everything that determines a row. */
#include <config.h>
#include "sweep/key.h"
#include <inttypes.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include "keys/keys.h"

static void file_hash_free(struct file_hash *h)
{
	free(h->path);
	*h = (struct file_hash){0};
}

void key_memory_free(struct key_memory *m)
{
	file_hash_free(&m->plugin[0]);
	file_hash_free(&m->plugin[1]);
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
	m->f = open_memstream(&m->text, &m->size);
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

static void study(FILE *f, const struct key_parts *k)
{
	fprintf(f, "%s\n%s\n", PACKAGE_VERSION, k->what);
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
	return rc;
}

static void items(FILE *f, const struct ini *c, const char *section)
{
	for (size_t i = 0; i < c->n; i++)
		if (!section || !strcmp(c->item[i].section, section))
			fprintf(f, "%s.%s=%s\n", c->item[i].section,
				c->item[i].key, c->item[i].value);
}

static int plugin(FILE *f, const char *path, struct file_hash *h,
		  struct problem *p)
{
	if (!h->path || strcmp(h->path, path)) {
		file_hash_free(h);
		h->path = strdup(path);
		if (!h->path || !SHA256File(path, h->sha256)) {
			file_hash_free(h);
			return problem_set(p, EXIT_USAGE, "%s: cannot be read",
					   path);
		}
	}
	fprintf(f, "plugin %s\n", h->sha256);
	return 0;
}

/* The law of a GPU's power is of a file that may change. */
static void power(FILE *f, const struct power_law *l)
{
	if (l->limit_w > 0)
		fprintf(f, "power %a %a %a %a %a %a %a\n", l->limit_w, l->a,
			l->b, l->p, l->c, l->q, l->error);
}

static void tables(FILE *f, const struct selection *l)
{
	for (size_t i = 0; i < l->n_sets; i++) {
		const struct table_set *s = l->set[i];
		fprintf(f, "set %s\n", s->name);
		for (uint32_t k = 0; k < s->n_files; k++)
			fprintf(f, "table %s %s\n", s->file[k].name,
				s->file[k].sha256);
	}
}

/* The drafter's files are read again for each arm, because they are small. */
static int drafter(FILE *f, const struct arm *d, struct problem *p)
{
	struct file_hash h = {0};
	items(f, &d->config->cfg, d->is->section);
	tables(f, &d->tables);
	int rc = plugin(f, d->is->plugin_path, &h, p);
	file_hash_free(&h);
	return rc;
}

static int one_arm(FILE *f, const struct arm *a, struct file_hash *h,
		   struct problem *p)
{
	struct jw j;
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	knobs_write(&j, &a->hardware.keys, hardware_key, hardware_n_keys);
	jw_end(&j);
	jw_finish(&j);
	power(f, &a->hardware.power);
	items(f, &a->config->cfg, a->is->section);
	tables(f, &a->tables);
	items(f, &a->draft_model.from, NULL);
	if (plugin(f, a->is->plugin_path, h, p) < 0)
		return -1;
	return a->drafter ? drafter(f, a->drafter, p) : 0;
}

static void part(FILE *f, void (*write)(struct jw *j, const struct config *c),
		 const struct config *c)
{
	struct jw j;
	jw_start(&j, f);
	jw_flat_object(&j, NULL);
	write(&j, c);
	jw_end(&j);
	jw_finish(&j);
}

/* Hashes everything before the workload. */
static int hash_head(const struct arm *a, const struct key_parts *k,
		     struct key_memory *memory, struct problem *p)
{
	struct material m;
	if (begin(&m, p) < 0)
		return -1;
	study(m.f, k);
	int rc = one_arm(m.f, a, &memory->plugin[0], p);
	if (rc == 0 && a->decode)
		rc = one_arm(m.f, a->decode, &memory->plugin[1], p);
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
	study(m.f, k);
	items(m.f, &c->cfg, NULL);
	fprintf(m.f, "refused: %s\n", why);
	return finish(&m, key, 0, k, &h, p);
}

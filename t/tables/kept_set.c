/* kept_set: a copy holds what the files hold, and is made again when it is
 * not theirs. */
#include "tables/kept_set.h"
#include <sys/mman.h>
#include <sys/resource.h>
#include "scratch.h"
#include "tables/set.h"

enum { ROWS = 3000, LONG = 40 };

/* Two tables, the second wide; seed: another content of the same length. */
static void write_set(int seed)
{
	char line[200];
	FILE *f = fopen(scratch_path("sets/a/gemm.csv"), "w");
	fputs("dtype,m,n,k,latency_us\n", f);
	for (int i = 0; i < ROWS; i++)
		fprintf(f, "%s,%d,1024,4096,%d.25\n", i % 3 ? "bf16" : "fp8",
			i + 1, 10 + (i + seed) % 10);
	fclose(f);
	f = fopen(scratch_path("sets/a/moe.csv"), "w");
	fputs("dtype,kernel,routing,hidden,inter,experts,topk,tp,ep,tokens=1,"
	      "tokens=8\n",
	      f);
	for (int i = 0; i < ROWS; i++) {
		snprintf(line, sizeof line,
			 "bf16,kernel_%d,balanced,%d,512,64,4,1,1,5,%s\n",
			 i % LONG, 64 * (i + 1), i % 5 ? "7.5" : "");
		fputs(line, f);
	}
	fclose(f);
}

static struct table_set load(void)
{
	struct table_set s;
	struct problem p;
	if (set_load(&s, scratch_path("sets"), "a", 0, &p) < 0)
		bail_out(p.text);
	return s;
}

static int same_table(const struct table *a, const struct table *b)
{
	const sc_table *x = &a->view, *y = &b->view;
	int same = x->n_cols == y->n_cols && x->n_rows == y->n_rows &&
		   !strcmp(x->op, y->op) && !strcmp(x->origin, y->origin) &&
		   !strcmp(x->set, y->set) && a->headless == b->headless &&
		   !memcmp(a->line, b->line, x->n_rows * sizeof *a->line);
	for (uint32_t c = 0; same && c < x->n_cols; c++) {
		same = !strcmp(x->col_name[c], y->col_name[c]) &&
		       !x->col[c] == !y->col[c] && !x->text[c] == !y->text[c];
		for (uint64_t r = 0; same && r < x->n_rows; r++)
			same = x->col[c]
				   ? !memcmp(&x->col[c][r], &y->col[c][r],
					     sizeof(double))
				   : !strcmp(x->text[c][r], y->text[c][r]);
	}
	return same;
}

/* Returns 1 if the set is that of the files as they are now. */
static int is_right(const struct table_set *s)
{
	setenv("XDG_CACHE_HOME", "/proc/none", 1);
	struct table_set plain = load();
	setenv("XDG_CACHE_HOME", scratch_path("cache"), 1);
	int same = s->n == plain.n && s->n_files == plain.n_files &&
		   !plain.map && s->n == 2;
	for (uint32_t i = 0; same && i < s->n; i++)
		same = same_table(s->table[i], plain.table[i]) &&
		       !strcmp(s->file[i].name, plain.file[i].name) &&
		       !strcmp(s->file[i].sha256, plain.file[i].sha256);
	set_free(&plain);
	return same;
}

/* Loads the set; says whether from a copy, and what it holds. */
static void loads(int from_copy, const char *what)
{
	struct table_set s = load();
	ok((s.map != NULL) == from_copy && is_right(&s), "%s", what);
	set_free(&s);
}

static char copy_path[1000];
static struct kept_place place;
static void find_copy(void)
{
	struct names file = {0};
	names_add(&file, "gemm.csv");
	names_add(&file, "moe.csv");
	if (kept_place_find(&place, scratch_path("sets"), "a", &file, 0) < 0)
		bail_out("no place");
	snprintf(copy_path, sizeof copy_path, "%s", place.path);
	names_free(&file);
	kept_place_free(&place);
}

/* Changes a byte of the copy. */
static void damage(long at, int whence)
{
	FILE *f = fopen(copy_path, "r+");
	if (!f || fseek(f, at, whence) < 0)
		bail_out("the copy is not there");
	int c = getc(f);
	fseek(f, at, whence);
	putc(c ^ 1, f);
	fclose(f);
}

static void damaged(long at, int whence, const char *what)
{
	damage(at, whence);
	loads(0, what);
	loads(1, "and the copy is whole again");
}

/* Where its head wants it mapped: behind magic, version, tables, one, sum,
 * bytes. */
static void elsewhere(void)
{
	uint64_t address;
	FILE *f = fopen(copy_path, "r");
	if (!f || fseek(f, 72, SEEK_SET) < 0 ||
	    fread(&address, sizeof address, 1, f) != 1)
		bail_out("no address");
	fclose(f);
	struct table_set s = load();
	ok((uintptr_t)s.map == address, "mapped where its words point to");
	struct table_set t = load();
	ok(t.map && t.map != s.map && is_right(&t),
	   "mapped elsewhere its words are moved");
	set_free(&s);
	set_free(&t);
}

static void no_room(void)
{
	struct rlimit was, little = {10000, RLIM_INFINITY};
	getrlimit(RLIMIT_FSIZE, &was);
	little.rlim_max = was.rlim_max;
	remove(copy_path);
	setrlimit(RLIMIT_FSIZE, &little);
	loads(0, "no room for a copy, which is no error");
	setrlimit(RLIMIT_FSIZE, &was);
	ok(access(copy_path, F_OK) < 0, "and nothing is left");
}

int main(void)
{
	scratch_open();
	scratch_folder("sets/a");
	setenv("XDG_CACHE_HOME", scratch_path("cache"), 1);
	write_set(0);
	loads(0, "the first time from the files");
	loads(1, "then from the copy");
	find_copy();
	elsewhere();
	write_set(1);
	loads(0, "other bytes of the same number: another copy");
	loads(1, "which is then used");
	scratch_file("sets/a/MANIFEST", "gpu = B\n");
	struct table_set s = load();
	is(ini_get(&s.manifest, "", "gpu"), "B", "a MANIFEST is always read");
	ok(s.map != NULL, "and does not change the copy");
	set_free(&s);
	damaged(0, SEEK_SET, "another format is no copy");
	damaged(100, SEEK_SET, "a damaged record");
	damaged(150000, SEEK_SET, "a damaged number");
	damaged(-1, SEEK_END, "a damaged sum");
	if (truncate(copy_path, 100000) < 0)
		bail_out("truncate");
	loads(0, "a part of a copy");
	loads(1, "is replaced");
	scratch_file("empty", "");
	if (rename(scratch_path("empty"), copy_path) < 0)
		bail_out("rename");
	loads(0, "an empty file");
	loads(1, "is replaced, too");
	no_room();
	return done();
}

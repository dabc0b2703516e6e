/* Each call of SQLite fails once, in turn: the store says so, keeps what it
 * had, and the same again succeeds. */
#include <dlfcn.h>
#include "base/hash.h"
#include "in_child.h"
#include "store/damage.h"
#include "store/merge.h"
#include "store/reader.h"
#include "stored.h"

/* ---- failing calls ---- */

enum { MOST = 4000 };
static long n_calls, fail_at = -1;
static uint64_t asked[MOST]; /* by each call: a hash of its statement */
static int code;             /* of the call that fails */
static int has_failed;
static int inside; /* SQLite calls itself: these calls are not counted */

static int is_refused(const char *function, const char *sql)
{
	if (inside)
		return 0;
	if (n_calls < MOST)
		asked[n_calls] = hash_on(hash_on(HASH_BEGIN, sql, strlen(sql)),
					 function, strlen(function));
	if (n_calls++ != fail_at)
		return 0;
	return has_failed = 1;
}

static int leave(int rc)
{
	inside--;
	return rc;
}

/* The library's own function behind the one of this file. */
#define NEXT(name)                                                             \
	static __typeof__(&name) next;                                         \
	if (!next) {                                                           \
		void *found = dlsym(RTLD_NEXT, #name);                         \
		memcpy(&next, &found, sizeof next);                            \
	}

int sqlite3_step(sqlite3_stmt *st)
{
	NEXT(sqlite3_step)
	return is_refused(__func__, sqlite3_sql(st))
		   ? code
		   : (inside++, leave(next(st)));
}

int sqlite3_exec(sqlite3 *db, const char *sql,
		 int (*row)(void *, int, char **, char **), void *user,
		 char **message)
{
	NEXT(sqlite3_exec)
	return is_refused(__func__, sql)
		   ? code
		   : (inside++, leave(next(db, sql, row, user, message)));
}

int sqlite3_prepare_v3(sqlite3 *db, const char *sql, int n, unsigned flags,
		       sqlite3_stmt **st, const char **rest)
{
	NEXT(sqlite3_prepare_v3)
	*st = NULL;
	return is_refused(__func__, sql)
		   ? code
		   : (inside++, leave(next(db, sql, n, flags, st, rest)));
}

int sqlite3_open_v2(const char *file, sqlite3 **db, int flags, const char *vfs)
{
	NEXT(sqlite3_open_v2)
	*db = NULL;
	return is_refused(__func__, file)
		   ? code
		   : (inside++, leave(next(file, db, flags, vfs)));
}

int sqlite3_errcode(sqlite3 *db)
{
	NEXT(sqlite3_errcode)
	return has_failed ? code : next(db);
}

/* A test need not survive the end of the machine. */
int fdatasync(int fd)
{
	(void)fd;
	return 0;
}

/* ---- uses of a store ---- */

static char store[400], other[400], out[400];

static int close_with(struct store *s, int rc)
{
	return store_close(s, rc == 0 ? &why : NULL) < 0 ? -1 : rc;
}

static int has_rows(struct store *s, int64_t n)
{
	struct store_counts c;
	return store_count(s, &c, &why) < 0 ? -1 : c.rows == n ? 0 : 1;
}

static int make(void)
{
	struct store *s = store_open(out, STORE_WRITE, &why);
	if (!s)
		return -1;
	int rc =
	    store_begin(s, &stored_study, stored_axis, N_STORED_AXES, &why);
	if (rc == 0)
		rc = stored_add(s, "p1", "8", "x", "a", 1);
	if (rc == 0)
		rc = stored_add(s, "p2", "16", "x", "a", 2);
	if (rc == 0)
		rc = store_set_identity(s, "{}", &why);
	if (rc == 0)
		rc = has_rows(s, 2);
	return close_with(s, rc);
}

static int go_on(void)
{
	struct store_found f;
	struct store *s = store_open(store, STORE_WRITE_ALONE, &why);
	if (!s)
		return -1;
	int rc =
	    store_begin(s, &stored_study, stored_axis, N_STORED_AXES, &why);
	if (rc == 0)
		rc = store_find(s, "p2", "b", 1, &f, &why) == 1 ? 0 : -1;
	if (rc == 0)
		rc = stored_add(s, "p3", "32", "x", "a", 30);
	if (rc == 0)
		rc = has_rows(s, 5);
	return close_with(s, rc);
}

static int read_sorted(void)
{
	int got = -1, n = 0;
	struct store *s = store_open(store, STORE_READ, &why);
	struct reader *r =
	    s ? reader_open(s, "max_num_seqs > 0", "-mean_ttft_ms", &why)
	      : NULL;
	while (r && (got = reader_next(r, &why)) == 1)
		n++;
	reader_close(r);
	if (s)
		store_close(s, NULL);
	return got < 0 ? -1 : n != 4;
}

static void count_damage(void *user, const char *row)
{
	(void)row;
	++*(int *)user;
}

static int check(void)
{
	uint64_t good;
	int bad = 0;
	struct store *s = store_open(store, STORE_CHECK, &why);
	if (!s)
		return -1;
	int rc = damage_find(s, count_damage, &bad, &good, &why);
	if (rc == 0 && store_complaint(s)) {
		why = *store_complaint(s);
		rc = -1;
	}
	store_close(s, NULL);
	return rc < 0 ? -1 : good != 4 || bad;
}

static int drop(void)
{
	struct damage d;
	struct store *s = store_open(other, STORE_WRITE, &why);
	if (!s)
		return -1;
	int rc =
	    store_begin(s, &stored_study, stored_axis, N_STORED_AXES, &why);
	if (rc == 0)
		rc = damage_drop(s, &d, &why);
	if (rc == 0)
		rc = has_rows(s, 3);
	return close_with(s, rc);
}

static int merge(void)
{
	struct merge_result r;
	const char *const in[] = {store, other};
	int rc = store_merge(out, in, 2, &r, &why);
	int is_whole = r.points == 2 && r.damaged.n == 1;
	names_free(&r.damaged);
	return rc < 0 ? -1 : !is_whole;
}

/* Merges into a store that has a damaged row already. */
static int merge_again(void)
{
	struct merge_result r;
	const char *const in[] = {store};
	int rc = store_merge(other, in, 1, &r, &why);
	int is_whole = r.points == 2;
	names_free(&r.damaged);
	return rc < 0 ? -1 : !is_whole;
}

static const struct {
	const char *name;
	int (*run)(void); /* 0; -1 with `why`; 1: rows are wrong */
} done_with[] = {{"make", make},
		 {"go on", go_on},
		 {"read", read_sorted},
		 {"check", check},
		 {"drop", drop},
		 {"merge", merge},
		 {"merge again", merge_again}};

/* ---- each call ---- */

static char whole[60000], damaged[60000];
static size_t n_whole, n_damaged;

static size_t keep_file(const char *path, char *bytes, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(bytes, 1, size, f) : 0;
	if (!f || fclose(f) || n == size)
		bail_out(path);
	return n;
}

static void put_file(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f))
		bail_out(path);
}

/* Four good rows; the same with one of them damaged. */
static void make_both(void)
{
	stored_file("store.db", &stored_study);
	stored_file("other.db", &stored_study);
	stored_alter(other, "UPDATE result SET mean_ttft_ms = 3 "
			    "WHERE arm = 'a' AND point = 'p2'");
	n_whole = keep_file(store, whole, sizeof whole);
	n_damaged = keep_file(other, damaged, sizeof damaged);
}

/* Both, as they were, and nothing else. */
static void prepare(void)
{
	static const char *const suffix[] = {"", "-wal", "-shm", "-journal"};
	for (size_t i = 0; i < 3 * sizeof suffix / sizeof *suffix; i++) {
		const char *of[] = {store, other, out};
		char path[500];
		snprintf(path, sizeof path, "%s%s", of[i % 3], suffix[i / 3]);
		unlink(path);
	}
	put_file(store, whole, n_whole);
	put_file(other, damaged, n_damaged);
}

static int (*running)(void);

/* Returns 1 if four calls before asked the same: often rows of one statement.
 */
static int is_repeated(long k)
{
	int n = 0;
	for (long i = 0; i < k && k < MOST; i++)
		n += asked[i] == asked[k];
	return k >= MOST || n > 1;
}

/* Returns "good" if it succeeded, or failed with a message. */
static const char *fail_one(void *user)
{
	(void)user;
	n_calls = 0;
	int rc = running();
	if (rc > 0)
		return "the rows are wrong";
	if (rc == 0 || (why.code != EXIT_DONE && *why.text))
		return "good";
	return "no message";
}

static void each_call(size_t i)
{
	static const int codes[] = {
	    SQLITE_ERROR,  SQLITE_NOMEM, SQLITE_IOERR_NOMEM,
	    SQLITE_IOERR,  SQLITE_FULL,  SQLITE_CORRUPT,
	    SQLITE_NOTADB, SQLITE_BUSY,  SQLITE_LOCKED};
	char bad[1200] = "";
	running = done_with[i].run;
	prepare();
	why = (struct problem){0};
	n_calls = 0;
	int rc = running();
	long n = n_calls, tried = 0;
	ok(rc == 0 && n > 5, "%s: %ld calls", done_with[i].name, n);
	for (long k = 0; k < n && !*bad; k++) {
		if (is_repeated(k))
			continue;
		tried++;
		prepare();
		why = (struct problem){0};
		code = codes[(size_t)k % (sizeof codes / sizeof *codes)];
		fail_at = k;
		const char *is = in_child(fail_one, NULL);
		fail_at = -1;
		if (strcmp(is, "good"))
			snprintf(bad, sizeof bad, "call %ld: %s", k, is);
		else if (running() != 0)
			snprintf(bad, sizeof bad, "call %ld, again: %s", k,
				 why.text);
	}
	ok(!*bad, "%s: each of %ld fails, and then all is well %s",
	   done_with[i].name, tried, bad);
}

/* ---- messages ---- */

static const char *open_one(void *user)
{
	(void)user;
	n_calls = 0;
	struct store *s = store_open(store, STORE_READ, &why);
	return s ? "opened" : why.text;
}

static void each_message(void)
{
	static const struct {
		int code;
		const char *says;
	} some[] = {
	    {SQLITE_NOMEM, "out of memory"},
	    {SQLITE_IOERR_NOMEM, "out of memory"},
	    {SQLITE_NOTADB, "not a store: it is no SQLite file"},
	    {SQLITE_CORRUPT, "is damaged or cut off"},
	    {SQLITE_FULL, "no space left on the disk; all earlier points"},
	    {SQLITE_BUSY, "another process holds it"},
	    {SQLITE_LOCKED, "another process holds it"},
	    {SQLITE_IOERR_READ, "writing: "},
	    {SQLITE_ERROR, "writing: "},
	};
	prepare();
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		code = some[i].code;
		fail_at = 1; /* behind the one that opens the file */
		const char *is = in_child(open_one, NULL);
		ok(strstr(is, some[i].says) != NULL, "%d: %s", code, is);
	}
	fail_at = -1;
}

int main(void)
{
	scratch_open();
	snprintf(store, sizeof store, "%s", scratch_path("store.db"));
	snprintf(other, sizeof other, "%s", scratch_path("other.db"));
	snprintf(out, sizeof out, "%s", scratch_path("out.db"));
	make_both();
	for (size_t i = 0; i < sizeof done_with / sizeof *done_with; i++)
		each_call(i);
	each_message();
	return done();
}

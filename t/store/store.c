/* A store: made, opened again, refused where it is none or of another study. */
#include "store/store.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "stored.h"

static void refused(const char *path, enum store_use use, int code,
		    const char *want)
{
	why = (struct problem){0};
	struct store *s = store_open(path, use, &why);
	if (!ok(!s && why.code == code && strstr(why.text, want) &&
		    strstr(why.text, path),
		"refused: %s", want))
		printf("# got %d %s\n", why.code, why.text);
	if (s)
		store_close(s, NULL);
}

/* The bytes of a file; free() them. */
static char *bytes(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *all = calloc(1, 1 << 20);
	if (!f || !all)
		bail_out(path);
	*n = fread(all, 1, 1 << 20, f);
	fclose(f);
	return all;
}

static void write_bytes(const char *path, const char *all, size_t n)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(all, 1, n, f) != n || fclose(f))
		bail_out(path);
}

static void made(void)
{
	const char *path = scratch_path("new.db");
	struct store *s = store_open(path, STORE_WRITE, &why);
	if (!ok(s != NULL, "a file that is not there is made: %s", why.text))
		return;
	ok(!store_has_study(s), "it has no study yet");
	ok(store_begin(s, &stored_study, stored_axis, N_STORED_AXES, &why) == 0,
	   "a study begins");
	ok(store_has_study(s), "which it then has");
	is(store_path(s), path, "it knows its path");
	ok(access(scratch_path("new.db.lock"), F_OK) == 0,
	   "it is locked while it is written");
	ok(store_close(s, &why) == 0, "closed");
	ok(access(scratch_path("new.db.lock"), F_OK) < 0 &&
	       access(scratch_path("new.db-wal"), F_OK) < 0 &&
	       access(scratch_path("new.db-journal"), F_OK) < 0,
	   "a file at rest is the file alone");
}

static void opened_again(void)
{
	const struct store_study *is;
	struct store *s = store_open(stored_file("again.db", &stored_study),
				     STORE_READ, &why);
	if (!ok(s != NULL, "opened for reading: %s", why.text))
		return;
	is = store_study(s);
	is(is->configuration, stored_study.configuration, "configuration");
	is(is->arms, "b,a", "arms in order");
	is(is->stepcost, "1.0", "version");
	ok(is->points == 4 && is->shard == 0 && is->shards == 0 &&
	       is->mode == STORE_RUN,
	   "points, shard and mode");
	ok(store_axes(s)->n == 2 &&
	       !strcmp(store_axes(s)->item[0], stored_axis[0]) &&
	       !strcmp(store_axes(s)->item[1], stored_axis[1]),
	   "the axes are columns, in order");
	ok(access(scratch_path("again.db.lock"), F_OK) < 0,
	   "a reader takes no lock");
	ok(store_begin(s, &stored_study, stored_axis, 2, &why) < 0,
	   "a reader cannot write: %s", why.text);
	store_close(s, NULL);
}

/* A quote in the name of an axis must not end it. */
static void quoted(void)
{
	static const char *const odd[] = {"engine.a\"b; DROP TABLE point"};
	struct store *s =
	    store_open(scratch_path("odd.db"), STORE_WRITE_ALONE, &why);
	ok(s && store_begin(s, &stored_study, odd, 1, &why) == 0,
	   "any name is a column: %s", why.text);
	if (s)
		is(store_axes(s)->item[0], odd[0], "and reads back the same");
	if (s)
		stored_close(s);
}

static int goes_on(const struct store_study *study, const char *const *axis,
		   size_t n)
{
	why = (struct problem){0};
	struct store *s = store_open(scratch_path("on.db"), STORE_WRITE, &why);
	int rc = s ? store_begin(s, study, axis, n, &why) : -1;
	if (s)
		store_close(s, NULL);
	return rc;
}

static void gone_on_with(void)
{
	static const char *const other[] = {"engine.max_num_seqs",
					    "engine.block_size"};
	static const char *const turned[] = {"cost_model:b.knob",
					     "engine.max_num_seqs"};
	struct store_study x = stored_study;
	stored_file("on.db", &x);
	x.points = 9, x.configuration = "[engine]\n", x.arms = "c";
	ok(goes_on(&x, turned, 2) == 0,
	   "more points, another configuration: it goes on");
	struct store *s = store_open(scratch_path("on.db"), STORE_READ, &why);
	ok(s && store_study(s)->points == 9 &&
	       !strcmp(store_study(s)->arms, "c"),
	   "and the study is the later one");
	if (s)
		store_close(s, NULL);
	ok(goes_on(&x, other, 2) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "engine.max_num_seqs, cost_model:b.knob"),
	   "other axes: %s", why.text);
	ok(goes_on(&x, turned, 1) < 0 && why.code == EXIT_USAGE,
	   "fewer axes: %s", why.text);
	x.shard = 1, x.shards = 3;
	ok(goes_on(&x, turned, 2) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "shard 0 of 0 and not 1 of 3"),
	   "another shard: %s", why.text);
	x.shard = 0, x.shards = 3;
	ok(goes_on(&x, turned, 2) < 0 &&
	       strstr(why.text, "shard 0 of 0 and not 0 of 3"),
	   "of other shards: %s", why.text);
	x = stored_study;
	x.mode = STORE_CAPACITY;
	ok(goes_on(&x, turned, 2) < 0 && why.code == EXIT_USAGE &&
	       strstr(why.text, "run results and not capacity results"),
	   "another mode: %s", why.text);
}

static void foreign(void)
{
	size_t n;
	refused(scratch_path("absent.db"), STORE_READ, EXIT_USAGE,
		"No such file");
	refused(scratch_path("no/folder.db"), STORE_WRITE, EXIT_USAGE,
		"cannot write");
	const char *text =
	    scratch_file("text.db", "This is a text, and no database at all; "
				    "long enough to have a header's length.\n"
				    "And another line of it, for a hundred.\n");
	refused(text, STORE_READ, EXIT_INPUT, "not a store");
	refused(text, STORE_WRITE, EXIT_INPUT, "not a store");
	char *all = bytes(text, &n);
	ok(strstr(all, "And another line") != NULL, "which stays as it is");
	free(all);
	refused(scratch_file("empty.db", ""), STORE_READ, EXIT_INPUT,
		"is empty, not a store");
	stored_alter(scratch_path("sql.db"), "CREATE TABLE study (x)");
	refused(scratch_path("sql.db"), STORE_WRITE, EXIT_INPUT,
		"an SQLite file, but not the store");
	stored_file("schema.db", &stored_study);
	stored_alter(scratch_path("schema.db"), "UPDATE study SET schema = 99");
	refused(scratch_path("schema.db"), STORE_READ, EXIT_INPUT,
		"of schema 99, but this stepcost reads schema 1");
	stored_without_digests("mode.db", &stored_study);
	stored_alter(scratch_path("mode.db"),
		     "UPDATE study SET mode = 'dance'");
	refused(scratch_path("mode.db"), STORE_READ, EXIT_INPUT,
		"which this version cannot read");
	stored_alter(scratch_path("mode.db"), "UPDATE study SET mode = NULL");
	refused(scratch_path("mode.db"), STORE_READ, EXIT_INPUT,
		"holds results of mode ''");
	stored_file("none.db", &stored_study);
	stored_alter(scratch_path("none.db"), "DROP TABLE study");
	refused(scratch_path("none.db"), STORE_READ, EXIT_INPUT,
		"an SQLite file, but not the store");
	refused("", STORE_WRITE, EXIT_USAGE, "the name of a store is empty");
}

/* What the study says, and what the tables are called, is signed. */
static void altered(void)
{
	static const char *const sql[] = {
	    "UPDATE study SET mode = 'dance'",
	    "UPDATE study SET configuration = '[engine]'",
	    "UPDATE study SET points = 5",
	    "UPDATE study SET digest = NULL",
	    "DELETE FROM study",
	    "ALTER TABLE result RENAME COLUMN mean_ttft_ms TO x",
	    "DROP VIEW results; CREATE VIEW results AS SELECT 1",
	};
	for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
		unlink(scratch_path("altered.db"));
		stored_alter(stored_file("altered.db", &stored_study), sql[i]);
		refused(scratch_path("altered.db"),
			i % 2 ? STORE_READ : STORE_WRITE, EXIT_INPUT,
			"is damaged");
		struct store *s =
		    store_open(scratch_path("altered.db"), STORE_CHECK, &why);
		ok(i == 4 || (s && store_complaint(s)),
		   "it can be checked all the same");
		if (s)
			store_close(s, NULL);
	}
}

static void without_digests(void)
{
	const char *path = stored_without_digests("old.db", &stored_study);
	struct store *s = store_open(path, STORE_READ, &why);
	ok(s && !store_has_digests(s) && !store_complaint(s),
	   "a store from before rows had digests can be read");
	if (s)
		store_close(s, NULL);
	stored_alter(path, "UPDATE study SET options = NULL");
	s = store_open(path, STORE_WRITE, &why);
	ok(s && !*store_study(s)->options, "an option that is none is empty");
	ok(s &&
	       store_begin(s, &stored_study, stored_axis, N_STORED_AXES, &why) <
		   0 &&
	       why.code == EXIT_USAGE && strstr(why.text, "sweep merge"),
	   "and not written: %s", why.text);
	if (s)
		store_close(s, NULL);
}

/* Cut off at any page, it is refused. */
static void damaged(void)
{
	enum { PAGE = 4096 };
	size_t n, opened = 0, cuts = 0;
	char *all = bytes(stored_file("whole.db", &stored_study), &n);
	for (size_t at = PAGE; at < n; at += PAGE, cuts++) {
		const char *cut = scratch_path("cut.db");
		write_bytes(cut, all, at);
		struct store *s = store_open(cut, STORE_READ, &why);
		opened += s != NULL;
		if (s)
			store_close(s, NULL);
		else if (why.code != EXIT_INPUT)
			opened++;
	}
	ok(cuts >= 3 && opened == 0, "cut at each of %zu pages: %s", cuts,
	   why.text);
	for (size_t page = 1; page < n / PAGE; page++)
		memset(all + page * PAGE, 0x5a, 100);
	write_bytes(scratch_path("torn.db"), all, n);
	refused(scratch_path("torn.db"), STORE_READ, EXIT_INPUT,
		"is damaged or cut off");
	free(all);
}

/* A process that dies keeps what it committed, and nothing later. */
static void killed(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		struct store *s = stored_open("killed.db");
		if (stored_add(s, "p1", "8", "x", "a", 1) == 0 &&
		    store_commit(s, &why) == 0 &&
		    stored_add(s, "p2", "8", "y", "a", 1) == 0)
			_exit(7);
		_exit(1);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "one row is committed, another is not");
	struct store_counts c = {0};
	struct store *s =
	    store_open(scratch_path("killed.db"), STORE_WRITE, &why);
	ok(s && store_count(s, &c, &why) == 0 && c.rows == 1 && c.points == 1,
	   "the first is there, alone");
	if (s)
		stored_close(s);
}

/* Two processes cannot write; the second is told who does. */
static void held(void)
{
	struct store *s = stored_open("held.db");
	pid_t pid = fork();
	if (pid == 0) {
		struct store *t =
		    store_open(scratch_path("held.db"), STORE_WRITE, &why);
		_exit(!t && why.code == EXIT_USAGE &&
			      strstr(why.text, "is being written by process")
			  ? 7
			  : 1);
	}
	int status = 0;
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	   "one process writes at a time");
	stored_close(s);
}

int main(void)
{
	scratch_open();
	made();
	opened_again();
	quoted();
	gone_on_with();
	foreign();
	altered();
	without_digests();
	damaged();
	killed();
	held();
	return done();
}

/* A store after its writer was killed, or while it writes: what a reader finds,
 * with and without permission to write. */
#include "store/store_private.h"
#include <signal.h>
#include <sys/wait.h>
#include "store/damage.h"
#include "stored.h"

enum { NOBODY = 65534 };

static int exists(const char *name, const char *suffix)
{
	char path[500];
	snprintf(path, sizeof path, "%s%s", scratch_path(name), suffix);
	return access(path, F_OK) == 0;
}

static void ignore(void *user, const char *row)
{
	(void)user, (void)row;
}

/* Reads the store; returns how many rows are good, or -1 with `why`. */
static int rows(const char *path)
{
	uint64_t good = 0;
	struct store *s = store_open(path, STORE_READ, &why);
	int rc = s ? damage_find(s, ignore, NULL, &good, &why) : -1;
	if (s)
		store_close(s, NULL);
	return rc < 0 ? -1 : (int)good;
}

static int wait_for(pid_t pid)
{
	int status = 0;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The same as a user who may only read, in another process. */
static int rows_of_nobody(const char *path, const char *says)
{
	pid_t pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
			_exit(99);
		int n = rows(path);
		if (n < 0)
			printf("# %s\n", why.text);
		fflush(stdout);
		_exit(n >= 0 ? n : says && strstr(why.text, says) ? 98 : 97);
	}
	return wait_for(pid);
}

/* A folder of its own, read-only when it is closed. */
static const char *in_folder(const char *name)
{
	static char path[400];
	snprintf(path, sizeof path, "%s/x.db", name);
	scratch_folder(name);
	unlink(scratch_path(path));
	return stored_file(path, &stored_study);
}

static void close_folder(const char *name)
{
	char path[400];
	snprintf(path, sizeof path, "%s/x.db", name);
	if (chmod(scratch_path(path), 0444) || chmod(scratch_path(name), 0555))
		bail_out("chmod");
}

/* Leaves the journal of a transaction that was not committed, as a process does
 * that is killed: all rows are changed, and the changes are in the file. */
static void leave_journal(const char *path)
{
	pid_t pid = fork();
	if (pid == 0) {
		stored_alter(path, "PRAGMA cache_size = 1");
		sqlite3 *db;
		int bad = sqlite3_open(path, &db) != SQLITE_OK ||
			  sqlite3_exec(db,
				       "PRAGMA cache_size = 1; BEGIN;"
				       "UPDATE result SET mean_ttft_ms = 99,"
				       "warning = hex(zeroblob(50000))",
				       NULL, NULL, NULL) != SQLITE_OK;
		_exit(bad);
	}
	if (wait_for(pid))
		bail_out("no journal");
}

/* Leaves a WAL: one row more is committed, another one is not. */
static void leave_wal(const char *name)
{
	pid_t pid = fork();
	if (pid == 0) {
		struct store *s = stored_open(name);
		int bad = stored_add(s, "p3", "32", "x", "a", 30) < 0 ||
			  store_commit(s, &why) < 0 ||
			  stored_add(s, "p4", "64", "x", "a", 40) < 0;
		_exit(bad);
	}
	if (wait_for(pid))
		bail_out("no WAL");
}

static void after_a_kill(void)
{
	const char *path = in_folder("journal");
	leave_journal(path);
	ok(exists("journal/x.db", "-journal"), "a journal is left");
	ok(rows(path) == 4, "a reader undoes the transaction: %s", why.text);
	ok(!exists("journal/x.db", "-journal"), "and the journal is gone");
	path = in_folder("wal");
	leave_wal("wal/x.db");
	ok(exists("wal/x.db", "-wal"), "a WAL is left");
	ok(rows(path) == 5, "a reader finds what was committed: %s", why.text);
	ok(!exists("wal/x.db", "-wal") && !exists("wal/x.db", "-shm"),
	   "and leaves a single file");
	ok(rows(path) == 5, "which has the rows");
}

/* A user without permission reads rightly, or is told what to do. */
static void without_permission(void)
{
	chmod(scratch_path("."), 0755);
	const char *path = in_folder("rest");
	close_folder("rest");
	ok(rows_of_nobody(path, NULL) == 4, "a store at rest");
	path = in_folder("hot");
	leave_journal(path);
	close_folder("hot");
	ok(rows_of_nobody(path, "or resume the sweep") == 98,
	   "a journal: what would finish it");
	path = in_folder("hotwal");
	leave_wal("hotwal/x.db");
	chmod(scratch_path("hotwal/x.db-shm"), 0444);
	chmod(scratch_path("hotwal/x.db-wal"), 0444);
	close_folder("hotwal");
	ok(rows_of_nobody(path, NULL) == 5, "a WAL: all that was committed");
	path = in_folder("odd ?%#");
	stored_alter(path, "PRAGMA journal_mode = WAL");
	close_folder("odd ?%#");
	ok(rows_of_nobody(path, NULL) == 4,
	   "WAL without anything in it, in a folder with an odd name");
	static const char *const name[] = {"rest", "hot", "hotwal", "odd ?%#"};
	for (int i = 0; i < 4; i++)
		chmod(scratch_path(name[i]), 0755);
}

/* A reader of a store that is being written leaves the writer alone. */
static void while_written(enum store_use use, const char *name)
{
	struct store *s = store_open(scratch_path(name), use, &why);
	if (!s ||
	    store_begin(s, &stored_study, stored_axis, N_STORED_AXES, &why) <
		0 ||
	    stored_add(s, "p1", "8", "x", "a", 1) < 0 ||
	    store_commit(s, &why) < 0 ||
	    stored_add(s, "p2", "16", "x", "a", 2) < 0)
		bail_out(why.text);
	ok(rows_of_nobody(scratch_path(name), NULL) == 1,
	   "what is committed, to another user");
	pid_t pid = fork();
	if (pid == 0)
		_exit(rows(scratch_path(name)) & 127);
	ok(wait_for(pid) == 1, "and to the same");
	ok(store_commit(s, &why) == 0, "the writer goes on: %s", why.text);
	stored_close(s);
	ok(rows(scratch_path(name)) == 2, "and has both rows");
}

static void no_file(void)
{
	const char *path = scratch_path("pipe.db");
	if (mkfifo(path, 0666))
		bail_out("mkfifo");
	ok(rows(path) < 0 && strstr(why.text, "is a pipe") &&
	       why.code == EXIT_USAGE,
	   "%s", why.text);
	ok(!store_open(path, STORE_WRITE, &why) &&
	       strstr(why.text, "is a pipe"),
	   "%s", why.text);
	ok(!exists("pipe.db", ".lock"), "without a lock");
	ok(rows(scratch_path(".")) < 0 && strstr(why.text, "Is a directory"),
	   "%s", why.text);
	ok(rows("/dev/zero") < 0 && strstr(why.text, "is a device"), "%s",
	   why.text);
}

/* A pipe beside a store is not waited for. */
static void beside_it(void)
{
	static const char *const suffix[] = {"-journal", "-wal", "-shm",
					     ".lock"};
	const char *path = in_folder("beside");
	for (int i = 0; i < 4; i++) {
		char other[500], want[600];
		snprintf(other, sizeof other, "%s%s", path, suffix[i]);
		snprintf(want, sizeof want, "%s: is not a regular file", other);
		if (mkfifo(other, 0666))
			bail_out("mkfifo");
		ok(rows(path) < 0 && strstr(why.text, want) &&
		       why.code == EXIT_USAGE,
		   "a reader: %s", why.text);
		ok(!store_open(path, STORE_WRITE, &why) &&
		       strstr(why.text, want) && why.code == EXIT_USAGE,
		   "a writer: %s", why.text);
		unlink(other);
	}
	ok(rows(path) == 4, "without them it is read: %s", why.text);
}

/* A reader sees the rows of one moment. */
static void one_moment(void)
{
	uint64_t good;
	struct store *s = stored_open("moment.db");
	stored_add(s, "p1", "8", "x", "a", 1);
	store_commit(s, &why);
	struct store *r =
	    store_open(scratch_path("moment.db"), STORE_READ, &why);
	stored_add(s, "p2", "16", "x", "a", 1);
	store_commit(s, &why);
	ok(r && damage_find(r, ignore, NULL, &good, &why) == 0 && good == 1,
	   "a row that comes later is not seen");
	if (r)
		store_close(r, NULL);
	stored_close(s);
}

/* A journal that names a file has the format's first bytes at its end. */
static void named_journal(void)
{
	static const char magic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
	const char *path = in_folder("named");
	char journal[500];
	snprintf(journal, sizeof journal, "%s-journal", path);
	static const struct {
		size_t from, n;
	} part[] = {{8, 0}, {1, 7}, {0, 8}};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		FILE *f = fopen(journal, "wb");
		if (!f ||
		    fwrite(magic + part[i].from, 1, part[i].n, f) !=
			part[i].n ||
		    fclose(f))
			bail_out(journal);
		if (part[i].n < 8)
			ok(rows(path) == 4, "%zu bytes: %s", part[i].n,
			   why.text);
		else
			ok(rows(path) < 0 && why.code == EXIT_INPUT &&
			       strstr(why.text, "-journal: names another file"),
			   "%s", why.text);
	}
	ok(!store_open(path, STORE_WRITE, &why) &&
	       strstr(why.text, "-journal: names another file"),
	   "a writer: %s", why.text);
	unlink(journal);
}

/* Odd names, and a file beside it that is empty. */
static void odd_names(void)
{
	const char *path = stored_file("a:b?c#d%e.db", &stored_study);
	char *here = getcwd(NULL, 0);
	scratch_file("a:b?c#d%e.db-wal", "");
	ok(rows(path) == 4, "odd characters: %s", why.text);
	if (!here || chdir(scratch))
		bail_out(scratch);
	ok(rows("a:b?c#d%e.db") == 4, "a relative path: %s", why.text);
	if (chdir(here))
		bail_out(here);
	free(here);
}

/* A writer that ends while another process reads leaves the file as it is. */
static void closed_while_read(void)
{
	struct store *s = stored_open("busy.db");
	if (stored_add(s, "p1", "8", "x", "a", 1) < 0 ||
	    store_commit(s, &why) < 0)
		bail_out(why.text);
	struct store *r = store_open(scratch_path("busy.db"), STORE_READ, &why);
	ok(r && store_close(s, &why) == 0, "it closes: %s", why.text);
	if (r)
		store_close(r, NULL);
	ok(rows(scratch_path("busy.db")) == 1, "and its row is there");
}

int main(void)
{
	scratch_open();
	after_a_kill();
	without_permission();
	while_written(STORE_WRITE, "live.db");
	while_written(STORE_WRITE_ALONE, "shard.db");
	no_file();
	beside_it();
	one_moment();
	named_journal();
	odd_names();
	closed_while_read();
	return done();
}

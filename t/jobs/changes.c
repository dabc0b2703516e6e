/* Files that are watched: what counts as a change, which files are sources, and
 * what a build writes itself. */
#include "jobs/changes.h"
#include "scratch.h"

static const struct changes none;

static int has(const struct changes *w, const char *name)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->file[i].path, scratch_path(name)))
			return 1;
	return 0;
}

static void sources(void)
{
	struct changes w = {0};
	struct problem p = {0};
	scratch_folder("own/original");
	scratch_folder("own/.git");
	scratch_file("own/own.c", "int one;");
	scratch_file("own/Makefile", "all:");
	scratch_file("own/original/part.h", "int two;");
	scratch_file("own/.git/hidden.c", "int three;");
	scratch_file("own/own.so", "ELF");
	scratch_file("own/answers.csv", "1");
	ok(changes_add_sources(&w, scratch_path("own"), &none, &p) == 0 &&
	       changes_sources(&w) == 3 && w.n == 3,
	   "sources are found in a folder and below it");
	ok(has(&w, "own/own.c") && has(&w, "own/Makefile") &&
	       has(&w, "own/original/part.h"),
	   "by the ends of their names, and Makefiles");
	ok(changes_add(&w, scratch_path("own/own.so"), &none) == 0 &&
	       changes_add(&w, scratch_path("own/own.c"), &none) == 0 &&
	       w.n == 4 && changes_sources(&w) == 3,
	   "any file by its name, and none twice");
	changes_free(&w);
	ok(changes_add_sources(&w, scratch_path("absent"), &none, &p) == 0 &&
	       w.n == 0,
	   "a folder that is not there has none");
	changes_free(&w);
}

static void too_many(void)
{
	struct changes w = {0};
	struct problem p = {0};
	char name[40];
	scratch_folder("many");
	for (int i = 0; i <= CHANGES_ENTRIES; i++) {
		snprintf(name, sizeof name, "many/%d", i);
		FILE *f = fopen(scratch_path(name), "w");
		if (!f || fclose(f))
			bail_out("a file");
	}
	ok(changes_add_sources(&w, scratch_path("many"), &none, &p) < 0 &&
	       p.code == EXIT_USAGE && strstr(p.text, "20000 files"),
	   "a folder with too many files is refused: %s", p.text);
	changes_free(&w);
}

static void changes(void)
{
	struct changes w = {0}, again = {0};
	scratch_file("a", "one");
	scratch_file("b", "one");
	changes_add(&w, scratch_path("a"), &none);
	changes_add(&w, scratch_path("b"), &none);
	changes_add(&w, scratch_path("c"), &none);
	scratch_file("b", "three");
	changes_add(&again, scratch_path("b"), &w);
	is(changes_wait(&w)->path, scratch_path("b"), "a file that changed");
	is(changes_wait(&again)->path, scratch_path("b"),
	   "also if it changed before it was added again");
	scratch_file("c", "now");
	is(changes_wait(&w)->path, scratch_path("c"), "a file that appeared");
	unlink(scratch_path("a"));
	is(changes_wait(&w)->path, scratch_path("a"), "a file that went");
	changes_free(&w);
	changes_free(&again);
}

/* Returns 1 if a change of the file waits to be seen. */
static int waits(const struct changes_file *f)
{
	struct stat now;
	return stat(f->path, &now) == 0 && now.st_size != f->is.st_size;
}

static void builds(void)
{
	struct changes w = {0};
	struct problem p;
	scratch_folder("built");
	scratch_file("built/x.c", "1");
	scratch_file("built/x.so", "1");
	changes_add(&w, scratch_path("built/x.so"), &none);
	changes_add_sources(&w, scratch_path("built"), &none, &p);
	scratch_file("built/x.so", "22");
	scratch_file("built/x.c", "22");
	changes_built(&w);
	ok(!waits(&w.file[0]), "what a build makes is no change");
	ok(waits(&w.file[1]), "a source that changed meanwhile is one");
	is(changes_wait(&w)->path, scratch_path("built/x.c"), "it is seen");
	scratch_file("built/x.c", "333");
	changes_built(&w);
	ok(!waits(&w.file[1]), "a source that every build changes is its own");
	changes_built(&w);
	scratch_file("built/x.c", "4444");
	changes_built(&w);
	ok(waits(&w.file[1]), "until a build has left it alone");
	changes_free(&w);
}

int main(void)
{
	scratch_open();
	sources();
	too_many();
	changes();
	builds();
	return done();
}

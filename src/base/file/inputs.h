/* base/file/inputs.h -- the one list of all inputs of a run: files, sets of
 * tables, plugins of arms; and of the files that it writes.  The identity of a
 * result, the key of a stored row and the content of a bundle are made from it.
 *
 * Files are noted where they are opened (infile.c, loader.c), and only there.
 * Therefore the list belongs to the process: if callers handed it down, a
 * reader without it would be missing from it, unnoticed.  It lies in memory
 * that children share, so that it has the files of jobs.  A child only adds to
 * it, without locks; one that ends early leaves the others' entries whole.
 *
 * Before inputs_begin() nothing is noted (unit tests, fuzz targets).  An entry
 * that is equal to another is noted once.  [any process] */
#pragma once
#include <stddef.h>

enum input_kind {
	INPUT_FILE,    /* path, as it was opened */
	INPUT_TABLES,  /* name of a set, the folder that has it */
	INPUT_FOUND,   /* the same of a set that was found by its name */
	INPUT_ARM,     /* enum input_arm */
	INPUT_PROGRAM, /* version, commit, "1" if sources were changed */
	INPUT_OPTION,  /* "--steps" or "CONFIG", its value */
	INPUT_OUTPUT,  /* path of a file that was written */
	INPUT_TRACE,   /* path of a file of requests, which is a file, too */
	N_INPUT_KINDS
};
/* The texts of an INPUT_ARM; "": its plugin does not say. */
enum input_arm {
	ARM_NAME,
	ARM_FILE, /* path of its plugin */
	ARM_PLUGIN,
	ARM_ID,
	ARM_VERSION,
	ARM_LICENCE,
	ARM_CITATION,
	ARM_DOES_IO, /* "1": it is more than its file */
	N_ARM_TEXTS
};
enum { INPUT_TEXTS = N_ARM_TEXTS };

struct input {
	enum input_kind kind;
	const char *text[INPUT_TEXTS]; /* "" behind the last */
};

/* Returns 0, or -1 with errno. */
int inputs_begin(void);
/* Notes n texts (at most INPUT_TEXTS; NULL counts as ""; 0: nothing). */
void inputs_note(enum input_kind kind, const char *const *text, size_t n);
void inputs_note_file(const char *path);
/* Returns the entries of a kind in the order of their texts, *n of them; the
 * caller frees the array, the texts stay.  NULL: there is none, or memory is
 * out. */
struct input *inputs_list(enum input_kind kind, size_t *n);
/* Returns how many entries found no room. */
size_t inputs_lost(void);

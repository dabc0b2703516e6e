/* store/rows.h -- rows of a store, one by one: added, and looked for. */
#ifndef SC_STORE_ROWS_H
#define SC_STORE_ROWS_H
#include "store/store.h"

enum {
	STORE_POINT = 17, /* bytes of a point's name, with its NUL           */
	STORE_KEY = 65,
	STORE_STATUS = 16,
	STORE_WARNING = 1200,
};
/* What became of a point under an arm. */
enum store_status {
	STATUS_OK,
	STATUS_REFUSED, /* it cannot be                                     */
	STATUS_FAILED,  /* its plugin crashed, hung, or said so             */
	N_STATUS
};
extern const char *const store_status_name[N_STATUS];

struct store_row {
	const char *point;
	const char *const *axis; /* its value of each axis, in order         */
	const char *arm;
	int64_t seed;
	const char *key;
	enum store_status status;
	const char *error, *warning; /* NULL: none                           */
	const double *number; /* of store_number(); NaN: does not apply; NULL:
				 none does                                   */
	const char *const *text; /* of store_text(); NULL: likewise          */
	/* for the log */
	int64_t at_s; /* since 1970 */
	double seconds, cpu_seconds;
	const char *host;
	int64_t process;
};
/* Replaces what there was of that point, arm and seed.  There for good after
 * store_commit().  0, or -1 with *p. */
int store_add(struct store *s, const struct store_row *row, struct problem *p);

struct store_found {
	char key[STORE_KEY];
	enum store_status status;
};
/* 1: there is a row; 0: there is none; -1: *p. */
int store_find(struct store *s, const char *point, const char *arm,
	       int64_t seed, struct store_found *out, struct problem *p);
struct store_counts {
	int64_t points, rows, refused, failed;
};
/* 0, or -1 with *p. */
int store_count(struct store *s, struct store_counts *c, struct problem *p);
#endif

/* store/rows.h -- adds and finds single rows of a store. */
#pragma once
#include "store/store.h"

enum {
	STORE_POINT = 17, /* bytes of a point's name, NUL included */
	STORE_KEY = 65,
	STORE_STATUS = 16,
	STORE_WARNING = 1200,
};
/* A key that knows everything that its row read begins with this letter; the
 * keys of earlier builds are hex digits alone. */
enum { STORE_KEY_KNOWS_INPUTS = 'r' /* also in store_count() */ };
/* The outcome of a point with an arm. */
enum store_status {
	STATUS_OK,
	STATUS_REFUSED, /* the configuration is impossible */
	STATUS_FAILED,  /* its plugin crashed, hung, or reported an error */
	N_STATUS
};
extern const char *const store_status_name[N_STATUS];

struct store_row {
	const char *point;
	const char *const *axis; /* its value on each axis of the store */
	const char *arm;
	int64_t seed;
	const char *key;
	enum store_status status;
	const char *error, *warning; /* NULL: none */
	/* as in store_number(); NaN: does not apply; NULL: no numbers */
	const double *number;
	const char *const *text; /* as in store_text(); NULL: no texts */
	/* For the log: */
	int64_t at_s; /* seconds since 1970 */
	double seconds, cpu_seconds;
	const char *host;
	int64_t process;
};
/* Replaces an earlier row of that point, arm and seed.  It is permanent after
 * store_commit().  Returns 0, or -1 with *p filled in. */
int store_add(struct store *s, const struct store_row *row, struct problem *p);

struct store_found {
	char key[STORE_KEY];
	enum store_status status;
};
/* Returns 1 if there is a row, 0 if not, or -1 with *p filled in. */
int store_find(struct store *s, const char *point, const char *arm,
	       int64_t seed, struct store_found *out, struct problem *p);
struct store_counts {
	int64_t points, rows, refused, failed;
	int64_t former; /* rows from before keys had the inputs */
};
/* Returns 0, or -1 with *p filled in. */
int store_count(struct store *s, struct store_counts *c, struct problem *p);

/* Simulations that are kept: what changes their key, and what the file holds.
 */
#include "arena/stored.h"
#include "measured_runs.h"

static struct validate_options options;
static struct stored store;

static const char one_row[] = "S-1,mine,mine,10,5,0.2,0.1,0.6,\n";

static void key_again(char key[STORE_KEY])
{
	char *what = stored_describe(v.row_replays.row_replay);
	ok(what && stored_key(&store, what, &v, 0, 0, key) == 0 &&
	       strlen(key) == 64,
	   "a key");
	free(what);
}

static void key_of(const char *arms, const char *rows, char key[STORE_KEY])
{
	if (runs_open(arms, rows, &options) < 0)
		bail_out(why.text);
	key_again(key);
}

static void keys(void)
{
	char a[STORE_KEY], b[STORE_KEY];
	key_of(CONFIG_ARM("x", "100") CONFIG_ARM("y", "1"), one_row, a);
	key_of(CONFIG_ARM("x", "100") CONFIG_ARM("y", "2"), one_row, b);
	is(a, b, "another arm does not matter");
	key_of(CONFIG_ARM("x", "101"), one_row, b);
	ok(strcmp(a, b) != 0, "a knob does");
	key_of("[engine]\nmax_num_seqs=7\n" CONFIG_ARM("x", "100"), one_row, b);
	ok(strcmp(a, b) != 0, "so does the engine");
	key_of(CONFIG_ARM("x", "100"), "S-1,mine,mine,11,5,0.2,0.1,0.6,\n", b);
	ok(strcmp(a, b) != 0, "and a request");
	key_of(CONFIG_ARM("x", "100"), one_row, b);
	is(a, b, "the same once more");
	v.row_replays.row_replay[0].protocol.seed++;
	key_again(b);
	ok(strcmp(a, b) != 0, "and what draws later simulations");
}

static void file(void)
{
	char key[STORE_KEY];
	struct stored again;
	const char *path = scratch_path("s.csv");
	if (stored_open(&store, path, &why) < 0)
		bail_out(why.text);
	key_of(CONFIG_ARM("x", "100"), one_row, key);
	ok(!stored_take(&store, key, &v, 0, 0), "it is not known");
	if (validation_run(&v, &options, &why) < 0)
		bail_out(why.text);
	struct prediction was = *validation_of(&v, 0, 0);
	ok(stored_add(&store, key, &v, 0, 0) == 0 &&
	       stored_save(&store, &why) == 0,
	   "it is kept");
	memset(v.prediction, 0, sizeof *v.prediction);
	ok(stored_open(&again, path, &why) == 0 &&
	       stored_take(&again, key, &v, 0, 0),
	   "and found again");
	ok(v.prediction->priced &&
	       !memcmp(v.prediction->time, was.time, sizeof was.time),
	   "with the same bits");
	stored_free(&again);
	strcpy(store.program, "another build");
	ok(stored_save(&store, &why) == 0 &&
	       stored_open(&again, path, &why) == 0 && again.n == 0,
	   "rows of another build are dropped");
	stored_free(&again);
	scratch_file("s.csv", "a,b\n1,2\n");
	ok(stored_open(&again, path, &why) < 0 && why.code == EXIT_INPUT,
	   "another file is refused: %s", why.text);
	stored_free(&again);
}

int main(void)
{
	scratch_open();
	if (stored_open(&store, scratch_path("none.csv"), &why) < 0)
		bail_out(why.text);
	keys();
	stored_free(&store);
	file();
	stored_free(&store);
	runs_close();
	return done();
}

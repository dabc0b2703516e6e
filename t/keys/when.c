/* keys/when: conditions on keys hold, fail, and say why. */
#include "keys/when.h"
#include "tap.h"
#include "keys/keys.h"
#include "stepcost/knob.h"

struct block {
	int64_t memory, floor;
	double gain;
	const char *file;
	double a, b;
};
static const char *const memories[] = {"single", "hybrid", "both", NULL};
static const sc_knob *const knob[] = {
    SC_CHOICE(struct block, memory, "single", memories, "m"),
    SC_BOOL(struct block, floor, "true", "f"),
    SC_DOUBLE(struct block, gain, "0.5", 0, 9, "1", "g"),
    KEY_TEXT_OF(struct block, file, "", "t"),
    SC_DOUBLE(struct block, a, "1", 0, 9, "1", "a", .when = "memory=hybrid"),
    SC_DOUBLE(struct block, b, "1", 0, 9, "1", "b",
	      .when = "memory=single ; floor=true & gain>0.1"),
};
enum { N = sizeof knob / sizeof *knob };

static struct block block;
static const struct when_of of = {knob, N, &block};

static void set(const char *ini)
{
	struct ini c = {0};
	struct problem p;
	if (ini_read(&c, ini, strlen(ini), &p) < 0 ||
	    knobs_fill(&block, knob, N, NULL, &c, "s", "", &p) < 0)
		bail_out(p.text);
	block.file = strstr(ini, "file") ? "x.csv" : "";
	ini_free(&c);
}

static void check_holds(void)
{
	static const struct {
		const char *ini, *when;
		int holds;
	} is[] = {
	    {"[s]\n", NULL, 1},
	    {"[s]\n", "memory=single", 1},
	    {"[s]\n", "memory = hybrid", 0},
	    {"[s]\n", "memory=hybrid|single", 1},
	    {"[s]\nmemory = both\n", "memory=hybrid | both", 1},
	    {"[s]\n", "gain>0.4", 1},
	    {"[s]\n", "gain>0.5", 0},
	    {"[s]\n", "gain<0.6 & floor=true", 1},
	    {"[s]\nfloor = false\n", "gain<0.6 & floor=true", 0},
	    {"[s]\nfloor = false\n", "gain>1 ; floor=false", 1},
	    {"[s]\n", "gain>1 ; floor=false", 0},
	    {"[s]\ngain = 2.0\n", "gain=2", 1},
	    {"[s]\n", "file=*", 0},
	    {"[s]\nfile = x.csv\n", "file=*", 1},
	    {"[s]\n", "nothing=1", 0},
	};
	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		set(is[i].ini);
		ok(when_holds(is[i].when, &of) == is[i].holds, "%s: %s",
		   is[i].when ? is[i].when : "always",
		   is[i].holds ? "holds" : "does not hold");
	}
}

static void check_faults(void)
{
	static const char *const bad[][2] = {
	    {"memory", "is not KEY=VALUE"},
	    {"nothing=1", "no key 'nothing'"},
	    {"memory=triple", "'triple' is no value of memory"},
	    {"gain>much", "'much' is not a number"},
	    {"gain>1 &", "is not KEY=VALUE"},
	    {"gain>1 ; floor=maybe", "'maybe' is no value of floor"}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct problem p = {0};
		ok(when_check(bad[i][0], knob, N, &p) < 0 &&
		       strstr(p.text, bad[i][1]),
		   "%s: %s", bad[i][0], p.text);
	}
	for (int i = 0; i < N; i++)
		ok(!knob_when(knob[i]) ||
		       when_check(knob_when(knob[i]), knob, N, NULL) == 0,
		   "%s is sound", knob[i]->name);
}

/* The keys without an effect, and the state that takes it from them. */
static void check_inert(void)
{
	const char *text = "[s]\nmemory = both\nfloor = false\na = 1\nb = 2\n";
	struct ini c = {0};
	struct problem p;
	char state[WHEN_STATE];
	uint32_t i = 0;
	if (ini_read(&c, text, strlen(text), &p) < 0)
		bail_out(p.text);
	set(text);
	const struct ini_item *item = when_inert(&of, &c, "s", "", &i);
	ok(item && !strcmp(item->key, "a"), "a, with another memory");
	when_state(state, knob_when(knob[i - 1]), &of);
	is(state, "memory = both", "says so");
	item = when_inert(&of, &c, "s", "", &i);
	ok(item && !strcmp(item->key, "b"), "b, with neither group");
	when_state(state, knob_when(knob[i - 1]), &of);
	is(state, "memory = both and floor = false and gain = 0.5",
	   "says all of it");
	ok(!when_inert(&of, &c, "s", "", &i), "and no more");
	ok(when_asks("memory=both ; gain>1", "gain") &&
	       !when_asks("memory=both", "gain") && !when_asks(NULL, "gain"),
	   "a condition tells the keys that it asks for");
	when_state(state, "file=x|y & file=z", &of);
	is(state, "no file", "an empty text is none, and named once");
	ini_free(&c);
}

int main(void)
{
	check_holds();
	check_faults();
	check_inert();
	return done();
}

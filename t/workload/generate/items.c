#include "workload/generate/items.h"
#include "tap.h"
#include "workload_of.h"

static struct problem p;
static struct ini c;
static struct workload_keys k;
static struct generated_items g;

#define LENGTHS "input_tokens=9 output_tokens=9 "

static int open_with(const char *keys)
{
	return workload_of(&k, &c, keys, &p) < 0
		   ? -1
		   : generated_items_open(&g, &k, &c, &p);
}

static void must(const char *keys)
{
	if (open_with(keys) < 0)
		bail_out(p.text);
}

static void done_with(void)
{
	generated_items_free(&g);
	ini_free(&c);
}

/* Draws the items of one prompt; returns the sum of their lengths. */
static uint64_t add(uint64_t which, uint64_t offset)
{
	uint64_t tokens;
	g.n = 0;
	if (generated_items_add(&g, which, offset, &tokens, &p) < 0)
		bail_out(p.text);
	return tokens;
}

static void side_by_side(void)
{
	must(LENGTHS "mm_item_tokens=uniform:10,90 mm_items_per_prompt=3");
	uint64_t tokens = add(7, 100);
	int touch = g.n == 3 && g.item[0].offset == 100;
	for (uint32_t i = 0; touch && i + 1 < g.n; i++)
		touch =
		    g.item[i].offset + g.item[i].length == g.item[i + 1].offset;
	ok(touch, "three items side by side");
	ok(tokens ==
	       (uint64_t)g.item[0].length + g.item[1].length + g.item[2].length,
	   "and the sum of their lengths");
	uint64_t name = g.item[1].name;
	ok(name != g.item[0].name && name != g.item[2].name, "all of them new");
	add(8, 100);
	ok(g.item[1].name != name, "also in another prompt");
	add(7, 0);
	ok(g.item[1].name == name, "the same again in the same prompt");
	done_with();
}

static void they_come_back(void)
{
	enum { PROMPTS = 2000, DISTINCT = 5 };
	uint64_t name[DISTINCT];
	uint32_t length[DISTINCT], times[DISTINCT] = {0}, n = 0, differ = 0;
	must(LENGTHS "mm_item_tokens=uniform:10,900 mm_distinct_items=5");
	for (uint64_t which = 0; which < PROMPTS; which++) {
		uint32_t i = 0;
		add(which, 0);
		while (i < n && name[i] != g.item[0].name)
			i++;
		if (i == DISTINCT)
			bail_out("more than five items");
		if (i == n) {
			name[n] = g.item[0].name;
			length[n++] = g.item[0].length;
		}
		times[i]++;
		differ += length[i] != g.item[0].length;
	}
	ok(n == DISTINCT, "five distinct items");
	ok(differ == 0, "an item that comes back has the length it had");
	for (uint32_t i = 0; i < DISTINCT; i++)
		ok(times[i] > 320 && times[i] < 480,
		   "item %u in %u of 2000 prompts", i, times[i]);
	done_with();
}

static void share(void)
{
	uint32_t with = 0;
	must(LENGTHS "mm_item_tokens=64 mm_item_share=0.25");
	for (uint64_t which = 0; which < 4000; which++)
		with += add(which, 0) > 0;
	ok(with > 900 && with < 1100, "%u of 4000 prompts have an item", with);
	done_with();
	must(LENGTHS "mm_item_tokens=64 mm_item_share=0");
	ok(add(1, 0) == 0 && g.n == 0, "a share of 0: none has");
	done_with();
	must(LENGTHS);
	ok(add(1, 0) == 0 && g.n == 0, "without the keys there are none");
	done_with();
}

static void longest(void)
{
	uint32_t most = 0, got;
	must(LENGTHS "mm_item_tokens=lognormal:mean=500,cv=1 "
		     "mm_items_per_prompt=uniform:1,4");
	for (uint64_t which = 0; which < 300; which++) {
		add(which, 0);
		for (uint32_t i = 0; i < g.n; i++)
			most =
			    g.item[i].length > most ? g.item[i].length : most;
	}
	ok(generated_items_longest(&g, 300, &got, &p) == 0 && got == most &&
	       g.n == 0,
	   "the longest item of 300 prompts has %u tokens", got);
	done_with();
}

static void refused(const char *keys, const char *why)
{
	ok(open_with(keys) < 0 && p.code == EXIT_USAGE && strstr(p.text, why),
	   "%s: %s", keys, p.text);
	ini_free(&c);
}

static void faults(void)
{
	uint64_t tokens;
	refused(LENGTHS "mm_items_per_prompt=2", "needs mm_item_tokens");
	refused(LENGTHS "mm_distinct_items=2", "needs mm_item_tokens");
	refused(LENGTHS "mm_item_share=0.5", "needs mm_item_tokens");
	refused(LENGTHS "mm_item_tokens=many", "mm_item_tokens");
	refused(LENGTHS "mm_item_tokens=1 mm_items_per_prompt=0",
		"mm_items_per_prompt");
	must(LENGTHS "mm_item_tokens=1 mm_items_per_prompt=1001");
	ok(generated_items_add(&g, 3, 0, &tokens, &p) < 0 &&
	       p.code == EXIT_USAGE &&
	       strstr(p.text, "prompt 3 has 1001 items; at most 1000"),
	   "%s", p.text);
	done_with();
}

int main(void)
{
	side_by_side();
	they_come_back();
	share();
	longest();
	faults();
	return done();
}

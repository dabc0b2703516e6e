/* The ways to use GPUs, counted by hand. */
#include "recommend/shapes.h"
#include "config_of.h"

static struct config base;
static struct domains d;
static const struct names nothing;
static struct shapes s;

static size_t list(uint32_t gpus, int aggregated, int roles, double rate)
{
	const struct domain_request r = {.search = &nothing,
					 .fix = &nothing,
					 .rate = rate,
					 .has_aggregated = aggregated,
					 .has_roles = roles};
	domains_free(&d);
	free(s.item);
	s = (struct shapes){
	    .base = &base, .domain = &d, .gpus = gpus, .p = &why};
	if (domains_make(&d, &r, &base, &why) < 0 ||
	    shapes_list(&s, aggregated, roles) < 0)
		bail_out(why.text);
	return s.n;
}

static int uses(const struct shape *x)
{
	return (int)(x->tp * x->pp * x->dp * x->replicas +
		     x->role_tp[0] * x->role_replicas[0] +
		     x->role_tp[1] * x->role_replicas[1]);
}

int main(void)
{
	char text[16];
	scratch_open();
	config_good(&base, CONFIG_SETUP CONFIG_ARM("a", "1") CONFIG_ONE_BY_ONE);
	ok(list(8, 1, 0, 0) == 4, "8 GPUs: a TP of 1, 2, 4, 8");
	int all = 1;
	for (size_t i = 0; i < s.n; i++)
		all &= uses(&s.item[i]) == 8;
	ok(all, "all of them are used");
	ok(list(6, 1, 0, 0) == 3, "6 GPUs: 1, 2, 4");
	ok(s.item[2].tp == 4 && s.item[2].replicas == 1, "where 2 are left");
	ok(list(8, 1, 0, 10) == 8 + 4 + 2 + 1,
	   "with a rate to serve each number of replicas");
	ok(list(8, 0, 1, 0) == 71, "8 GPUs have 71 pairs of roles: %zu", s.n);
	int most = 0, full = 0;
	for (size_t i = 0; i < s.n; i++) {
		int n = uses(&s.item[i]);
		most = n > most ? n : most;
		full += n == 8;
	}
	ok(most == 8 && full == 21, "21 of them use all: %d", full);
	ok(list(64, 0, 1, 0) < 2000,
	   "many GPUs: powers of two and the largest: %zu", s.n);
	ok(shape_value(&s.item[0], DOMAIN_PREFILL_TP, text) &&
	       !strcmp(text, "1"),
	   "the value of a key");
	ok(!shape_value(&s.item[0], DOMAIN_TP, text) &&
	       !shape_value(&s.item[0], DOMAIN_EP, text) &&
	       !shape_value(&s.item[0], DOMAIN_SEQS, text),
	   "a role leaves out the keys of the other kind");
	free(s.item);
	domains_free(&d);
	config_free(&base);
	return done();
}

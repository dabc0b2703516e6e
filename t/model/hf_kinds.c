/* Fields about single layers, as kinds of layers. */
#include "model/hf_kinds.h"
#include "tap.h"

static struct ini c;
static struct problem p;
static struct hf_reader r;

static void start(int64_t layers)
{
	ini_free(&c);
	c.path = strdup("f");
	r = (struct hf_reader){
	    .c = &c, .origin = "f", .layers = layers, .p = &p};
	if (!c.path || hf_layers_start(&r) < 0)
		bail_out("out of memory");
}

/* All that was put: "[section] key=value; ..." */
static const char *put(void)
{
	static char text[600];
	size_t n = 0;
	hf_layers_put(&r, &c);
	hf_layers_free(&r);
	text[0] = '\0';
	for (size_t i = 0; i < c.n && n < sizeof text; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s[%s] %s=%s",
				      n ? "; " : "", c.item[i].section,
				      c.item[i].key, c.item[i].value);
	return text;
}

static void words(void)
{
	start(3);
	is(put(), "[model] layer_types=full_attention", "alike");
	start(6);
	for (int i = 0; i < 6; i++)
		r.layer[i].mixer = i % 3 ? MIX_SLIDING : MIX_LINEAR;
	is(put(), "[model] layer_types=linear_attention,sliding_attention*2",
	   "the shortest list that is repeated");
	start(5);
	for (int i = 1; i < 5; i++)
		r.layer[i].ffn = FFN_SPARSE;
	is(put(),
	   "[model] layer_types=full_attention; "
	   "[model] mlp_layer_types=dense,sparse*4",
	   "a first layer that differs");
}

static void kinds(void)
{
	start(4);
	hf_layer_put_int(&r, 1, "head_dim", 7);
	hf_layer_put(&r, 1, "qk_norm", "true");
	hf_layer_put_int(&r, 2, "head_dim", 9);
	hf_layer_put_int(&r, 3, "head_dim", 7);
	hf_layer_put(&r, 3, "qk_norm", "true");
	is(put(),
	   "[layers:kind1] head_dim=7; [layers:kind1] qk_norm=true; "
	   "[layers:kind2] head_dim=9; "
	   "[model] layers=model,kind1,kind2,kind1; "
	   "[model] layer_types=full_attention",
	   "layers with equal keys are of one kind");
	start(2);
	r.failed = 1;
	hf_layer_put(&r, 1, "head_dim", "7");
	is(put(), "", "nothing after a fault");
}

static void most(void)
{
	start(1001);
	for (int i = 0; i < 1001; i++)
		hf_layer_put_int(&r, i, "head_dim", i + 1);
	put();
	ok(r.failed && strstr(p.text, "are of more kinds than 1000"), "%s",
	   p.text);
}

int main(void)
{
	words();
	kinds();
	most();
	ini_free(&c);
	return done();
}

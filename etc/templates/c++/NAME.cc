// @NAME@: what it prices and how; @NAME@.md.
//
// No exception may leave a plugin: it is built without them.
#include <new>
#include <span>
#include "stepcost/fail.h"

namespace {

struct Knobs {
	double base_us, per_token_us;
};

class Model {
public:
	explicit Model(const Knobs &knobs) : k(knobs) {}
	void eval(const sc_step &step, sc_result &out) const
	{
		uint64_t tokens = step.n_decode;
		for (uint32_t n : std::span(step.prefill_new, step.n_prefill))
			tokens += n;
		out.overhead_us = k.base_us;
		out.total_us = k.base_us + k.per_token_us * double(tokens);
	}

private:
	Knobs k;
};

constexpr sc_knob base = {
	.size = sizeof(sc_knob), .type = SC_KNOB_DOUBLE,
	.offset = offsetof(Knobs, base_us), .name = "base_us", .def = "6000",
	.min = 0, .max = 1e9, .unit = "us",
	.help = "Time of a step that computes nothing; a guess."};
constexpr sc_knob per_token = {
	.size = sizeof(sc_knob), .type = SC_KNOB_DOUBLE,
	.offset = offsetof(Knobs, per_token_us), .name = "per_token_us",
	.def = "25", .min = 0, .max = 1e6, .unit = "us",
	.help = "Time that each token computed adds; a guess."};
constexpr const sc_knob *knobs[] = {&base, &per_token};

// The model, the hardware and the tables are in the setup.
int32_t create(void **inst, const sc_setup *, const void *block, sc_error *err)
{
	*inst = new (std::nothrow) Model(*static_cast<const Knobs *>(block));
	return *inst ? SC_OK : sc_fail(err, SC_ENOMEM, "out of memory");
}

void destroy(void *inst)
{
	delete static_cast<Model *>(inst);
}

int32_t eval(void *inst, const sc_step *step, sc_result *out, sc_error *)
{
	static_cast<const Model *>(inst)->eval(*step, *out);
	return SC_OK;
}

constexpr sc_plugin plugin = {
	.size = sizeof(sc_plugin),
	.abi_major = SC_ABI_MAJOR,
	.abi_minor = SC_ABI_MINOR,
	.name = "@NAME@",
	.version = "1",
	.summary = "a constant and a time per token",
	.n_knobs = sizeof knobs / sizeof *knobs,
	.knob = knobs,
	.knob_block = sizeof(Knobs),
	.create = create,
	.destroy = destroy,
	.eval = eval,
};

} // namespace

SC_PLUGIN_DEFINE(plugin);

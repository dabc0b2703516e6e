#include "validate/measured/aliases.h"
#include "tap.h"

int main(void)
{
	static const char text[] = "[column]\ntp = tensor_parallel_size\n"
				   "[gpu]\nH100 = h100-sxm\n"
				   "H100 (PCIe) = h100-pcie\n";
	struct ini a;
	struct problem p;
	if (ini_read(&a, text, strlen(text), &p) < 0)
		bail_out(p.text);
	is(alias_of(&a, "gpu", "H100"), "h100-sxm", "by the whole name");
	is(alias_of(&a, "gpu", "H100 (PCIe)"), "h100-pcie",
	   "which goes before its part");
	is(alias_of(&a, "gpu", "H100 80GB"), "h100-sxm", "up to a space");
	is(alias_of(&a, "gpu", "H100(SXM)"), "h100-sxm", "or a bracket");
	is(alias_of(&a, "gpu", "H1"), "H1", "else the name itself");
	is(alias_of(&a, "model", "H100"), "H100", "in its section alone");
	is(alias_of(NULL, "gpu", "H100"), "H100", "without a file too");
	is(alias_of_column(&a, "tp"), "tensor_parallel_size", "a column");
	is(alias_of_column(&a, "tp (n)"), "tp (n)", "by its whole name");
	is(alias_of_column(NULL, "tp"), "tp", "without a file");
	ini_free(&a);
	return done();
}

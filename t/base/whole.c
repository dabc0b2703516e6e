/* Rounds as llround() does, to the last bit of what there is to round. */
#include "base/whole.h"
#include <math.h>
#include "tap.h"

int main(void)
{
	static const double edge[] = {0,       0x1p-1074,
				      0.5,     1.5,
				      2.5,     0x1p51,
				      0x1p52,  0x1p53,
				      0x1p62,  -0.5,
				      -2.5,    -0x1p62,
				      4.5e15,  4503599627370495.5,
				      1e9,     1e18,
				      123456.5};
	uint32_t wrong = 0, n = 0;
	for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
		for (double x = nextafter(edge[i], -INFINITY), k = 0; k < 3;
		     k++, x = nextafter(x, INFINITY), n++)
			wrong += whole_round(x) != llround(x);
	for (double x = 1e-3; x < 9e18; x *= 1.0001, n++)
		wrong += whole_round(x) != llround(x);
	ok(wrong == 0, "%u of %u numbers are rounded otherwise", wrong, n);
	ok(whole_divide_up(0, 7) == 0 && whole_divide_up(7, 7) == 1 &&
	       whole_divide_up(8, 7) == 2 &&
	       whole_divide_up(UINT32_MAX, 2) == 1u << 31,
	   "divided, rounding up");
	return done();
}

/* Student's t against printed tables (two-sided). */
#include "math/student.h"
#include "tap.h"

int main(void)
{
	static const struct {
		double confidence, degrees, t;
	} of[] = {
	    {0.9, 1, 6.313751515},
	    {0.9, 3, 2.353363435},
	    {0.9, 9, 1.833112933},
	    {0.95, 9, 2.262157163},
	    {0.99, 5, 4.032142984},
	    {0.9, 19, 1.729132812},
	    {0.9, 200, 1.652508101},
	    {0.999, 2, 31.59905458},
	    {0.5, 1, 1},
	    {0.95, INFINITY, 1.959963985},
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		near(student_two_sided(of[i].confidence, of[i].degrees),
		     of[i].t, 1e-9, "%g %% with %g degrees of freedom",
		     100 * of[i].confidence, of[i].degrees);
	return done();
}

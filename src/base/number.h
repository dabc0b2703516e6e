/* base/number.h -- a double as the shortest text that reads back the same; of
 * several, the one closest to the value.  CSV and JSON both write it.  And
 * back. The form is the usual one: plain between 1e-4 and 1e16, else d.ddde+xx;
 * whole numbers without ".0".  Knows nothing of the rest of the program. */
#ifndef SC_BASE_NUMBER_H
#define SC_BASE_NUMBER_H

#define NUMBER_SIZE 32

/* Returns the length.  Not finite: "nan", "inf", "-inf", which neither CSV nor
 * JSON has; the caller writes something else. */
int number_format(char buf[NUMBER_SIZE], double v);
/* As strtod() reads it, to the last bit: the end of the number, s if there is
 * none.  Short decimals are several times as fast. */
const char *number_parse(const char *s, double *v);
#endif

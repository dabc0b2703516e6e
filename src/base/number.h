/* base/number.h -- writes a double as the shortest text that reads back as the
 * same value (of several such texts, the one nearest to the value), and reads
 * it.  Both CSV and JSON use it.  Numbers from 1e-4 to 1e16 are plain, others
 * d.ddde+xx; whole numbers have no ".0".  Knows nothing of the rest of the
 * program. */
#pragma once
#include <stdint.h>
#include <stdio.h>

#define NUMBER_SIZE 32

/* Returns the length.  Values that are not finite give "nan", "inf" or "-inf",
 * which neither CSV nor JSON has; the caller writes something else. */
int number_format(char buf[NUMBER_SIZE], double v);
/* Writes that number of digits, or all of a larger whole part: "0.1234",
 * "12.34", "14410", and from 1e15 on "1.441e+15".  Returns buf. */
const char *number_digits(char buf[NUMBER_SIZE], double v, int digits);
/* The same with four digits. */
const char *number_short(char buf[NUMBER_SIZE], double v);
/* Writes a whole number with a tenth of the instructions of fprintf(); only
 * this thread may use f. */
void number_write(FILE *f, uint64_t v);
/* Reads a decimal number exactly as strtod() does, to the last bit; for short
 * decimals it is several times as fast.  Returns the end of the number, or s if
 * there is none. */
const char *number_parse(const char *s, double *v);
/* Reads a whole number: decimal digits with a sign, or a number with an
 * exponent that is whole, such as 1e6.  Returns the end of the number, or s if
 * there is none or it does not fit. */
const char *number_parse_whole(const char *s, int64_t *n);

/* report/support.h -- a support verdict (trust/support.h) as a document has
 * it. */
#ifndef SC_REPORT_SUPPORT_H
#define SC_REPORT_SUPPORT_H
#include "base/json_writer.h"
#include "trust/support.h"

/* "support": {...} of the open object. */
void support_json(const struct support *s, struct jw *j);
/* As support_write(); to be freed; NULL: out of memory. */
char *support_text(const struct support *s);
#endif

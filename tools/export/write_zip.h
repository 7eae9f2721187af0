/* Writes a zip archive: files one after the other, then the directory. */
#ifndef EXPORT_WRITE_ZIP_H
#define EXPORT_WRITE_ZIP_H

#include "inside.h"

struct export_zip {
	struct exporter *ex;
	struct loom_buf directory;
	uint64_t at; /* bytes so far */
	unsigned count;
};
/* Begins an archive in the exporter's output. */
void export_zip_init(struct export_zip *zip, struct exporter *ex);
/* Adds a file; `stored` leaves it uncompressed. LOOM_LIMIT for more than an archive can hold. */
enum loom_status export_zip_add(struct export_zip *zip, const char *name, struct loom_str content,
				bool stored, struct loom_err *err) LOOM_MUST;
/* Ends the archive unless `status` is an error, and frees the directory; returns the final
 * status. */
enum loom_status export_zip_fini(struct export_zip *zip, enum loom_status status,
				 struct loom_err *err) LOOM_MUST;

#endif

/* The texts of an EPUB, for tests of exports. */
#ifndef LOOM_TESTS_SUPPORT_PACKED_H
#define LOOM_TESTS_SUPPORT_PACKED_H

#define ZLIB_CONST
#include <stdio.h>
#include <zlib.h>

#include <loom/base/str.h>

static inline uint64_t packed_number(struct loom_str file, size_t at, size_t bytes)
{
	uint64_t number = 0;

	for (size_t i = 0; i < bytes; i++)
		number |= (uint64_t)(unsigned char)file.p[at + i] << 8 * i;
	return number;
}

/* The chapters of an EPUB, one after the other. */
static inline void packed_read(struct loom_str file, struct loom_buf *out)
{
	enum { HEADER = 30 };

	loom_buf_clear(out);
	for (size_t at = 0; packed_number(file, at, 4) == 0x04034b50;) {
		const size_t packed = packed_number(file, at + 18, 4);
		const size_t size = packed_number(file, at + 22, 4);
		const size_t name = packed_number(file, at + 26, 2);
		const char *bytes = file.p + at + HEADER + name;
		char *text = loom_alloc(size + 1);
		z_stream z = {.next_in = (const Bytef *)bytes, .avail_in = (uInt)packed};

		z.next_out = (Bytef *)text;
		z.avail_out = (uInt)size;
		if (packed_number(file, at + 8, 2) == 0) {
			memcpy(text, bytes, size);
		} else if (inflateInit2(&z, -MAX_WBITS) != Z_OK ||
			   inflate(&z, Z_FINISH) != Z_STREAM_END || inflateEnd(&z) != Z_OK) {
			fprintf(stderr, "a file of the EPUB is broken\n");
			exit(1);
		}
		if (loom_str_starts(loom_str_make(bytes - name, name), LOOM_STR("book/c")) &&
		    !loom_str_is(loom_str_make(bytes - name, name), "book/contents.xhtml"))
			loom_buf_add(out, loom_str_make(text, size));
		free(text);
		at += HEADER + name + packed;
	}
}

#endif

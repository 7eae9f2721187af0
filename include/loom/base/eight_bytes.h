/* Looks at eight bytes of a text at once. The first byte is the lowest of the word on every
 * machine, so counting from the low end finds the first match. */
#ifndef MODEL_WORD_IMPL_H
#define MODEL_WORD_IMPL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MODEL_EVERY_BYTE(b) (UINT64_C(0x0101010101010101) * (uint8_t)(b))

static inline uint64_t model_load8(const char *p)
{
	uint64_t word = 0;

	memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* The high bit of each byte that is zero. Bytes above a zero byte may be marked wrongly; the lowest
 * mark is right. */
static inline uint64_t model_zero_bytes(uint64_t word)
{
	return (word - MODEL_EVERY_BYTE(1)) & ~word & MODEL_EVERY_BYTE(0x80);
}

/* Returns how many of eight bytes come before one that ends or complicates a JSON string: a quote,
 * a backslash, a control byte or part of a multi-byte character. */
static inline size_t model_plain_bytes(const char *p)
{
	uint64_t word = model_load8(p);
	uint64_t marks = ((word - MODEL_EVERY_BYTE(0x20)) & ~word) | word;

	marks = (marks & MODEL_EVERY_BYTE(0x80)) | model_zero_bytes(word ^ MODEL_EVERY_BYTE('"')) |
		model_zero_bytes(word ^ MODEL_EVERY_BYTE('\\'));
	return marks ? (size_t)__builtin_ctzll(marks) / 8 : 8;
}

#endif

/* A bijection of 64 bits in which every input bit affects every output bit (splitmix64's), for this
 * room's generators. */
#ifndef MODEL_MIX_IMPL_H
#define MODEL_MIX_IMPL_H

#include <stdint.h>

static inline uint64_t model_mix64(uint64_t x)
{
	x += 0x9E3779B97F4A7C15u;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
	x = (x ^ x >> 27) * 0x94D049BB133111EBu;
	return x ^ x >> 31;
}

#endif

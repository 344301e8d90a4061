/* Loops that the compiler itself compiles for each processor, which the sanitizer of gcc cannot
   bear, and which clang does otherwise. */

#ifndef GECEVAL_PROCESSORS_H
#define GECEVAL_PROCESSORS_H

#if defined(__GNUC__) && defined(__x86_64__) && defined(__linux__) && !defined(__clang__) \
    && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#define COMPILES_FOR_EACH_PROCESSOR 1
#else
#define FOR_EACH_PROCESSOR
#define COMPILES_FOR_EACH_PROCESSOR 0
#endif

#endif

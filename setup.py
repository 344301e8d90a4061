"""Compile the kernels; everything else is in pyproject.toml."""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup

# Named, not globbed: a kernel that is missing from a source distribution must fail the build.
KERNELS = [
    "cheapest_alignments",
    "chunk_choice",
    "damerau_levenshtein",
    "en_fast.embedding",
    "en_fast.network",
    "imeasure.best_reference",
    "imeasure.bounds",
    "imeasure.carrillo_lipman",
    "imeasure.dinkelbach",
    "imeasure.pareto",
    "imeasure.problem",
    "imeasure.source_alignment",
    "imeasure.state_graph",
    "imeasure.token_lattice",
    "interrupt",
    "maxmatch.counting",
    "maxmatch.gold_edges",
    "maxmatch.levels",
    "maxmatch.matching",
    "ngrams.counts",
    "ngrams.sampled_gleu",
    "ngrams.swapped_sums",
    "running_totals",
    "skill_games",
    "three_way",
    "translation_edits",
    "weighted_totals",
]
SHARED = "geceval.kernels._shared"

# GECEVAL_DEBUG_KERNELS=1 checks bounds; names of sanitizers, as in =address,undefined, also watch
# every access through pointers and whatever C does not define (the libraries of the compiler must
# then be loaded first: see tools/debug-kernels.sh). They have a folder of their own, for Cython
# does not notice other directives.
DEBUG = os.environ.get("GECEVAL_DEBUG_KERNELS", "")
FLAGS = ["-O0", "-g"] if DEBUG else ["-O3", "-g0"]
SANITIZERS = [name for name in DEBUG.split(",") if name in ("address", "undefined")]
if SANITIZERS:
    FLAGS += [f"-fsanitize={','.join(SANITIZERS)}", "-fno-omit-frame-pointer"]
if "undefined" in SANITIZERS:
    FLAGS += ["-fno-sanitize-recover=undefined"]  # One report must end the tests.
BUILD = "build/cython-debug" if DEBUG else "build/cython"

setup(
    ext_modules=cythonize(
        [
            # What all kernels need of memoryviews, compiled once.
            Extension(SHARED, ["src/geceval/kernels/_shared.c"], extra_compile_args=FLAGS),
            *(
                Extension(
                    f"geceval.kernels.{name}",
                    [f"src/geceval/kernels/{name.replace('.', '/')}.pyx"],
                    libraries=["m"],
                    extra_compile_args=FLAGS,
                )
                for name in KERNELS
            ),
        ],
        build_dir=BUILD,
        shared_utility_qualified_name=SHARED,
        compiler_directives={
            "language_level": 3,
            "boundscheck": bool(DEBUG),
            "wraparound": False,
            "initializedcheck": bool(DEBUG),
            "cdivision": True,
        },
    )
)

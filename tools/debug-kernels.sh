#!/bin/sh
# Build bounds-checked kernels into a folder of their own, run the tests of all kernels with
# them under gcc's sanitizers of addresses and of undefined behavior.
# usage: debug-kernels.sh PYTHON [TESTS…]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(cd "$root" && "$1" -c 'import sys; print(sys.executable)')
shift
folder="$root/build/debug"
export GECEVAL_DEBUG_KERNELS=address,undefined
export GECEVAL_DATA="${GECEVAL_DATA:-$root/../shared/data}"

cd "$root"
rm -rf "$folder"
mkdir -p "$folder"
cp -r src tests docs pyproject.toml setup.py "$folder"
find "$folder" -name '*.so' -delete
cd "$folder"
"$python" setup.py --quiet build_ext --inplace
libraries="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
if [ $# -eq 0 ]; then
    set -- tests/metrics tests/kernels tests/extraction/test_align.py \
        tests/extraction/lang/en_fast/test_network.py \
        tests/extraction/lang/zh/test_alignments.py \
        tests/promises/test_3_numbers_in_range.py
fi
# Python itself never frees some memory, which is no leak of ours. What the sanitizers say goes past
# what pytest captures.
PYTHONPATH="$folder/src" LD_PRELOAD="$libraries" ASAN_OPTIONS=detect_leaks=0 \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
    "$python" -m pytest -q -p no:cacheprovider --capture=sys "$@"

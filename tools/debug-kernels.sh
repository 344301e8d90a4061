#!/bin/sh
# Build bounds-checked kernels into a folder of their own, run the tests of all kernels with
# them under the address sanitiser of gcc.   usage: debug-kernels.sh PYTHON
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(cd "$root" && "$1" -c 'import sys; print(sys.executable)')
folder="$root/build/debug"
export GECEVAL_DEBUG_KERNELS=address
export GECEVAL_DATA="${GECEVAL_DATA:-$root/../shared/data}"

cd "$root"
rm -rf "$folder"
mkdir -p "$folder"
cp -r src tests pyproject.toml setup.py "$folder"
find "$folder" -name '*.so' -delete
cd "$folder"
"$python" setup.py --quiet build_ext --inplace
asan=$(gcc -print-file-name=libasan.so)
# Python itself never frees some memory, which is no leak of ours.
PYTHONPATH="$folder/src" LD_PRELOAD="$asan" ASAN_OPTIONS=detect_leaks=0 \
    "$python" -m pytest -q -p no:cacheprovider tests/metrics tests/test_imeasure.py tests/test_align.py \
    tests/lang/test_network.py

#!/usr/bin/env bash
# Compiles kernel.c into src/policy/learned/kernel-binary.ts. Needs clang and lld (Debian: clang-14 lld-14).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
wasm=$(mktemp)
trap 'rm -f "$wasm"' EXIT
"${CC:-clang-14}" --target=wasm32 -O3 -msimd128 -nostdlib -Wl,--no-entry -Wl,--import-memory -Wl,--strip-all -o "$wasm" kernel.c
{
  echo '/** WebAssembly binary of training/kernel/kernel.c, written by training/kernel/build.sh. */'
  echo 'export const KERNEL_BINARY ='
  printf '  "%s";\n' "$(base64 -w0 "$wasm")"
} >../../src/policy/learned/kernel-binary.ts

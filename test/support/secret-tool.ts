import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Does what `secret-tool` of libsecret does, with its exit codes and messages. */
const SCRIPT = `#!/bin/sh
dir="$(dirname "$0")/keyring"
printf '%s\\n' "$*" >> "$dir/argv"
mode=$(cat "$dir/mode")
fail() { [ -z "$1" ] || echo "secret-tool: $1" >&2; exit 1; }
[ "$mode" = none ] && fail 'Cannot autolaunch D-Bus without X11 $DISPLAY'
verb=$1; shift
[ "$verb" = store ] && { [ "$1" = --label ] || fail 'no label'; shift 2; }
file="$dir/key-$(printf '%s' "$*" | od -An -tx1 | tr -d ' \\n')"
case "$verb" in
  store)
    [ "$mode" = locked ] && fail 'Cannot create an item in a locked collection'
    cat > "$file"
    [ "$mode" = other ] && printf other > "$file"
    exit 0 ;;
  search)
    [ -e "$file" ] && printf '[/1]\\nlabel = proc\\n'
    exit 0 ;;
  *)
    { [ "$mode" = locked ] || [ ! -e "$file" ]; } && fail ''
    if [ "$verb" = lookup ]; then cat "$file"; else rm "$file"; fi ;;
esac
`;

type KeyringMode = 'unlocked' | 'locked' | 'none' | 'other';

/** A stand-in for a keyring and its `secret-tool`. */
export interface Keyring {
  /** `none`: there is no Secret Service. `other`: the keyring stores a wrong key. */
  set(mode: KeyringMode): void;
  keys(): string[];
  /** The command lines so far. */
  readonly log: string[];
}

/** Installs the stand-in in a folder. The test puts this folder on the PATH. */
export function installSecretTool(bin: string): Keyring {
  const folder = join(bin, 'keyring');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(bin, 'secret-tool'), SCRIPT, { mode: 0o755 });
  writeFileSync(join(folder, 'argv'), '');
  const set = (mode: KeyringMode): void => writeFileSync(join(folder, 'mode'), mode);
  set('unlocked');
  return {
    set,
    keys: () =>
      readdirSync(folder)
        .filter((name) => name.startsWith('key-'))
        .map((name) => readFileSync(join(folder, name), 'utf8')),
    get log() {
      return readFileSync(join(folder, 'argv'), 'utf8').split('\n').slice(0, -1);
    },
  };
}

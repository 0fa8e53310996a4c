import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** SSH keys of persons, made by the real ssh-keygen, and files that list their public keys. */
export interface Approvers extends Disposable {
  /** The path of a person's private key. The first call makes the key. */
  key(person: string): string;
  /**
   * Writes an allowed_signers file.
   * @param lines e.g. `bob`, `bob valid-before="20200101"`, or `carol as bob` (carol has the key of bob)
   */
  file(name: string, lines: readonly string[]): string;
}

export function approvers(): Approvers {
  const folder = mkdtempSync(join(tmpdir(), 'proc-approvers-'));
  const made = new Set<string>();
  const key = (person: string): string => {
    const path = join(folder, `${person}-key`);
    if (!made.has(person)) {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', person, '-f', path]);
      made.add(person);
    }
    return path;
  };
  return {
    key,
    file(name, lines) {
      const path = join(folder, name);
      const texts = lines.map((line) => {
        const [, person = '', owner = person, options = ''] =
          /^(\S+)(?: as (\S+))?(?: (.+))?$/.exec(line) ?? [];
        const [kind, bytes] = readFileSync(`${key(owner)}.pub`, 'utf8').split(' ');
        return `${person} ${options === '' ? '' : `${options} `}${kind} ${bytes}\n`;
      });
      writeFileSync(path, texts.join(''));
      return path;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

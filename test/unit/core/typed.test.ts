import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inShell } from '../../../src/core/text/typed.ts';
import { ROOT } from '../../support/run.ts';

const WORDS = [
  'plain',
  '',
  'a b',
  "it's",
  '$(id)',
  '`id`',
  '"x"',
  'a;b',
  '=ls',
  '~',
  'ñ',
  '!!',
  '*',
];

describe('a command to type or paste', () => {
  it('gives a shell exactly its words', () => {
    const line = `printf '%s\\0' ${WORDS.map(inShell).join(' ')}`;
    expect(execFileSync('sh', ['-c', line]).toString().split('\0').slice(0, -1)).toEqual(WORDS);
  });

  it('has every value quoted, everywhere in the source', () => {
    const found = sources(join(ROOT, 'src')).flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .flatMap((line) => unquotedIn(line).map((text) => `${path}: ${text}`)),
    );
    expect(found).toEqual([]);
  });
});

/** Values that were quoted earlier, or that are proc's own words. */
const READY =
  /^\$\{(inShell\(|typedPlace\(|isLocal |run\}|row\}|adopt\}|profile\}|environment\}|flags|target\}|terminal\.interactive |rest\}|verb\}|below\}|at\}|near\}|path\}|needsYes |isOtherUrl |other\.organization )/;

/** The unquoted values of `proc …` commands in a template. */
function unquotedIn(line: string): string[] {
  const commands =
    line.match(/(?<=[`:(] ?|then |First )proc [a-z]+(?: (?:\$\{[^}]*\}|[^\s`.;,()$])+)*/g) ?? [];
  return commands
    .flatMap((text) => text.match(/\$\{[^}]*\}?/g) ?? [])
    .filter((text) => !READY.test(text));
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

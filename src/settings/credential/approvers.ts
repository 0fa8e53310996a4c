import { createHash } from 'node:crypto';
import { readRegularFile } from '../../store/regular-file.ts';

interface Signed {
  /** The names that the file of approvers has for the key of this signature. */
  readonly principals: readonly string[];
  /** E.g. `ED25519 SHA256:…`. */
  readonly key: string;
}

/**
 * The persons in a file of approvers. Lines that share a name or a key count as one person. The
 * case of names does not matter.
 */
export interface Persons {
  readonly count: number;
  /** Numbers of the lines without a key, except comments and empty lines. The first line is 1. */
  readonly badLines: readonly number[];
  named(name: string): object | undefined;
  of(signed: Signed): object | undefined;
}

/**
 * Reads an allowed_signers file. Ignores options such as an expiry date: an expired key still
 * belongs to its person.
 *
 * @throws if the file cannot be read
 */
export function personsIn(approvers: string): Persons {
  let persons: ReadonlySet<string>[] = [];
  const badLines: number[] = [];
  const having = (marks: readonly string[]) =>
    persons.find((person) => marks.some((mark) => person.has(mark)));
  for (const [at, line] of readRegularFile(approvers).text.split('\n').entries()) {
    const own = marksIn(line);
    if (own === undefined) badLines.push(at + 1);
    if (own === undefined || own.length === 0) continue;
    const joined = persons.filter((person) => own.some((mark) => person.has(mark)));
    const others = persons.filter((person) => !joined.includes(person));
    persons = [...others, new Set([...own, ...joined.flatMap((person) => [...person])])];
  }
  return {
    count: persons.length,
    badLines,
    named: (name) => having([nameMark(name)]),
    of: ({ key, principals }) => having([key.split(' ').at(-1)!, ...principals.map(nameMark)]),
  };
}

/**
 * The names of a line and the fingerprint of its key. Empty for a comment or an empty line;
 * undefined for any other line without a key.
 */
function marksIn(line: string): string[] | undefined {
  if (/^\s*(?:#|$)/.test(line)) return [];
  const [, quoted, plain = ''] = /^\s*(?:"([^"]*)"|(\S+))/.exec(line)!;
  const blob = /\s(AAAA\S+)/.exec(line)?.[1];
  if (blob === undefined) return undefined;
  const hash = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64');
  const names = (quoted ?? plain).split(',').map(nameMark);
  return [...names, `SHA256:${hash.replace(/=+$/, '')}`];
}

function nameMark(name: string): string {
  return `name:${name.toLowerCase()}`;
}

import { createHash } from 'node:crypto';
import { readRegularFile } from '../../store/regular-file.ts';

interface Signed {
  /** The names that the file of approvers has for the key of this signature. */
  readonly principals: readonly string[];
  /** `ED25519 SHA256:…` */
  readonly key: string;
}

/**
 * The persons of a file of approvers. Lines that share a name or a key are about one person: whoever holds a
 * key can sign for each of its names, and names that differ only in case are hardly two people.
 */
export interface Persons {
  readonly count: number;
  /** Numbers of lines that are neither empty, nor a comment, nor a name and a key. */
  readonly badLines: readonly number[];
  /** The person with this name; undefined if no line has the name. */
  named(name: string): object | undefined;
  /** The person with this key or one of these names; undefined if no line has any of them. */
  of(signed: Signed): object | undefined;
}

/**
 * Reads an allowed_signers file. Ignores the options of its lines, e.g. an expiry date: an expired key still belongs
 * to its person.
 *
 * @throws the system's error, e.g. if there is no such file
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

/** The names of a line, and the fingerprint of its key; empty for a comment; undefined without a key. */
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

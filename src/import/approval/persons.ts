import { createHash } from 'node:crypto';
import { readRegularFile } from '../../store/regular-file.ts';
import type { CountedApproval } from '../ledger/facts.ts';

/**
 * The persons of a file of approvers. Lines that share a name or a key are about one person: whoever holds a
 * key can sign for each of its names, and names that differ only in case are hardly two people.
 */
export interface Persons {
  /** The person with this name; undefined if the file has no key of theirs. */
  named(name: string): object | undefined;
  /** The person who signed; undefined if the file does not have their key itself, only an authority for it. */
  of(approval: Pick<CountedApproval, 'principals' | 'key'>): object | undefined;
}

/**
 * Reads an allowed_signers file, whatever the options of its lines: a key that may not sign any more is still
 * its person's.
 */
export function personsIn(approvers: string): Persons {
  let persons: ReadonlySet<string>[] = [];
  for (const line of readRegularFile(approvers).text.split('\n')) {
    const own = marksIn(line);
    if (own.length === 0) continue;
    const joined = persons.filter((person) => own.some((mark) => person.has(mark)));
    const others = persons.filter((person) => !joined.includes(person));
    persons = [...others, new Set([...own, ...joined.flatMap((person) => [...person])])];
  }
  const having = (marks: readonly string[]) =>
    persons.find((person) => marks.some((mark) => person.has(mark)));
  return {
    named: (name) => having([nameMark(name)]),
    // `ED25519 SHA256:…`
    of: ({ key, principals }) => having([key.split(' ').at(-1)!, ...principals.map(nameMark)]),
  };
}

/** The names of a line, and the fingerprint of its key; empty for a line without a key. */
function marksIn(line: string): string[] {
  const [, quoted, plain = ''] = /^\s*(?:"([^"]*)"|([^\s#]\S*))/.exec(line) ?? [];
  const blob = /\s(AAAA\S+)/.exec(line)?.[1];
  if (blob === undefined) return [];
  const hash = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64');
  const names = (quoted ?? plain).split(',').map(nameMark);
  return [...names, `SHA256:${hash.replace(/=+$/, '')}`];
}

function nameMark(name: string): string {
  return `name:${name.toLowerCase()}`;
}

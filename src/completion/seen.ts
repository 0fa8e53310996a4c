import { dirname, join } from 'node:path';
import type { Env } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import type { Scope } from '../core/scope.ts';
import { stateDir } from '../settings/read/paths.ts';
import { createFolder } from '../store/folder.ts';
import { readRegularFile } from '../store/regular-file.ts';
import { PRIVATE, writeWholeFile } from '../store/whole-file.ts';
import type { Candidate } from './offers.ts';

/** Service and organization → noun → values seen there, most recent first. */
type SeenFile = Record<string, Record<string, Candidate[]>>;

const MOST_OF_A_NOUN = 200;
const MOST_SERVICES = 10;
const LONGEST = 60;

/**
 * Noun → the fields by which people name a record, the usual one first. Rows of other nouns are not remembered.
 */
export const TYPED: Readonly<Record<string, readonly string[]>> = {
  orders: ['code', 'id'],
  items: ['code', 'id'],
  sectors: ['key', 'id'],
};

function seenFile(env: Env): string {
  return join(stateDir(env), 'seen.json');
}

function readSeenFile(env: Env): SeenFile {
  try {
    const value: unknown = JSON.parse(readRegularFile(seenFile(env)).text);
    return typeof value === 'object' && value !== null ? (value as SeenFile) : {};
  } catch {
    return {};
  }
}

/** What the file keeps of a noun. `records`: each once, by code, key or id. */
export type Seen = 'records' | 'ids' | 'fields' | 'statuses';

function keyIn(noun: string, what: Seen): string {
  return what === 'records' ? noun : `${noun} ${what}`;
}

export function readSeen(
  env: Env,
  { key }: Scope,
  noun: string,
  what: Seen = 'records',
): readonly Candidate[] {
  const found = readSeenFile(env)[key]?.[keyIn(noun, what)];
  return Array.isArray(found) ? found : [];
}

export function keepSeen(
  env: Env,
  { key }: Scope,
  shown: ReadonlyMap<string, readonly Row[]>,
): void {
  const all = readSeenFile(env);
  const { [key]: own = {}, ...others } = all;
  for (const [noun, rows] of shown) {
    if (!Object.hasOwn(TYPED, noun)) continue;
    const records = rows.filter((row) => typeof row === 'object' && row !== null);
    const now: Readonly<Record<Seen, readonly Candidate[]>> = {
      records: records.flatMap((row) => named(row, TYPED[noun]!)),
      ids: records.flatMap((row) => named(row, ['id'])),
      fields: records
        .flatMap((row) => Object.keys(row))
        .filter(isShort)
        .map(bare),
      statuses: records.flatMap(({ status }) => (isShort(status) ? [bare(status)] : [])),
    };
    for (const what of Object.keys(now) as Seen[]) {
      if (now[what].length === 0) continue;
      const at = keyIn(noun, what);
      const merged = new Map([...now[what], ...(own[at] ?? [])].reverse());
      own[at] = [...merged].reverse().slice(0, MOST_OF_A_NOUN);
    }
  }
  const kept = Object.entries(others).slice(0, MOST_SERVICES - 1);
  const path = seenFile(env);
  try {
    createFolder(dirname(path));
    const text = JSON.stringify({ [key]: own, ...Object.fromEntries(kept) });
    writeWholeFile(path, text, PRIVATE, false);
  } catch {
    // Completion works without these rows.
  }
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST;
}

/** A record by the first of the fields that it has. */
function named(row: Row, fields: readonly string[]): readonly Candidate[] {
  const typed = fields.map((field) => row[field]).find(isShort);
  const doc = [row.name, row.title].find((text) => typeof text === 'string') ?? '';
  return typed === undefined ? [] : [[typed, String(doc).slice(0, LONGEST)]];
}

export function bare(name: string): Candidate {
  return [name, ''];
}

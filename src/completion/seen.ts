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
 * Noun → the fields that people type, the short one first. Rows of other nouns are not remembered.
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

export function readSeen(env: Env, { key }: Scope, noun: string): readonly Candidate[] {
  const found = readSeenFile(env)[key]?.[noun];
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
    const things = rows.flatMap((row) => thingsOf(row, TYPED[noun]!));
    const merged = new Map([...things, ...(own[noun] ?? [])].reverse());
    own[noun] = [...merged].reverse().slice(0, MOST_OF_A_NOUN);
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

function thingsOf(row: Row, fields: readonly string[]): Candidate[] {
  if (typeof row !== 'object' || row === null) return [];
  const doc = [row.name, row.title].find((text) => typeof text === 'string') ?? '';
  return fields.flatMap((field) => {
    const typed = row[field];
    return typeof typed === 'string' && typed !== '' && typed.length <= LONGEST
      ? [[typed, String(doc).slice(0, LONGEST)] as const]
      : [];
  });
}

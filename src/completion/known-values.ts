import type { PairSpecs } from '../core/command-spec.ts';
import type { Env } from '../core/ports.ts';
import type { Scope } from '../core/scope.ts';
import { SANDBOX_PROFILE } from '../settings/read/built-in.ts';
import type { Candidate } from './offers.ts';
import { bare, readSeen } from './seen.ts';
import { created, deletedHere, fileNames, historyIds } from './stored.ts';
import { environmentsOf, profileIn, readProfiles, scopeIn } from './target.ts';

export interface CursorContext {
  readonly env: Env;
  readonly words: readonly string[];
  /** The noun of the command, if there is one yet. */
  readonly noun: string;
}

/** Values stored on this machine, by kind: `profiles`, `orders`, `runs`, … */
export function lookUp(lookup: string, { env, words, noun }: CursorContext): readonly Candidate[] {
  switch (lookup) {
    case 'profiles':
      return [...Object.keys(readProfiles(env).profiles ?? {}), SANDBOX_PROFILE].map(bare);
    case 'environments': {
      const all = readProfiles(env);
      return environmentsOf(profileIn(words, env, all), all).map(bare);
    }
    case 'runs':
      return fileNames(env, 'imports', '.db');
    case 'history':
      return historyIds(env);
  }
  const scope = scopeIn(words, env);
  if (scope === undefined) return [];
  if (lookup === 'fields' || lookup === 'statuses') return readSeen(env, scope, noun, lookup);
  const found = lookUpIn(lookup, env, scope);
  if (found.length === 0 || lookup === 'orders') return found;
  const deleted = deletedHere(env, scope);
  return found.filter(([text]) => !deleted.has(text));
}

function lookUpIn(lookup: string, env: Env, scope: Scope): readonly Candidate[] {
  if (lookup === 'earlier') {
    return [['last', 'the newest one created here'], ...created(env, scope, 'requisitions', false)];
  }
  const [noun = '', what = 'records'] = lookup.split(' ');
  if (what === 'codes') {
    const ids = new Set(lookUpIn(`${noun} ids`, env, scope).map(([id]) => id));
    return lookUpIn(noun, env, scope).filter(([text]) => !ids.has(text));
  }
  const isIds = what === 'ids';
  return [
    ...readSeen(env, scope, noun, isIds ? 'ids' : 'records'),
    ...created(env, scope, noun, !isIds),
  ];
}

/** The values after `id=`, `code=` or `key=`. Names are not kept as values. */
const BY_FORM: Readonly<Record<string, string>> = {
  id: 'ids',
  code: 'codes',
  key: 'codes',
};

/** Undefined if `form` is no such form: then the `=` is part of a value. */
export function explicitFor(
  lookup: string,
  form: string,
  at: CursorContext,
): readonly Candidate[] | undefined {
  const what = Object.hasOwn(BY_FORM, form) ? BY_FORM[form] : undefined;
  if (what === undefined) return undefined;
  return lookUp(`${lookup} ${what}`, at).map(([text, doc]) => [`${form}=${text}`, doc]);
}

/**
 * Completes `key=value`. A candidate includes the pairs before it, e.g. `code=A-1,quantity=`.
 *
 * @param kind `pairs` for several with commas, `pair` for one
 */
export function pairsFor(
  kind: 'pairs' | 'pair',
  specs: PairSpecs,
  typed: string,
  at: CursorContext,
): readonly Candidate[] {
  const start = kind === 'pairs' ? typed.lastIndexOf(',') + 1 : 0;
  const [before, own] = [typed.slice(0, start), typed.slice(start)];
  const equals = own.indexOf('=');
  if (equals >= 0) {
    const head = before + own.slice(0, equals + 1);
    return valuesOf(specs, own.slice(0, equals), at)
      .filter(([value]) => kind !== 'pairs' || isPlainPair(value))
      .map(([value, doc]) => [head + value, doc]);
  }
  const given = new Set(before.split(',').map((pair) => pair.split('=')[0]));
  const keys = Object.keys(specs).filter((key) => !given.has(key));
  // A code may take the place of a key: `--item AR-5381=4`.
  const codes = before === '' ? valuesOf(specs, 'code', at) : [];
  return [
    ...keys.map((key) => bare(`${before}${key}=`)),
    ...codes.map(([code, doc]): Candidate => [`${code}=`, doc]),
  ];
}

/** Completes a condition: a field and `=`, then its values. Only the statuses of orders are known. */
export function conditionFor(typed: string, at: CursorContext): readonly Candidate[] {
  const [head] = /^status(!?=|~)/.exec(typed) ?? [];
  if (head !== undefined) return lookUp('statuses', at).map(([value]) => bare(head + value));
  return lookUp('fields', at).map(([field]) => bare(`${field}=`));
}

export function valuesOf(specs: PairSpecs, key: string, at: CursorContext): readonly Candidate[] {
  const values = Object.hasOwn(specs, key) ? specs[key]! : [];
  return typeof values === 'string' ? lookUp(values, at) : values.map(bare);
}

/** Whether the value needs no quotes. A comma would begin the next pair. */
function isPlainPair(value: string): boolean {
  return !value.includes(',') && !value.startsWith('"');
}

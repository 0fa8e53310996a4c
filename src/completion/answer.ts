import type { Env } from '../core/ports.ts';
import { SANDBOX_PROFILE } from '../settings/read/built-in.ts';
import { hasControls, visible } from '../terminal/sanitise.ts';
import { pairs, typedValue } from './pairs.ts';
import { environmentsOf, profileIn, readProfiles } from './place.ts';
import { scopeIn } from './scope-in.ts';
import { readSeen, type SeenThing } from './seen.ts';
import { addresses, createdIds, earlierIds, fileNames, historyIds } from './stored.ts';

/**
 * What a completion script asks for while someone types: `LOOKUP -- WORDS…`, the last word being the
 * one under the cursor. Lines of value, tab, description. Touches no network, fails never.
 */
export function answerCompletion(argv: readonly string[], env: Env, cwd: string): string {
  const [lookup = '', , ...words] = argv;
  const cur = typedValue(words);
  let found: readonly SeenThing[];
  try {
    found = lookUp(lookup, words, env, cwd);
  } catch {
    // Whatever is wrong, a person who presses Tab is not the one to tell.
    found = [];
  }
  const lines = new Map<string, string>();
  for (const [value, doc] of found) {
    // A service's text must not become a flag by a press of Tab.
    if (hasControls(value) || value.startsWith('-')) continue;
    if (!value.startsWith(cur) || lines.has(value)) continue;
    lines.set(value, visible(doc));
  }
  return [...lines]
    .map(([value, doc]) => (doc === '' ? `${value}\n` : `${value}\t${doc}\n`))
    .join('');
}

function lookUp(
  lookup: string,
  words: readonly string[],
  env: Env,
  cwd: string,
): readonly SeenThing[] {
  const [kind = '', specs] = lookup.split(':');
  if (specs !== undefined) return pairs(kind, specs, words, (one) => lookUp(one, words, env, cwd));
  switch (lookup) {
    case 'profiles':
      return [...Object.keys(readProfiles(env).profiles ?? {}), SANDBOX_PROFILE].map(bare);
    case 'environments': {
      const all = readProfiles(env);
      return environmentsOf(profileIn(words, env, cwd, all), all).map(bare);
    }
    case 'runs':
      return fileNames(env, 'imports', '.db');
    case 'drafts':
      return fileNames(env, 'drafts', '.json');
    case 'history':
      return historyIds(env);
  }
  const scope = scopeIn(words, env, cwd);
  if (scope === undefined) return [];
  if (lookup === 'addresses') return addresses(env, scope);
  if (lookup === 'earlier') {
    return [['last', 'the newest that was created here'], ...earlierIds(env, scope)];
  }
  return [...readSeen(env, scope, lookup), ...createdIds(env, scope, lookup)];
}

function bare(name: string): SeenThing {
  return [name, ''];
}

import { stateDir } from '../config/paths.ts';
import type { Env } from '../core/ports.ts';
import { runNames } from '../ledger/run-name.ts';
import { hasControls, visible } from '../terminal/sanitise.ts';
import { type Place, placeOf } from './cursor.ts';
import type { Candidate, LookUp, Model } from './offers.ts';
import { QUESTIONS } from './shells.ts';
import { environmentsOf, profileIn, readProfiles } from './target.ts';

/**
 * Answers a shell when Tab is pressed. Sends no request.
 *
 * @param argv the words after `proc __complete`, as a completion script passes them
 */
export function answerCompletion(
  model: Model,
  argv: readonly string[],
  env: Env,
  cwd: string,
): string {
  const [shell = '', ...args] = argv;
  const question = Object.hasOwn(QUESTIONS, shell) ? QUESTIONS[shell]!(args) : undefined;
  if (question === undefined) return '';
  const place = placeOf(model, question.words);
  const { head, typed, offer } = place;
  const files = offer.kind === 'file';
  const candidates = candidatesAt(place, env, question.words);
  const lines = question.answer({ head, typed, candidates, files }, env, cwd);
  return lines.map((line) => `${line}\n`).join('');
}

function candidatesAt(
  { offer, typed }: Place,
  env: Env,
  words: readonly string[],
): readonly Candidate[] {
  switch (offer.kind) {
    case 'candidates':
      return offer.candidates;
    case 'words':
      return (offer.isList === true ? inList(offer.words, typed) : offer.words).map(bare);
    case 'lookup':
      return harmless(lookUp(offer.lookup, env, words).map(bare));
    case 'file':
    case 'anything':
      return [];
  }
}

function bare(text: string): Candidate {
  return [text, ''];
}

const MOST_RUNS = 200;

/** Names stored on this machine. */
function lookUp(lookup: LookUp, env: Env, words: readonly string[]): readonly string[] {
  const all = readProfiles(env);
  switch (lookup) {
    case 'profiles':
      return Object.keys(all.profiles ?? {});
    case 'environments':
      return environmentsOf(profileIn(words, env, all), all);
    case 'runs':
      return runNames(stateDir(env), MOST_RUNS);
  }
}

/** `a,b,c` for each `c` that may follow the typed `a,b,`. */
function inList(words: readonly string[], typed: string): readonly string[] {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const given = before.split(',');
  return words.filter((word) => !given.includes(word)).map((word) => before + word);
}

/**
 * Drops candidates that look like a flag or contain control characters, because a service may have
 * sent them.
 */
function harmless(candidates: readonly Candidate[]): readonly Candidate[] {
  const found = new Map<string, string>();
  for (const [text, doc] of candidates) {
    if (hasControls(text) || text.startsWith('-') || found.has(text)) continue;
    found.set(text, visible(doc));
  }
  return [...found];
}

import type { Env } from '../core/ports.ts';
import { hasControls, visible } from '../terminal/sanitise.ts';
import { type Place, placeOf } from './cursor.ts';
import {
  type CursorContext,
  conditionFor,
  explicitFor,
  lookUp,
  pairsFor,
  valuesOf,
} from './known-values.ts';
import type { Candidate, Model } from './offers.ts';
import { bare } from './seen.ts';
import { QUESTIONS } from './shells.ts';

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
  const files = offer.kind === 'file' || (offer.kind === 'lookup' && offer.files === true);
  const candidates = candidatesAt(place, { env, words: question.words, noun: place.noun });
  const lines = question.answer({ head, typed, candidates, files }, env, cwd);
  return lines.map((line) => `${line}\n`).join('');
}

function candidatesAt({ offer, typed }: Place, at: CursorContext): readonly Candidate[] {
  switch (offer.kind) {
    case 'candidates':
      return offer.candidates;
    case 'words':
      return (offer.isList === true ? inList(offer.words, typed) : offer.words).map(bare);
    case 'lookup': {
      const [form, value] = typed.split('=', 2);
      const explicit = value === undefined ? undefined : explicitFor(offer.lookup, form!, at);
      if (explicit !== undefined) return harmless(explicit);
      const found = harmless(lookUp(offer.lookup, at));
      return offer.isList === true
        ? inList(
            found.map(([text]) => text),
            typed,
          ).map(bare)
        : found;
    }
    case 'condition':
      return harmless(conditionFor(typed, at));
    case 'pairs':
    case 'pair':
      return harmless(pairsFor(offer.kind, offer.pairs, typed, at));
    case 'by':
      return harmless(valuesOf(offer.pairs, at.words.at(-2) ?? '', at));
    case 'file':
    case 'anything':
      return [];
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

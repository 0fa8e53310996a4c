import type { Ports } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { storedCode } from '../core/service/code-change.ts';
import { show } from '../core/validate.ts';
import { keepContradiction, rehearsedFor, type Traits } from './kept-traits.ts';
import { type RehearsedFacts, rehearsedText, storedText } from './rehearsed-text.ts';

/** What a rehearsal lets a write of a noun expect. */
export interface Expected extends RehearsedFacts {
  /** Which code an answer has. `unknown` for nouns without a code. */
  readonly answerCode: Traits['answers']['items']['code'];
  readonly idKind: Traits['answers']['items']['id'];
}

type Noun = 'items' | 'imputations' | 'requisition';

export function expectedFrom(traits: Traits, noun: Noun): Expected {
  const { environment, at, codes, second, answers, list } = traits;
  const known = { environment, at };
  if (noun === 'imputations') {
    const { id: idKind } = answers.imputations;
    return { ...known, second: second.imputations.result, answerCode: 'unknown', idKind };
  }
  const { change, isKnown, longest } = codes;
  const facts = {
    ...known,
    codes: { change: change ?? undefined, isKnown, cutTo: longest.to ?? undefined },
    second: second.items.result,
    lagMs: list.lagMs,
  };
  if (noun === 'requisition') {
    return { ...facts, answerCode: 'unknown', idKind: answers.requisitions.id };
  }
  return { ...facts, answerCode: answers.items.code, idKind: answers.items.id };
}

/** Undefined if no environment of the profile was rehearsed. */
export async function expectedOf(
  noun: string,
  ports: Ports<'api' | 'self'>,
): Promise<Expected | undefined> {
  const traits = await rehearsedFor(ports);
  return traits === undefined ? undefined : expectedFrom(traits, noun as Noun);
}

/** The code under which the service stores a code, as far as the rehearsal could tell. */
export function expectedCode({ codes }: Expected, code: string): string {
  const stored = storedCode(codes?.change, code);
  return codes?.cutTo === undefined ? stored : stored.slice(0, codes.cutTo);
}

/**
 * Which trait the answer to a create contradicts, as a sentence. Undefined if none.
 *
 * @param sent the code of the record; null if it has none
 */
export function contradictionBy(
  answer: Row,
  expected: Expected,
  sent: string | null,
  { keyField, idField }: { readonly keyField: string; readonly idField: string },
): string | undefined {
  const { environment, at, answerCode, idKind, codes } = expected;
  const rehearsed = `in the rehearsal on ${environment} (${at.slice(0, 10)})`;
  const isNumber = typeof answer[idField] !== 'string';
  if (idKind !== 'unknown' && isNumber !== (idKind === 'number')) {
    return `the id ${show(answer[idField])} is ${isNumber ? 'a number' : 'a text'}, but ${rehearsed} ids were ${idKind === 'number' ? 'numbers' : 'texts'}`;
  }
  if (sent === null || codes === undefined || answerCode === 'unknown') return undefined;
  const said = answer[keyField];
  const stored = typeof said === 'number' ? String(said) : said;
  if (typeof stored !== 'string') {
    return answerCode === 'absent'
      ? undefined
      : `the answer to ${show(sent)} has no ${keyField}, but ${rehearsed} answers had it`;
  }
  if (answerCode === 'absent') {
    return `the answer to ${show(sent)} has the ${keyField} ${show(stored)}, but ${rehearsed} answers had none`;
  }
  if (answerCode === 'sent') {
    return stored === sent
      ? undefined
      : `the answer to ${show(sent)} has the ${keyField} ${show(stored)}, but ${rehearsed} answers had it as it was sent`;
  }
  if (!codes.isKnown || stored === expectedCode(expected, sent)) return undefined;
  return `the service stored ${show(sent)} as ${show(stored)}, but ${rehearsed} ${storedText(codes, 'en')}`;
}

/**
 * Notes that this environment does not behave as the rehearsal did: the next writes do not rely on it.
 *
 * @throws ProcError `state_unwritable`
 */
export async function noteContradiction(
  expected: Expected,
  why: string,
  { api, self }: Ports<'api' | 'self'>,
): Promise<void> {
  keepContradiction(self.env, await api.target(), expected, why);
}

/** Warns if the answer to a single create contradicts a trait. */
export async function tellContradiction(
  answer: Row,
  expected: Expected | undefined,
  sent: string | undefined,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<void> {
  if (expected === undefined) return;
  const fields = { keyField: 'code', idField: 'id' };
  const why = contradictionBy(answer, expected, sent ?? null, fields);
  if (why === undefined) return;
  ports.io.say({ kind: 'warning', text: `the rehearsal does not hold here: ${why}` });
  await noteContradiction(expected, why, ports);
}

/**
 * Names the traits where a person sees what a create will send.
 *
 * @returns the traits
 */
export async function sayRehearsed(
  noun: Noun,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<Expected | undefined> {
  const { io, api, self } = ports;
  const expected = await expectedOf(noun, ports);
  if (expected !== undefined && (api.isPreview || io.terminal.interactive)) {
    const text = rehearsedText(expected, self.clock.now(), await io.lang());
    io.say({ kind: 'notice', text });
  }
  return expected;
}

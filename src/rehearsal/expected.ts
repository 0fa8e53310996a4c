import type { Answer, Ports, WriteProblem } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import { storedCode } from '../core/service/code-change.ts';
import { show } from '../core/validate.ts';
import { keepContradiction, rehearsedFor, type Traits } from './kept-traits.ts';
import { lagText, type RehearsedFacts, rehearsedText, storedText } from './rehearsed-text.ts';

/** What a rehearsal lets a write of a noun expect. */
export interface Expected extends RehearsedFacts {
  /** Which code an answer has. `unknown` for nouns without a code. */
  readonly answerCode: Traits['answers']['items']['code'];
  readonly idKind: Traits['answers']['items']['id'];
  /** Of answers; empty if no create was answered. */
  readonly fields: readonly string[];
  /** Where an unsorted list shows new records. Undefined for nouns without a list. */
  readonly order?: Traits['list']['order'];
}

type Noun = 'items' | 'imputations' | 'requisition';

/** The fields that a rehearsal sends, and that an answer may repeat. */
const SENT: readonly string[] = [
  ...['name', 'code', 'reference', 'account', 'amount', 'currency', 'title', 'groups'],
];

export function expectedFrom(traits: Traits, noun: Noun): Expected {
  const { environment, at, codes, second, answers, list } = traits;
  const known = { environment, at };
  if (noun === 'imputations') {
    const { id: idKind, fields } = answers.imputations;
    return { ...known, second: second.imputations.result, answerCode: 'unknown', idKind, fields };
  }
  const { change, isKnown, longest } = codes;
  const facts = {
    ...known,
    codes: { change: change ?? undefined, isKnown, cutTo: longest.to ?? undefined },
    second: second.items.result,
    lagMs: list.lagMs,
  };
  if (noun === 'requisition') {
    const { id: idKind, fields } = answers.requisitions;
    return { ...facts, answerCode: 'unknown', idKind, fields };
  }
  const { code: answerCode, id: idKind, fields } = answers.items;
  return { ...facts, answerCode, idKind, fields, order: list.order };
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

function inRehearsal({ environment, at }: Pick<Expected, 'environment' | 'at'>): string {
  return `in the rehearsal on ${environment} (${at.slice(0, 10)})`;
}

export interface SentRecord {
  /** Null if it has none. */
  readonly code: string | null;
  /** JSON text. */
  readonly body: string;
}

/** Which trait the answer to a create contradicts, as a sentence. Undefined if none. */
export function contradictionBy(
  answer: Row,
  expected: Expected,
  { code: sent, body }: SentRecord,
  { keyField, idField }: { readonly keyField: string; readonly idField: string },
): string | undefined {
  const { answerCode, idKind, codes, fields } = expected;
  const rehearsed = inRehearsal(expected);
  const isNumber = typeof answer[idField] !== 'string';
  if (idKind !== 'unknown' && isNumber !== (idKind === 'number')) {
    return `the id ${show(answer[idField])} is ${isNumber ? 'a number' : 'a text'}, but ${rehearsed} ids were ${idKind === 'number' ? 'numbers' : 'texts'}`;
  }
  const what = sent === null ? 'the answer' : `the answer to ${show(sent)}`;
  // An answer repeats only what was sent.
  const isSent = (field: string) => field in (JSON.parse(body) as Row);
  const missing = fields.find(
    (one) => one !== keyField && !(one in answer) && (!SENT.includes(one) || isSent(one)),
  );
  if (missing !== undefined) {
    return `${what} has no ${missing}, but ${rehearsed} answers had it`;
  }
  const more =
    fields.length === 0
      ? undefined
      : SENT.find(
          (one) => one !== keyField && one in answer && !fields.includes(one) && isSent(one),
        );
  if (more !== undefined) {
    return `${what} has the ${more}, but ${rehearsed} answers had none`;
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
  return `the service stored ${show(sent)} as ${show(stored)}, but ${rehearsed} ${storedText(codes)}`;
}

/** Compares what a run gets for records that it sends twice with what the rehearsal got. */
export class SecondCreates {
  readonly #expected: Expected;
  readonly #created = new Map<string, string | undefined>();
  readonly #refused = new Set<string>();

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  /**
   * @param key the code, or what else is the same in both records
   * @returns which trait the outcome contradicts; undefined if none
   */
  note(key: string, outcome: { readonly state: string; readonly id?: string | undefined }) {
    const { second } = this.#expected;
    const before = this.#created.get(key);
    if (outcome.state === 'created') {
      const isSecond = this.#created.has(key);
      if (!isSecond) this.#created.set(key, outcome.id);
      if (isSecond && second !== 'created' && before !== outcome.id) {
        return this.#sentence(`created another record (${outcome.id})`);
      }
    } else this.#refused.add(key);
    const isRefused = this.#created.has(key) && this.#refused.has(key);
    return isRefused && second !== 'refused' ? this.#sentence('was refused') : undefined;
  }

  #sentence(what: string): string {
    const said = {
      created: 'created another one',
      refused: 'was refused',
      'same id': 'returned the first record',
      unknown: '',
    };
    return `a second create of the same record ${what}, but ${inRehearsal(this.#expected)} it ${said[this.#expected.second]}`;
  }
}

/** How much longer than in the rehearsal a list may lag. */
const MORE_LAG_MS = 1_000;

/**
 * Which trait the list contradicts that does not show created records.
 *
 * @param ms since the newest of them was created
 */
export function lagContradiction(expected: Expected, ms: number): string | undefined {
  const { lagMs } = expected;
  if (typeof lagMs !== 'number' || ms < lagMs + MORE_LAG_MS) return undefined;
  return `the list does not show records that were created ${lagText(ms)} ago, but ${inRehearsal(expected)} it ${lagMs === 0 ? 'showed them at once' : `showed them after ${lagText(lagMs)}`}`;
}

/** Which trait a list contradicts that shows created records. @param isAtEnd undefined if proc cannot tell */
export function shownContradiction(
  expected: Expected,
  isAtEnd: boolean | undefined,
): string | undefined {
  const { lagMs, order } = expected;
  const rehearsed = inRehearsal(expected);
  if (lagMs === null) {
    return `the list shows the new records, but ${rehearsed} it did not`;
  }
  const isOther = isAtEnd === true ? order === 'first' : isAtEnd === false && order === 'last';
  if (!isOther) return undefined;
  return `the list shows new records ${isAtEnd ? 'at its end' : 'not at its end'}, but ${rehearsed} it showed them ${order === 'first' ? 'at its beginning' : 'at its end'}`;
}

/** The check of a delete that also warns if what the service answers, or does, contradicts a trait. */
export function comparedDelete(
  kind: keyof Traits['deletes'],
  check: (answer: Answer) => Promise<WriteProblem | undefined>,
  ports: Ports<'io' | 'api' | 'self'>,
): (answer: Answer) => Promise<WriteProblem | undefined> {
  return async (answer) => {
    const problem = await check(answer);
    const traits = await rehearsedFor(ports);
    if (traits === undefined) return problem;
    const { status, gone } = traits.deletes[kind];
    const rehearsed = inRehearsal(traits);
    if (status !== null && status !== answer.status) {
      const why = `the service answered ${answer.status} to the delete, but ${rehearsed} ${status}`;
      await warnOf(why, traits, ports);
    } else if (gone === false && problem === undefined) {
      const why = `the record is gone after the delete, but ${rehearsed} it stayed`;
      await warnOf(why, traits, ports);
    } else if (gone === true && problem !== undefined) {
      const why = `the record is not gone after the delete, but ${rehearsed} it was`;
      await warnOf(why, traits, ports);
    }
    return problem;
  };
}

/**
 * Notes that this environment does not behave as the rehearsal did: the next writes do not rely on it.
 *
 * @throws ProcError `state_unwritable`
 */
export async function noteContradiction(
  expected: Pick<Expected, 'environment' | 'at'>,
  why: string,
  { api, self }: Ports<'api' | 'self'>,
): Promise<void> {
  keepContradiction(self.env, await api.target(), expected, why);
}

/** Warns if the answer to a single create contradicts a trait. */
export async function tellContradiction(
  answer: Row,
  expected: Expected | undefined,
  { body, idField = 'id' }: { readonly body: Row; readonly idField?: string },
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<void> {
  if (expected === undefined) return;
  const code = typeof body.code === 'string' ? body.code : null;
  const sent = { code, body: JSON.stringify(body) };
  const why = contradictionBy(answer, expected, sent, { keyField: 'code', idField });
  if (why !== undefined) await warnOf(why, expected, ports);
}

async function warnOf(
  why: string,
  expected: Pick<Expected, 'environment' | 'at'>,
  ports: Ports<'io' | 'api' | 'self'>,
): Promise<void> {
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
    const text = rehearsedText(expected, self.clock.now());
    io.say({ kind: 'notice', text });
  }
  return expected;
}

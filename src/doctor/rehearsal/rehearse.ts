import { prepare } from '../../client/request.ts';
import { failureOf } from '../../client/response/failure.ts';
import { type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import { isObject } from '../../core/is-object.ts';
import type { Clock, Say } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import type { Scope } from '../../core/scope.ts';
import {
  type CodeChange,
  changeBehind,
  partOf,
  spellingsOf,
  storedCode,
} from '../../core/service/code-change.ts';
import type { Outcome } from '../../core/service/outcome.ts';
import { idText } from '../../core/service/same-value.ts';
import type { Sender } from '../../core/service/sender.ts';
import type { History } from '../../history/store.ts';
import type { Writer } from '../../history/written-by.ts';
import type { ReadRows } from '../../listing/list-reader.ts';
import { patientReader } from '../../listing/patient-reader.ts';
import { placeOfNew } from '../../listing/place-of-new.ts';
import { findRows } from '../../listing/search-codes.ts';
import { createImputation } from '../../nouns/imputations/index.ts';
import { createItem, listItems } from '../../nouns/items/index.ts';
import {
  addGroup,
  addLine,
  createRequisition,
  listLines,
  removeGroup,
  removeLine,
} from '../../nouns/requisition/index.ts';
import type { Second, Traits } from '../../rehearsal/kept-traits.ts';
import { type Answer, isRows, Probe, ProbeEnded } from '../dialect/probe.ts';
import type { Specimen, Specimens } from './specimens.ts';

export interface RehearsalPorts {
  /** With the names of the list parameters that the service was seen to have. */
  readonly sender: Sender;
  readonly history: History;
  readonly scope: Scope;
  readonly writer: Writer;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly say: Say;
}

/** The longest time to wait until a list shows a new record, or no longer shows a deleted one. */
const LONGEST_LAG_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;
const MOST_ATTEMPTS = 3;
/** A record may take this long to appear or disappear, although the list was not seen to lag. */
const LEAST_PATIENCE_MS = 2_000;
const READING = { retries: 3, patienceMs: LONGEST_LAG_MS };

const UNASKED: Traits['parameters'] = { empty: 'unknown', repeated: 'unknown' };
const UNKNOWN: Second = { result: 'unknown', status: null, message: null };

/** The answer of the service to a write. */
type Answered =
  | {
      readonly kind: 'done';
      readonly status: number;
      readonly value: Row;
      readonly id: string | undefined;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly message: string | undefined };

interface Made extends Specimen {
  readonly id: string;
  readonly value: Row;
  /** By the monotonic clock. */
  readonly at: number;
}

/**
 * Creates the specimens, and looks what the service makes of them. Writes are recorded in the history as those of
 * any command. What the service refuses is a finding too.
 *
 * @throws ProcError if a write's outcome is unknown, or the service cannot be reached or refuses the key. The
 *   warning before it names what was created
 */
export async function rehearse(
  specimens: Specimens,
  ports: RehearsalPorts,
): Promise<Omit<Traits, 'profile' | 'environment' | 'baseUrl' | 'at'>> {
  const work = new Rehearsal(ports);
  try {
    return await work.run(specimens);
  } catch (thrown) {
    const { left } = work;
    if (left.length > 0) {
      const all = left.map(({ noun, id }) => `${noun} ${id}`).join(', ');
      ports.say({ kind: 'warning', text: `the rehearsal ended early. It has created: ${all}` });
    }
    throw thrown;
  }
}

class Rehearsal {
  readonly left: Traits['left'] = [];
  readonly #ports: RehearsalPorts;
  readonly #read: ReadRows;
  readonly #made: Made[] = [];
  #lagMs: number | null = null;

  constructor(ports: RehearsalPorts) {
    const { sender, clock, signal } = ports;
    this.#ports = ports;
    this.#read = patientReader(sender, { clock, signal, ...READING });
  }

  async run({ items, requisition, imputation }: Specimens) {
    const results = new Map<string, Second>();
    let refusedLength = false;
    for (const specimen of items) {
      this.#progress(`Creating ${specimen.name}`);
      const { result, made } = await this.#createItem(specimen);
      results.set(specimen.key, result);
      if (specimen.key === 'long') refusedLength = result.result === 'refused';
      if (made !== undefined && this.#made.length === 1) this.#lagMs = await this.#lagOf(made);
    }
    const imputations = await this.#imputations(imputation);
    const { deletes, answer: requisitions } = await this.#requisition(requisition);
    this.#progress('Reading the list of items');
    const shown = await this.#allShown();
    const parameters = shown.size < 3 ? UNASKED : await this.#parameters();
    const order = await placeOfNew(
      this.#made.map(({ id }) => id),
      listItems,
      { target: this.#ports.sender.target, read: this.#read },
    );
    const secondOf = (key: string) => results.get(key) ?? UNKNOWN;
    return {
      codes: codesIn(this.#made, shown, items.find(({ key }) => key === 'long')!, refusedLength),
      second: {
        items: secondOf('again'),
        itemsInOtherCase: secondOf('lower'),
        itemsInOtherForm: secondOf('decomposed'),
        imputations: imputations.second,
      },
      answers: {
        items: { ...answerOf(this.#made[0]?.value, 'id'), code: codeIn(this.#made, shown) },
        requisitions,
        imputations: imputations.answer,
      },
      list: { lagMs: this.#lagMs, order },
      deletes,
      parameters,
      left: this.left,
    };
  }

  async #createItem(specimen: Specimen): Promise<{ result: Second; made?: Made }> {
    const { name, code } = specimen;
    const answered = await this.#write(
      createItem,
      { body: { name, code } },
      `create item "${name}"`,
    );
    if (answered.kind === 'refused') return { result: refusedBy(answered) };
    const { id, value, status } = answered;
    const earlier = this.#made.find((one) => one.id === id);
    if (earlier !== undefined) return { result: { result: 'same id', status, message: null } };
    const made = { ...specimen, id: id!, value, at: this.#ports.clock.monotonic() };
    this.#made.push(made);
    this.left.push({ noun: 'items', id: id!, name });
    return { result: { result: 'created', status, message: null }, made };
  }

  /** Milliseconds until a list showed the record; null if it did not. */
  async #lagOf(made: Made): Promise<number | null> {
    this.#progress('Waiting for the list of items');
    let reads = 0;
    const isShown = await this.#until(async () => {
      reads++;
      return (await this.#shown([made])).size > 0;
    });
    if (!isShown) return null;
    return reads === 1 ? 0 : Math.ceil(this.#ports.clock.monotonic() - made.at);
  }

  /** Asks again, with growing pauses, until it is true or the time has passed. */
  async #until(ask: () => Promise<boolean>, limitMs = LONGEST_LAG_MS): Promise<boolean> {
    const { clock, signal } = this.#ports;
    const began = clock.monotonic();
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      if (await ask()) return true;
      if (clock.monotonic() - began > limitMs) return false;
      await clock.sleep(pause, signal);
    }
  }

  /** How long a list may take to follow: it was seen to lag, and may lag a little more. */
  get #patienceMs(): number {
    return LEAST_PATIENCE_MS + 3 * (this.#lagMs ?? 0);
  }

  /** All records of the rehearsal, unless the list has not even shown the first one. */
  async #allShown(): Promise<ReadonlyMap<string, Row>> {
    let shown: ReadonlyMap<string, Row> = new Map();
    if (this.#made.length === 0) return shown;
    const ask = async () => {
      shown = await this.#shown(this.#made);
      return shown.size === this.#made.length;
    };
    await this.#until(ask, this.#lagMs === null ? 0 : this.#patienceMs);
    return shown;
  }

  /**
   * The rows of the list by the id of the record. A short list is read as a whole. A long list is searched for the
   * codes, as they came back and as they were sent.
   */
  async #shown(wanted: readonly Made[]): Promise<ReadonlyMap<string, Row>> {
    const ids = new Set(wanted.map(({ id }) => id));
    const found = new Map<string, Row>();
    const take = (rows: readonly Row[]) => {
      for (const row of rows) {
        const id = idText(row.id);
        if (id !== undefined && ids.has(id)) found.set(id, row);
      }
    };
    const source = { target: this.#ports.sender.target, read: this.#read };
    const ignore = () => undefined;
    for (const { id, code, value } of wanted) {
      for (const candidate of new Set([textOf(value.code) ?? code, ...spellingsOf(code)])) {
        if (found.has(id)) break;
        const { isSearched } = await findRows(
          { spec: listItems, field: 'code', value: candidate },
          source,
          ignore,
          take,
        );
        if (!isSearched) return found;
      }
    }
    return found;
  }

  /** What the list of items does with a parameter that is empty, or given twice. */
  async #parameters(): Promise<Traits['parameters']> {
    const { sender, clock, signal } = this.#ports;
    const { paging, limit } = sender.target.dialect('items');
    if (paging === 'none') return UNASKED;
    const probe = new Probe(listItems, { sender, clock, signal });
    const ask = async <R>(values: readonly string[], told: (rows: number) => R) => {
      let answer: Answer;
      try {
        answer = await probe.ask(values.map((value) => [limit, value] as const));
      } catch (thrown) {
        if (thrown instanceof ProbeEnded) return 'unknown';
        throw thrown;
      }
      if (isRows(answer)) return told(answer.length);
      return answer === 'refused' ? 'refused' : 'unknown';
    };
    return {
      empty: await ask([''], (rows) => (rows === 0 ? 'zero' : 'ignored')),
      repeated: await ask(['1', '2'], (rows) =>
        rows === 1 ? 'first' : rows === 2 ? 'last' : 'ignored',
      ),
    };
  }

  async #imputations(body: Row) {
    this.#progress('Creating two equal imputations');
    const what = 'create an imputation';
    const first = await this.#write(createImputation, { body }, what);
    if (first.kind === 'refused') return { second: UNKNOWN, answer: answerOf(undefined, 'id') };
    const name = String(body.reference);
    this.left.push({ noun: 'imputations', id: first.id!, name });
    const again = await this.#write(createImputation, { body }, what);
    const answer = answerOf(first.value, 'id');
    if (again.kind === 'refused') return { second: refusedBy(again), answer };
    const isSame = again.id === first.id;
    if (!isSame) this.left.push({ noun: 'imputations', id: again.id!, name });
    const result = isSame ? ('same id' as const) : ('created' as const);
    return { second: { result, status: again.status, message: null }, answer };
  }

  /** A requisition with a group; a second group with two lines, which are deleted again. */
  async #requisition(name: string) {
    this.#progress('Creating a requisition');
    const deletes: Traits['deletes'] = {
      lines: { status: null, gone: null },
      groups: { status: null, gone: null },
    };
    const itemId = this.#made[0]?.id;
    const items = itemId === undefined ? [] : [{ quantity: 1, itemId }];
    const groups = [{ name: `${name} 1`, deliveryMethod: 'pickup', items }];
    const body = { title: name, groups };
    const created = await this.#write(createRequisition, { body }, `create requisition "${name}"`);
    if (created.kind === 'refused')
      return { deletes, answer: answerOf(undefined, 'requisitionId') };
    const id = created.id!;
    this.left.push({ noun: 'requisitions', id, name });
    const answer = answerOf(created.value, 'requisitionId');
    const group = await this.#write(
      addGroup,
      { params: { id }, body: { name: `${name} 2` } },
      `add group "${name} 2" to requisition ${id}`,
    );
    if (group.kind === 'refused') return { deletes, answer };
    const params = { id, groupId: group.id! };
    const lines: string[] = [];
    for (const quantity of itemId === undefined ? [] : [1, 2]) {
      const what = `add ${quantity} × item ${itemId} to group ${group.id}`;
      const line = await this.#write(addLine, { params, body: { quantity, itemId } }, what);
      if (line.kind === 'done') lines.push(line.id!);
    }
    const [line] = lines;
    const listed = async () => {
      const outcome = await this.#ports.sender.send(listLines, { params });
      if (outcome.kind !== 'done') return outcome.kind === 'rejected' ? [] : undefined;
      return (outcome.value as readonly Row[]).map((row) => idText(row.id));
    };
    const isShown = async (one: string) => (await listed())?.includes(one);
    if (line !== undefined) {
      const wasShown = await this.#until(async () => (await isShown(line)) === true);
      deletes.lines = await this.#delete(
        removeLine,
        { ...params, itemId: line },
        `delete line ${line} of group ${group.id}`,
        wasShown ? async () => (await isShown(line)) === false : undefined,
      );
    }
    // An empty group looks like a deleted one, so its last line tells.
    const rest = lines.find((one) => one !== line);
    deletes.groups = await this.#delete(
      removeGroup,
      params,
      `delete group ${group.id} of requisition ${id}`,
      rest === undefined || deletes.lines.gone === null
        ? undefined
        : async () => (await isShown(rest)) === false,
    );
    if (deletes.groups.gone !== true) {
      this.left.push({ noun: 'groups', id: group.id!, name: `${name} 2` });
    }
    return { deletes, answer };
  }

  /** @param isGone undefined if no read can tell */
  async #delete(
    spec: EndpointSpec,
    params: Readonly<Record<string, string>>,
    what: string,
    isGone: (() => Promise<boolean>) | undefined,
  ): Promise<Traits['deletes']['lines']> {
    const answered = await this.#write(spec, { params }, what);
    if (answered.kind === 'refused') return { status: answered.status, gone: false };
    // A list that shows records late may also hide them late.
    const gone = isGone === undefined ? null : await this.#until(isGone, this.#patienceMs);
    return { status: answered.status, gone };
  }

  /** Sends a write, and records it as a command does. Waits for a service that asks to wait. */
  async #write(
    spec: EndpointSpec,
    input: { readonly params?: Readonly<Record<string, string>>; readonly body?: unknown },
    what: string,
  ): Promise<Answered> {
    const { sender, history, scope, writer, clock, signal } = this.#ports;
    const { target } = sender;
    const request = prepare(spec, input, target);
    const prefix = new URL(target.baseUrl).pathname.replace(/\/+$/, '');
    const intent = {
      what,
      noun: nounOf(spec),
      endpoint: spec.id,
      method: spec.method,
      path: request.path.slice(prefix.length),
      payload: input.body,
      profile: target.profile,
      environment: target.environment,
      baseUrl: target.baseUrl,
      writer,
    };
    signal.throwIfAborted();
    const begun = (await history.begin(scope, intent, clock.now(), false)) as {
      readonly id: string;
    };
    const end = (ending: Omit<Parameters<History['finish']>[1], 'requestId'>) =>
      history.finish(begun.id, ending, clock.now());
    for (let attempt = 1; ; attempt++) {
      const outcome = await sender.send(spec, input);
      const done = async (answer: CreateAnswer): Promise<Answered> => {
        const { status, value, id } = answer;
        const isKnown = id !== undefined && this.left.some((one) => one.id === id);
        await end({ state: 'done', status, response: value, created: isKnown ? undefined : id });
        return { kind: 'done', ...answer };
      };
      if (outcome.kind === 'done') return done(answerIn(outcome, spec));
      const misfit = misfitIn(outcome, spec, (id) => this.left.some((one) => one.id === id));
      if (misfit !== undefined) return done(misfit);
      const failure = failureOf(request, outcome, target);
      const isTurnedAway = outcome.kind === 'throttled' || outcome.kind === 'not-sent';
      const waitMs = outcome.kind === 'throttled' ? (outcome.retryAfterMs ?? 1_000) : 1_000;
      if (isTurnedAway && attempt < MOST_ATTEMPTS && waitMs <= LONGEST_WAIT_MS) {
        await clock.sleep(waitMs, signal);
        continue;
      }
      const state = isTurnedAway
        ? 'not-applied'
        : outcome.kind === 'rejected'
          ? 'rejected'
          : 'unknown';
      const status = 'status' in outcome ? outcome.status : undefined;
      await end({ state, status, message: failure.message });
      const isRefusal = outcome.kind === 'rejected' && ![401, 403].includes(outcome.status);
      if (!isRefusal) throw failure;
      return { kind: 'refused', status: outcome.status, message: outcome.error.message };
    }
  }

  #progress(text: string): void {
    this.#ports.say({ kind: 'progress', text, data: { doctor: 'rehearsal' } });
  }
}

type CreateAnswer = Omit<Extract<Answered, { kind: 'done' }>, 'kind'>;

function idFieldOf({ response }: EndpointSpec): string {
  return ('created' in response ? response.created : undefined) ?? 'id';
}

function answerIn(
  { status, value }: Extract<Outcome, { kind: 'done' }>,
  spec: EndpointSpec,
): CreateAnswer {
  const row = isObject(value) ? value : {};
  return { status, value: row, id: idText(row[idFieldOf(spec)]) };
}

/**
 * An answer with another code than was sent, or with an earlier record: what the service makes of codes is what the
 * rehearsal asks.
 */
function misfitIn(
  outcome: Outcome,
  spec: EndpointSpec,
  isKnown: (id: string) => boolean,
): CreateAnswer | undefined {
  if (outcome.kind !== 'unknown' || outcome.misfit === undefined) return undefined;
  const { answer, fields } = outcome.misfit;
  const id = isObject(answer) ? idText(answer[idFieldOf(spec)]) : undefined;
  if (!isObject(answer) || id === undefined) return undefined;
  const isExpected = isKnown(id) || fields.every((field) => field === 'code');
  return isExpected ? { status: outcome.status!, value: answer, id } : undefined;
}

function refusedBy({ status, message }: Extract<Answered, { kind: 'refused' }>): Second {
  return { result: 'refused', status, message: message ?? null };
}

function answerOf(value: Row | undefined, idField: string): Traits['answers']['requisitions'] {
  const id = value?.[idField];
  return {
    fields: Object.keys(value ?? {}),
    id: typeof id === 'string' ? 'text' : id === undefined ? 'unknown' : 'number',
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

/** The code as the list shows it; if it does not show the record, as the answer has it. */
function storedOf({ id, value }: Made, shown: ReadonlyMap<string, Row>): string | undefined {
  return textOf(shown.get(id)?.code) ?? textOf(value.code);
}

function codeIn(
  made: readonly Made[],
  shown: ReadonlyMap<string, Row>,
): Traits['answers']['items']['code'] {
  if (made.length === 0) return 'unknown';
  if (made.every(({ value }) => textOf(value.code) === undefined)) return 'absent';
  const is = (expected: (one: Made) => string | undefined) =>
    made.every((one) => textOf(one.value.code) === expected(one));
  if (is((one) => storedOf(one, shown))) return 'stored';
  return is(({ code }) => code) ? 'sent' : 'unknown';
}

function codesIn(
  made: readonly Made[],
  shown: ReadonlyMap<string, Row>,
  long: Specimen,
  isRefused: boolean,
): Traits['codes'] {
  const samples = made.flatMap((one) => {
    const stored = storedOf(one, shown);
    return stored === undefined ? [] : [{ key: one.key, sent: one.code, stored }];
  });
  const others = samples.filter(({ key }) => key !== 'long');
  const found = others.length === 0 ? undefined : changeBehind(others);
  const change = found === 'none' ? undefined : found;
  const said = (about: Parameters<typeof partOf>[1]) =>
    found === undefined
      ? 'unknown'
      : ((change === undefined ? undefined : partOf(change, about)) ?? 'as sent');
  const longest = samples.find(({ key }) => key === 'long');
  return {
    change: change ?? null,
    isKnown: found !== undefined,
    case: said('case'),
    spaces: said('spaces'),
    dashes: said('dashes'),
    zeros: said('zeros'),
    form: said('form'),
    longest: {
      sent: long.code.length,
      ...(longest === undefined
        ? { result: isRefused ? 'refused' : 'unknown', to: null }
        : lengthOf(longest, change)),
    },
    samples: samples.map(({ sent, stored }) => ({ sent, stored })),
  };
}

function lengthOf(
  { sent, stored }: { readonly sent: string; readonly stored: string },
  change: CodeChange | undefined,
): Pick<Traits['codes']['longest'], 'result' | 'to'> {
  return stored.length >= storedCode(change, sent).length
    ? { result: 'kept', to: null }
    : { result: 'cut', to: stored.length };
}

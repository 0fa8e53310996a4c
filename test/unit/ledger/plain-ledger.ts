import type { Scope } from '../../../src/core/scope.ts';
import {
  type Batch,
  type Claim,
  type Confirmed,
  type CreatedBefore,
  type Creator,
  isHeld,
  type KnownRun,
  type Move,
  type NewRun,
  type Noted,
  type Place,
  type Refused,
  type SentBefore,
  type SentRow,
} from '../../../src/ledger/port.ts';

type Changing<T> = { -readonly [K in keyof T]: T[K] };

interface PlainRun extends Changing<KnownRun> {
  readonly service: string;
  readonly organization: string | undefined;
  readonly noun: string;
  finishedAt: number | undefined;
  isForgotten: boolean;
}

interface PlainRow {
  readonly run: number;
  readonly row: number;
  key: string | null;
  state: 'maybe' | 'created' | 'dropped';
  id: string | null;
  at: number | null;
  intent: number;
  body: string | null;
  /** The row of a later run, which may be removed since. */
  answer: { readonly run: PlainRun; readonly row: number } | undefined;
}

interface PlainEntry {
  readonly id: string;
  readonly service: string;
  readonly organization: string | null;
  readonly fingerprint: string;
  readonly state: string;
  readonly created: string | null;
  isForgotten: boolean;
}

/** What `src/ledger/port.ts` promises, in lists: without SQL, transactions or a disk. */
export class PlainLedger {
  readonly #runs: PlainRun[] = [];
  #rows: PlainRow[] = [];
  readonly #entries: PlainEntry[] = [];
  #numbers = 0;
  #intents = 0;

  runs(): readonly KnownRun[] {
    return this.#runs.map(knownOf);
  }

  run(name: string): KnownRun | undefined {
    const found = this.#named(name);
    return found && knownOf(found);
  }

  add({ name, noun, service, organization, phase, header }: NewRun): KnownRun {
    const run: PlainRun = {
      ...{ number: ++this.#numbers, name, noun, service, organization, phase, header },
      ...{ generation: 1, commits: 0, counts: undefined, entry: undefined, finishedAt: undefined },
      ...{ hasBegun: false, isDiscarded: false, isForgotten: false },
    };
    this.#runs.push(run);
    return knownOf(run);
  }

  claim(name: string): KnownRun | undefined {
    const run = this.#named(name);
    if (run?.header === undefined || run.isDiscarded) return undefined;
    run.generation++;
    const found = knownOf(run);
    run.counts = undefined;
    return found;
  }

  holds(claim: Claim): boolean {
    return this.#held(claim) !== undefined;
  }

  move(claim: Claim, { from, to, hasBegun, noted, entry }: Move): boolean {
    const run = this.#held(claim);
    if (run === undefined || !from.includes(run.phase)) return false;
    run.phase = to;
    run.isForgotten &&= run.hasBegun;
    run.hasBegun ||= hasBegun;
    note(run, noted);
    if (entry !== undefined) {
      this.#entries.push({ ...(entry as unknown as PlainEntry), isForgotten: false });
      run.entry = entry.id as string;
    }
    return true;
  }

  note(claim: Claim, noted: Noted): boolean {
    const run = this.#held(claim);
    if (run === undefined) return false;
    note(run, noted);
    return true;
  }

  write(
    claim: Claim,
    { commits, outcomes, intents, against }: Batch,
  ): readonly Refused[] | undefined {
    const run = this.#held(claim);
    if (run === undefined) return undefined;
    for (const { row, state, id = null, entry } of outcomes) {
      if (state === 'none') {
        this.#rows = this.#rows.filter((one) => !isAt(one, run.number, row));
        continue;
      }
      if (entry !== undefined) this.#entryOf(run.number, row, entry);
      const known = this.#rows.find((one) => isAt(one, run.number, row))!;
      Object.assign(known, { state, id });
      if (state !== 'maybe') Object.assign(known, { body: null, answer: undefined });
    }
    run.commits = Math.max(run.commits, commits);
    if (intents.length === 0) return [];
    const intent = ++this.#intents;
    const refused = intents.flatMap(({ row, key, seen }) => {
      const others = this.#rows.filter((one) => one.key === key && key !== null);
      const stops = others.filter(
        (one) =>
          this.#isOfOther(run, one) &&
          ((against.which !== 'nothing' && one.intent > Math.max(against.since, seen)) ||
            (against.which === 'new or open' && one.state === 'maybe' && one.intent > seen)),
      );
      const last = stops.toSorted((a, b) => a.intent - b.intent || a.row - b.row).at(-1);
      if (last === undefined) return [];
      const { state, id } = last;
      return [{ row, intent: last.intent, run: this.#numbered(last.run).name, state, id }];
    });
    for (const { row, key, at, body } of intents) {
      if (refused.some((one) => one.row === row)) continue;
      const known = this.#entryOf(run.number, row, { key, at });
      // The key of a row never changes.
      Object.assign(known, { state: 'maybe', id: null, at, intent, body });
    }
    return refused;
  }

  lastIntent(): number {
    return this.#intents;
  }

  confirm(number: number, created: readonly Confirmed[]): void {
    for (const { row, at, id } of created) {
      const known = this.#rows.find((one) => isAt(one, number, row));
      if (known?.state !== 'maybe' || known.at !== at) continue;
      Object.assign(known, { state: 'created', id, body: null });
    }
  }

  open(number: number, after: number): readonly number[] {
    return this.#inOrder()
      .filter(({ run, row, state }) => run === number && row > after && state === 'maybe')
      .map(({ row }) => row);
  }

  count(number: number, wanted: Refused['state']): number {
    return this.#rows.filter(({ run, state }) => run === number && state === wanted).length;
  }

  beginDiscard(name: string): KnownRun | undefined {
    const run = this.#named(name);
    if (run === undefined) return undefined;
    run.generation++;
    run.isDiscarded = run.hasBegun;
    return knownOf(run);
  }

  endDiscard(number: number): void {
    const run = this.#runs.find((one) => one.number === number);
    if (run === undefined) return;
    run.header = undefined;
    run.counts = undefined;
    if (!this.#rows.some((one) => one.run === number))
      this.#runs.splice(this.#runs.indexOf(run), 1);
  }

  /** Not of the port: the history forgets what it knows of a service that was reset. */
  forget(service: string): void {
    for (const one of [...this.#runs, ...this.#entries]) {
      if (one.service === service) one.isForgotten = true;
    }
  }

  /** Not of the port: which rows have an entry. */
  rowsOf(number: number): readonly number[] {
    return this.#rows.filter(({ run }) => run === number).map(({ row }) => row);
  }

  countEntries(): number {
    return this.#entries.length;
  }

  /** Not of the port: what a person can read with SQL. */
  bodies(): readonly Pick<PlainRow, 'run' | 'row' | 'body'>[] {
    return this.#inOrder().map(({ run, row, body }) => ({ run, row, body }));
  }

  isEmpty(scope: Scope): boolean {
    return !this.any(scope) && this.#ours(this.#entries, scope).length === 0;
  }

  any(scope: Scope): boolean {
    return this.#begun(scope).length > 0;
  }

  find(scope: Scope, fingerprints: readonly string[]): ReadonlyMap<string, readonly SentBefore[]> {
    const found = fingerprints.map((fingerprint): [string, SentBefore[]] => {
      const rows = this.#inOrder().filter(
        ({ run, key, at, state }) =>
          key === `body ${fingerprint}` &&
          this.#begun(scope).includes(this.#numbered(run)) &&
          (at !== null || state === 'created'),
      );
      const entries = this.#ours(this.#entries, scope)
        .filter((one) => one.fingerprint === fingerprint)
        .filter(({ state }) => ['pending', 'unknown', 'done', 'adopted'].includes(state));
      const commands = entries.map(({ id, state, created }) => ({
        ...{ by: 'command' as const, entry: id, created: created ?? undefined },
        isUnconfirmed: state === 'pending' || state === 'unknown',
      }));
      return [fingerprint, [...rows.map((row) => this.#sentRow(row)), ...commands]];
    });
    return new Map(found.filter(([, all]) => all.length > 0));
  }

  link(links: readonly { readonly from: Place; readonly to: Place | undefined }[]): void {
    for (const { from, to } of links) {
      const row = this.#at(from);
      const run = to && this.#named(to.run);
      if (row !== undefined) row.answer = run && { run, row: to!.row };
    }
  }

  answeredElsewhere(name: string): readonly SentRow[] {
    return this.#inOrder()
      .filter(({ run, answer }) => answer !== undefined && this.#numbered(run).name === name)
      .map((row) => this.#sentRow(row));
  }

  ofRun(scope: Scope, name: string): readonly (SentRow & { readonly key: string | null })[] {
    const run = this.#begun(scope).find((one) => one.name === name);
    return this.#inOrder()
      .filter((row) => row.run === run?.number)
      .map((row) => ({ ...this.#sentRow(row), key: row.key }));
  }

  firstRun(scope: Scope, noun: string): string | undefined {
    const names = this.#begun(scope).filter((run) => run.noun === noun);
    return names.map(({ name }) => name).sort()[0];
  }

  created(scope: Scope, noun: string, except: string): readonly CreatedBefore[] {
    return this.#creators(scope, noun)
      .filter(({ run }) => run.name !== except)
      .map(({ row, id }) => ({ id, ...namesIn(row.key) }));
  }

  creators(scope: Scope, noun: string, ids: readonly string[]): readonly Creator[] {
    return this.#creators(scope, noun)
      .filter(({ id }) => ids.includes(id))
      .toSorted((a, b) => (a.run.name < b.run.name ? -1 : 1) * Number(a.run !== b.run))
      .map(({ run, row: { row, key }, id }) => ({
        ...{ id, run: run.name, row, code: namesIn(key).code, finishedAt: run.finishedAt },
      }));
  }

  #creators(scope: Scope, noun: string) {
    const runs = this.#begun(scope).filter((run) => run.noun === noun && !run.isDiscarded);
    return runs.flatMap((run) =>
      this.#inOrder().flatMap((row) =>
        row.run === run.number && row.state === 'created' && row.id !== null
          ? [{ run, row, id: row.id }]
          : [],
      ),
    );
  }

  #sentRow({ run: number, row, state, id, intent, answer }: PlainRow): SentRow {
    const { name, isDiscarded } = this.#numbered(number);
    const place =
      answer !== undefined && this.#runs.includes(answer.run)
        ? { run: answer.run.name, row: answer.row }
        : undefined;
    const to = place && this.#at(place);
    return {
      ...{ by: 'run', run: name, row, created: id ?? undefined, intent, isDiscarded },
      outcome: state === 'maybe' ? 'unconfirmed' : state,
      answer: place && { ...place, sent: to && this.#sentRow(to) },
    };
  }

  #entryOf(run: number, row: number, { key, at }: { key: string | null; at: number | null }) {
    const known = this.#rows.find((one) => isAt(one, run, row));
    if (known !== undefined) return known;
    const added: PlainRow = {
      ...{ run, row, key, at, state: 'maybe', id: null, intent: 0, body: null },
      answer: undefined,
    };
    this.#rows.push(added);
    return added;
  }

  #isOfOther(own: PlainRun, { run }: PlainRow): boolean {
    const other = this.#numbered(run);
    const [a, b] = [own, other].map(({ service, organization, noun }) =>
      JSON.stringify([service, organization ?? null, noun]),
    );
    return other !== own && !other.isForgotten && a === b;
  }

  #begun(scope: Scope): PlainRun[] {
    return this.#ours(this.#runs, scope).filter((run) => run.hasBegun);
  }

  #ours<
    T extends { service: string; organization: string | null | undefined; isForgotten: boolean },
  >(all: readonly T[], { service, names }: Scope): T[] {
    return all.filter(
      (one) =>
        one.service === service && names.includes(String(one.organization)) && !one.isForgotten,
    );
  }

  #inOrder(): PlainRow[] {
    return this.#rows.toSorted((a, b) => a.run - b.run || a.row - b.row);
  }

  #at({ run: name, row }: Place): PlainRow | undefined {
    const run = this.#named(name);
    return run && this.#rows.find((one) => isAt(one, run.number, row));
  }

  #held(claim: Claim): PlainRun | undefined {
    const run = this.#runs.find(({ number }) => number === claim.number);
    return run !== undefined && isHeld(claim, run.generation) ? run : undefined;
  }

  #named(name: string): PlainRun | undefined {
    return this.#runs.find((one) => one.name === name);
  }

  #numbered(number: number): PlainRun {
    return this.#runs.find((one) => one.number === number)!;
  }
}

function isAt(one: PlainRow, run: number, row: number): boolean {
  return one.run === run && one.row === row;
}

function note(run: PlainRun, { finishedAt, commits, counts }: Noted): void {
  run.finishedAt = finishedAt ?? run.finishedAt;
  run.commits = commits ?? run.commits;
  run.counts = counts;
}

function knownOf(run: PlainRun): KnownRun {
  const { service, organization, noun, finishedAt, isForgotten, ...known } = run;
  return known;
}

function namesIn(key: string | null): Pick<CreatedBefore, 'code' | 'name'> {
  const textOf = (word: string) =>
    key?.startsWith(`${word} `) === true ? key.slice(word.length + 1) : null;
  return { code: textOf('code'), name: textOf('name') };
}

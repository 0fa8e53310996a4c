import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Draft } from '../../../src/import/draft/draft.ts';
import type { Place } from '../../../src/ledger/rows.ts';
import type { Claim, RowOutcome } from '../../../src/ledger/run-ledger.ts';
import { type Connected, connect, IMPUTATIONS, ITEMS, newLedger } from './one-database.ts';

// The steps of `test/model/protocol.ts` with real files, in random order: processes that are killed, lose their lock,
// or find that others have sent the same.

const SEEDS = Number(process.env.PROC_TEST_SEEDS ?? 8);
const STEPS = 160;
const KEYS = ['a', 'b', 'c', 'd'];

type Answer = RowOutcome['state'];
interface Request {
  readonly row: number;
  readonly key: string;
  readonly intent: number;
  is: 'ready' | 'left' | Answer;
  isOld: boolean;
  id: string | null;
}

interface Process {
  readonly at: Connected;
  readonly verb: 'import' | 'resume' | 'single';
  readonly keys: readonly string[];
  step: string;
  draft: Draft | undefined;
  planned: number;
  claim: Claim | undefined;
  requests: Request[];
  waits: Set<number>;
  entry: string;
}

/** mulberry32 */
function randomOf(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

class World {
  readonly stored = new Map<string, string[]>();
  readonly orphans: Request[] = [];
  readonly story: string[] = [];
  readonly reader: Connected;
  processes: Process[] = [];
  holder: Process | undefined;
  #number = 0;
  readonly #random: () => number;
  readonly #folder: string;
  readonly #path: string;
  readonly #where: Place;

  constructor(seed: number, folder: string, path: string, where: Place) {
    this.#random = randomOf(seed);
    this.#folder = folder;
    this.#path = path;
    this.#where = where;
    this.reader = connect(path, where);
  }

  #chance(part: number): boolean {
    return this.#random() < part;
  }

  #one<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)]!;
  }

  /** Intents whose requests may still have an effect. */
  #underWay(): number[] {
    const held = this.processes.flatMap(({ requests }) => requests);
    const may = held.filter(({ is, isOld }) => is === 'left' || (is === 'ready' && !isOld));
    return [...may, ...this.orphans].map(({ intent }) => intent);
  }

  #start(): void {
    const unfinished =
      this.reader.all("SELECT number FROM runs WHERE phase = 'sending'").length > 0;
    const verb = this.#chance(0.3)
      ? 'single'
      : unfinished && this.#chance(0.5)
        ? 'resume'
        : 'import';
    const keys = verb === 'single' ? [this.#one(KEYS)] : KEYS.filter(() => this.#chance(0.7));
    const self: Process = {
      ...{ verb, keys, step: verb === 'single' ? 'writes' : verb === 'import' ? 'reads' : 'locks' },
      at: connect(this.#path, this.#where, () => this.holder === self),
      ...{
        draft: undefined,
        planned: 0,
        claim: undefined,
        requests: [],
        waits: new Set(),
        entry: '',
      },
    };
    this.processes.push(self);
    this.story.push(`${verb} ${keys} starts`);
  }

  kill(self: Process): void {
    this.story.push(`${self.verb} is killed`);
    this.orphans.push(...self.requests.filter(({ is }) => is === 'left'));
    self.draft?.close();
    self.at.close();
    this.processes = this.processes.filter((one) => one !== self);
    if (this.holder === self) this.holder = undefined;
  }

  #end(self: Process): void {
    self.requests = [];
    this.kill(self);
  }

  #create({ key }: Request): string {
    const id = `i-${++this.#number}`;
    this.stored.set(key, [...(this.stored.get(key) ?? []), id]);
    return id;
  }

  /** @returns whether anything could happen */
  async step(isCalm: boolean): Promise<void> {
    const orphan = this.orphans.pop();
    if (orphan !== undefined) {
      const isApplied = this.#chance(0.5);
      this.story.push(`an orphan of ${orphan.key} is ${isApplied ? 'applied' : 'lost'}`);
      if (isApplied) this.#create(orphan);
      return;
    }
    if (this.processes.length < 2 && (!isCalm || this.processes.length === 0)) return this.#start();
    if (!isCalm && this.#chance(0.03)) {
      this.story.push('the lock is lost');
      this.holder = undefined;
      return;
    }
    if (this.#chance(0.1)) return this.resolve();
    const self = this.#one(this.processes);
    if (!isCalm && this.#chance(0.04)) return this.kill(self);
    await this.#go(self);
  }

  async #go(self: Process): Promise<void> {
    const { at, verb } = self;
    const request = self.requests.find(({ is }) => is === 'ready' || is === 'left');
    if (request !== undefined && this.#chance(0.5)) return this.#answer(self, request);
    this.story.push(`${verb}: ${self.step}`);
    if (self.step === 'writes') {
      self.entry = `w-${++this.#number}`;
      const key = self.keys[0]!;
      const before = await at.singles.begin({ id: self.entry, key, digest: `d ${key}` }, 0);
      if (before !== undefined) return this.#end(self);
      const [entry] = at.all('SELECT intent FROM entries WHERE id = ?', self.entry);
      const intent = Number(entry!.intent);
      self.requests = [{ row: 0, key, intent, is: 'ready', isOld: false, id: null }];
      self.step = 'hears';
    } else if (self.step === 'hears') {
      const [one] = self.requests;
      if (one!.is === 'ready' || one!.is === 'left') return;
      const created =
        one!.is === 'created' ? one!.id : one!.is === 'unconfirmed' ? undefined : null;
      await at.singles.finish(self.entry, created);
      this.#end(self);
    } else if (self.step === 'reads') {
      self.draft = new Draft(this.#folder);
      for (const [row, key] of self.keys.entries()) {
        const digest = this.#where.isListed ? null : `d ${key}`;
        self.draft.add({
          row: row + 1,
          state: 'pending',
          key,
          digest,
          body: JSON.stringify({ code: key }),
          source: null,
          line: row,
          reason: null,
        });
      }
      if (this.#where.isListed) {
        const listed = [...this.stored].map(([code, [id]]) => ({ code, id, name: null }));
        self.draft.addListed(listed);
        self.draft.compareWithList();
      }
      await self.draft.compareWithLedger({ path: this.#path }, this.#where, { sendsEqual: false });
      self.step = 'locks';
    } else if (self.step === 'locks') {
      if (this.holder !== undefined) return;
      this.holder = self;
      self.step = 'opens';
    } else if (self.step === 'opens') await this.#open(self);
    else if (self.step === 'fills') await this.#fill(self);
    else await this.#work(self);
  }

  #answer(self: Process, request: Request): void {
    if (request.is === 'ready') {
      request.is = request.isOld ? 'pending' : 'left';
    } else if (this.#chance(0.7)) {
      request.id = this.#create(request);
      request.is = 'created';
    } else if (this.#chance(0.5)) request.is = this.#one(['pending', 'rejected']);
    else {
      this.orphans.push({ ...request });
      request.is = 'unconfirmed';
    }
    this.story.push(`${self.verb}: request of ${request.key} is ${request.is}`);
  }

  async #open(self: Process): Promise<void> {
    const opened = await self.at.runs.open();
    if (opened === undefined) return this.#end(self);
    self.planned = opened.planned;
    if (self.verb === 'resume') {
      self.claim = opened.unfinished[0];
      if (self.claim === undefined) return this.#end(self);
      if ((await self.at.runs.compare(self.claim, opened.planned)) === undefined)
        return this.#end(self);
      self.step = 'works';
    } else {
      await self.draft!.compareWithLedger({ path: this.#path }, this.#where, { sendsEqual: false });
      await self.at.runs.settleCovered(self.draft!.covered(this.#where));
      const { create, lookedUp } = self.draft!.planned();
      if (create + lookedUp === 0) return this.#end(self);
      self.step = 'fills';
    }
    self.waits = new Set(this.#underWay());
  }

  async #fill(self: Process): Promise<void> {
    const { at, claim } = self;
    if (claim === undefined) {
      const name = `r-${++this.#number}`;
      self.claim = await at.runs.create({ name, header: {}, planned: self.planned, now: 1 });
      if (self.claim === undefined) this.#end(self);
      return;
    }
    const lots = [...self.draft!.lots(1)];
    for (const lot of lots) if (!(await at.runs.fill(claim, lot))) return this.#end(self);
    if (!(await at.runs.begin(claim))) return this.#end(self);
    self.draft!.close();
    self.step = 'works';
  }

  async #work(self: Process): Promise<void> {
    const { at, requests, waits } = self;
    const claim = self.claim!;
    if (waits.size > 0 && this.#chance(0.3)) {
      for (const process of this.processes)
        for (const request of process.requests) if (waits.has(request.intent)) request.isOld = true;
      const underWay = new Set(this.#underWay());
      for (const intent of waits) if (!underWay.has(intent)) waits.delete(intent);
      return;
    }
    const rows = at.all(
      'SELECT at & 4294967295 AS row, state, key FROM rows WHERE at >> 32 = ? ORDER BY at',
      claim.number,
    );
    const open = rows.filter(
      ({ state, row }) => state === 'unconfirmed' && !requests.some((one) => one.row === row),
    );
    if (open.length > 0 && this.#where.isListed && waits.size === 0 && this.#chance(0.5)) {
      const found = new Map(
        open.map(({ key }) => [String(key), this.stored.get(String(key))?.[0] ?? null]),
      );
      if (!(await at.runs.settle(claim, found))) await this.#lose(self);
      return;
    }
    const answered = requests.filter(({ is }) => is !== 'ready' && is !== 'left');
    const outcomes = answered.map(({ row, intent, is, id }) => ({
      row,
      intent,
      state: is as Answer,
      id,
    }));
    const most = Math.max(0, Math.ceil(this.#random() * 3) - (requests.length - answered.length));
    const batch = await at.runs.batch(claim, { outcomes, most, after: 0, now: 1 });
    if (batch === undefined) return this.#lose(self);
    for (const { intent, is } of answered) if (is === 'unconfirmed') waits.add(intent);
    if (batch.held.length > 0) for (const intent of this.#underWay()) waits.add(intent);
    self.claim = batch.claim;
    self.requests = requests.filter((one) => !answered.includes(one));
    for (const { row, key } of batch.taken)
      self.requests.push({
        row,
        key: key!,
        intent: batch.claim.lastIntent,
        is: 'ready',
        isOld: false,
        id: null,
      });
    if (self.requests.length > 0) return;
    const counts = await at.runs.end(self.claim, {}, 5);
    if (counts !== undefined) this.#end(self);
  }

  async #lose(self: Process): Promise<void> {
    const outcomes = self.requests.map(({ row, intent, is, id }) => ({
      row,
      intent,
      state: is as Answer,
      id,
    }));
    await self.at.runs.confirm(self.claim!.number, outcomes);
    self.requests = self.requests.filter(({ is }) => is === 'left');
    this.kill(self);
  }

  /** People resolve single writes, and rows that no look-up can decide, once no request can change them. */
  resolve(): void {
    const underWay = this.#underWay();
    const isQuiet = (key: string) =>
      ![
        ...this.reader.all('SELECT intent FROM rows WHERE key = ?', key),
        ...this.reader.all('SELECT intent FROM entries WHERE key = ?', key),
      ].some(({ intent }) => underWay.includes(Number(intent)));
    const write = (sql: string, ...values: (string | number | null)[]) =>
      this.reader.sql.run(sql, ...values);
    for (const { id, key } of this.reader.all(
      "SELECT id, key FROM entries WHERE state IN ('pending', 'unknown')",
    ))
      if (isQuiet(String(key))) {
        const [found] = this.stored.get(String(key)) ?? [];
        void write(
          'UPDATE entries SET state = ?, created = ? WHERE id = ?',
          found === undefined ? 'not-applied' : 'adopted',
          found ?? null,
          id!,
        );
      }
    if (this.#where.isListed || this.holder !== undefined) return;
    for (const { at, key } of this.reader.all(
      "SELECT at, key FROM rows WHERE state = 'unconfirmed'",
    )) {
      if (!isQuiet(String(key))) continue;
      const [found] = this.stored.get(String(key)) ?? [];
      this.story.push(`a person resolves ${key}: ${found}`);
      void write(
        `UPDATE rows SET id = ?, state = CASE WHEN ? IS NULL THEN 'pending' WHEN intent IS NULL THEN 'existing' ELSE 'created' END,
          intent = CASE WHEN ? IS NULL THEN (SELECT last FROM intents) ELSE intent END WHERE at = ?`,
        ...[found ?? null, found ?? null, found ?? null, at!],
      );
      void write(
        "UPDATE runs SET generation = generation + 1, phase = CASE WHEN ? IS NULL THEN 'sending' ELSE phase END WHERE number = ? >> 32",
        ...[found ?? null, at!],
      );
    }
  }

  check(): void {
    for (const [key, ids] of this.stored) {
      if (ids.length > 1) throw new Error(`${key} was created twice`);
      const known = [
        ...this.reader.all(
          "SELECT state FROM rows WHERE key = ? AND state NOT IN ('pending', 'dropped', 'rejected')",
          key,
        ),
        ...this.reader.all(
          "SELECT state FROM entries WHERE key = ? AND state NOT IN ('not-applied', 'rejected')",
          key,
        ),
      ];
      if (known.length === 0) throw new Error(`nobody knows of ${key}`);
    }
    for (const { key } of this.reader.all(
      "SELECT key FROM rows WHERE state IN ('created', 'existing')",
    ))
      if (!this.stored.has(String(key)) && !this.#mayExist(String(key)))
        throw new Error(`${key} is not stored`);
  }

  /** What a row took for existing by an open write that a person has resolved since. */
  #mayExist(key: string): boolean {
    return (
      this.reader.all("SELECT 1 FROM rows WHERE key = ? AND state = 'created'", key).length === 0
    );
  }
}

async function play(seed: number, where: Place): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'schedule-'));
  const path = join(folder, 'one.db');
  copyFileSync(template(), path);
  const world = new World(seed, folder, path, where);
  try {
    for (let step = 0; step < STEPS; step++) {
      await world.step(step > STEPS - 40);
      world.check();
    }
  } catch (thrown) {
    const story = world.story.join('\n  ');
    throw new Error(`seed ${seed}, ${where.noun}: ${String(thrown)}\n  ${story}`, {
      cause: thrown,
    });
  } finally {
    for (const process of world.processes) world.kill(process);
    world.reader.close();
    rmSync(folder, { recursive: true });
  }
}

let made: string | undefined;

function template(): string {
  made ??= newLedger(mkdtempSync(join(tmpdir(), 'template-')));
  return made;
}

test.each([ITEMS, IMPUTATIONS])(
  'no order of steps creates $noun twice, or forgets one',
  async (where) => {
    for (let seed = 1; seed <= SEEDS; seed++) await play(seed, where);
    expect(SEEDS).toBeGreaterThan(0);
  },
);

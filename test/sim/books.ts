import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { rowOf } from '../../src/ledger/rows.ts';
import type { World } from './machine/world.ts';
import type { Request } from './service/network.ts';

/** A row of a run, as proc has it on the disk. */
export interface BookedRow {
  readonly run: string;
  readonly row: number;
  /** What it creates: its organization and code. */
  readonly thing: string;
  readonly state: string;
  readonly id: string | null;
  /** The number of the intent of its last request. */
  readonly intent: number | null;
}

/** The record that a request may have left. */
export interface Intent {
  readonly row: BookedRow;
  /** When it was written, simulated ms. */
  readonly since: number;
  /** Whether a loss of power would leave it on the disk. */
  readonly isKept: boolean;
}

export interface BookedRun {
  readonly run: string;
  readonly phase: string;
}

/** How a row may change. What was decided stays. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  none: ['pending', 'unconfirmed'],
  pending: ['sending', 'existing', 'rejected', 'unconfirmed', 'dropped'],
  sending: ['created', 'existing', 'rejected', 'pending', 'unconfirmed', 'abandoned'],
  unconfirmed: ['created', 'existing', 'pending', 'dropped', 'abandoned', 'rejected'],
};

/** Whether a row may change so. A single commit may make two changes, e.g. put a row back and send it. */
export function mayBecome(before = 'none', after: string): boolean {
  if (before === after) return true;
  const next = NEXT[before] ?? [];
  return next.includes(after) || next.some((between) => NEXT[between]?.includes(after) === true);
}

/** States of rows that were created, or may have been. */
const SENT = new Set(['sending', 'unconfirmed', 'created', 'abandoned']);

interface Reader {
  readonly database: DatabaseSync;
  /** SQLite's `data_version`, which changes with each commit of another connection. */
  readonly version: StatementSync;
  readonly runs: StatementSync;
  readonly rows: StatementSync;
  readonly entries: StatementSync;
}

interface FoundRun {
  readonly number: number;
  readonly run: string;
  readonly phase: string;
  readonly place: string;
}

interface Found {
  readonly at: number;
  readonly state: string;
  readonly id: string | null;
  readonly intent: number | null;
  readonly body: string | null;
}

/** A row, and when and by which commit its intent was written. */
type Kept = BookedRow & { readonly since: number; readonly commit: number };

/**
 * Reads the tables of proc. Everything else in the simulation, also its promises, knows of them only what is said
 * here.
 */
export class Books {
  readonly #world: () => World;
  #reader: Reader | undefined;
  #version: unknown;
  #rows: ReadonlyMap<string, Kept> = new Map();
  #latest: ReadonlyMap<string, Kept> = new Map();
  #phases: readonly BookedRun[] = [];
  /** Of each row of each run that ever was, what it creates: bodies go when a run ends. */
  readonly #things = new Map<string, string>();

  constructor(world: () => World) {
    this.#world = world;
  }

  /** Reads what was committed since the last call. False: nothing was. */
  read(): boolean {
    const reader = this.#open();
    if (reader === undefined) return false;
    const version = reader.version.get()!.data_version;
    if (version === this.#version) return false;
    this.#version = version;
    const { machine, disk } = this.#world();
    const runs = new Map(
      (reader.runs.all() as unknown as FoundRun[]).map((run) => [run.number, run]),
    );
    this.#phases = [...runs.values()].map(({ run, phase }) => ({ run, phase })).reverse();
    const rows = new Map<string, Kept>();
    const latest = new Map<string, Kept>();
    for (const found of reader.rows.all() as unknown as Found[]) {
      const { at, state, id, intent, body } = found;
      const { run, place } = runs.get(Math.floor(at / 2 ** 32))!;
      const row = rowOf(at);
      const thing = this.#thingOf(`${run} ${row}`, place, body);
      const was = this.#rows.get(`${run} ${row}`);
      const isSame = was?.state === state && was.id === id && was.intent === intent;
      const { since, commit } =
        was?.intent === intent ? was : { since: machine.time, commit: disk.commits };
      const now = isSame ? was : { run, row, thing, state, id, intent, since, commit };
      rows.set(`${run} ${row}`, now);
      latest.set(thing, now);
    }
    this.#rows = rows;
    this.#latest = latest;
    return true;
  }

  /** By run and number. A row that did not change is the same object as before. */
  get rows(): ReadonlyMap<string, BookedRow> {
    return this.#rows;
  }

  /** The row of the latest run. */
  lastOf(thing: string): BookedRow | undefined {
    return this.#latest.get(thing);
  }

  /** The record that a request may have left: of the row that was marked last. */
  intentOf(thing: string): Intent | undefined {
    let last: Kept | undefined;
    for (const row of this.#rows.values()) {
      const isMarked = row.state === 'sending' || row.state === 'unconfirmed';
      if (row.thing === thing && isMarked && (row.intent ?? 0) > (last?.intent ?? 0)) last = row;
    }
    if (last === undefined) return undefined;
    const { database, disk } = this.#world();
    // PostgreSQL has synced what it has committed.
    const isKept = database !== undefined || last.commit <= disk.keptOf(this.#path);
    return { row: last, since: last.since, isKept };
  }

  /** Whether a later command would know that the row was created, or may have been. */
  isSentBefore({ state, intent }: BookedRow): boolean {
    return SENT.has(state) && intent !== null;
  }

  /** Whether the history has the request as a single write whose outcome is not known yet. */
  isPendingWrite({ method, path, body }: Request): boolean {
    const own = path.replace(/^\/api\/v1/, '');
    const pending = (this.#open()?.entries.all() ?? []) as unknown as { request: string }[];
    return pending.some(({ request }) => {
      const sent = JSON.parse(request) as { method: string; path: string; payload?: unknown };
      const payload = sent.payload === undefined ? '' : JSON.stringify(sent.payload);
      return sent.method === method && sent.path === own && payload === body;
    });
  }

  /** The phases of all runs that are there, newest first. */
  phases(): readonly BookedRun[] {
    this.read();
    return this.#phases;
  }

  /** Closes everything, because files may be replaced. */
  close(): void {
    this.#reader?.database.close();
    this.#reader = undefined;
    this.#version = undefined;
  }

  #thingOf(row: string, place: string, body: string | null): string {
    if (body !== null) {
      const { code, reference } = JSON.parse(body) as { code?: string; reference?: string };
      const organization = place.includes('contoso') ? 'contoso' : 'sandbox';
      this.#things.set(row, `${organization} ${code ?? reference}`);
    }
    return this.#things.get(row) ?? row;
  }

  get #path(): string {
    const { database, disk } = this.#world();
    return database?.path ?? join(disk.state, 'ledger.db');
  }

  #open(): Reader | undefined {
    if (this.#reader !== undefined) return this.#reader;
    if (!existsSync(this.#path)) return undefined;
    const { machine } = this.#world();
    const database = machine.within(
      machine.around,
      () => new DatabaseSync(this.#path, { readOnly: true, timeout: 0 }),
    );
    try {
      this.#reader = {
        database,
        version: database.prepare('PRAGMA data_version'),
        runs: database.prepare(
          'SELECT number, name AS run, phase, place FROM runs ORDER BY number',
        ),
        rows: database.prepare(
          'SELECT at, state, id, intent, body FROM rows LEFT JOIN bodies USING (at) ORDER BY at',
        ),
        entries: database.prepare("SELECT request FROM entries WHERE state = 'pending'"),
      };
    } catch {
      // The tables of the ledger do not exist yet.
      database.close();
    }
    return this.#reader;
  }
}

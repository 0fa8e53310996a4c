import { createHmac, hash, randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ProcError } from '../core/errors.ts';
import type { Env, Say } from '../core/io.ts';
import { systemClock } from '../core/time.ts';
import { configDir, createFolder } from '../store/folder.ts';
import { PRIVATE, readRegularFile, writeWholeFile } from '../store/whole-file.ts';
import { OPEN, type Place } from './rows.ts';
import type { Counting, SqlRow, Statements } from './sql.ts';

/** How far this machine has counted its transactions in a ledger, and the last intent that it has seen. */
interface Mark {
  /** How often a person has accepted the ledger: then it may have counted less. */
  readonly accepted: number;
  readonly counter: number;
  readonly intent: number;
}

/** The ledger that was used last, and since when, ms. While runs are moved it is neither of the two. */
interface Last {
  readonly ledger: string;
  readonly name: string;
  /** `moving`: from the one of this machine into a shared one. */
  readonly kind?: 'own' | 'shared' | 'moving';
  readonly since?: number;
}

/** Of a place: by noun, or of all its records. */
type Used = Readonly<Record<string, Last>>;

/** `salt`: so that names of files tell nothing. `writer`: this config folder, as ledgers know it. */
type Self = Readonly<Record<'salt' | 'writer', string>>;

/** Undefined `noun`: all records. */
type Whose = Pick<Place, 'place' | 'alias'> & { readonly noun?: string };

/** Why a ledger may lack what was sent. */
interface Doubt {
  readonly why: 'older' | 'copied' | 'other';
  /** What is known and what is not. */
  readonly text: string;
  readonly hint: string;
  readonly details: object;
  /** The one that was used last, if it is another. */
  readonly ledger?: string;
}

/** What a person has accepted or moved counts for each noun. */
const ALL = 'records';

const NONE: Mark = { accepted: 0, counter: 0, intent: 0 };

const COMMAND = 'proc doctor --accept-ledger';
const ACCEPT = `If that is lost, check at the service what was sent last. Then: ${COMMAND}`;

/**
 * What the config folder of this machine remembers of a ledger, to tell an older state or another ledger from the one
 * that it has used. Each transaction counts in the ledger; the counter is remembered once it is on the disk there, before
 * a request leaves. In what order, and why, is in `test/model/protocol.ts`. Files that cannot be read or written are no
 * memory, and never an error.
 */
export class Memory implements Counting {
  readonly #env: Env;
  readonly #name: string;
  readonly #isOwn: boolean;
  readonly #readOnly: boolean;
  readonly #say: Say;
  #self: (Self & { readonly folder: string }) | undefined;
  #ledger: string | undefined;
  /** False: what is done now does not count, because that would hide the doubt. */
  #isTrusted: boolean | undefined;
  #place: Place | undefined;

  /**
   * @param ledger its name for messages, and whether it belongs to this machine
   * @param readOnly creates no file, and only warns
   */
  constructor(
    { env, io }: { readonly env: Env; readonly io: { readonly say: Say } },
    { name, isOwn }: { name: string; isOwn: boolean },
    readOnly = false,
  ) {
    this.#env = env;
    this.#name = name;
    this.#isOwn = isOwn;
    this.#readOnly = readOnly;
    this.#say = io.say;
  }

  /**
   * Call it under the lock of all writers, before anything is sent. Items continue with a warning, because the list proves
   * what was sent, unless the ledger has an unfinished run of them that somebody else may know better.
   *
   * @returns in a dry run, whether it would be refused
   * @throws ProcError `ledger_changed`
   */
  async check(sql: Statements, where: Place, isResume = false): Promise<boolean> {
    const doubts = await this.doubts(sql, where);
    if (doubts.length === 0) {
      this.#place = where;
      return false;
    }
    const { place, noun, isListed } = where;
    const unfinished = await sql.all(
      `SELECT 1 FROM runs WHERE place = ? AND noun = ? AND phase = 'sending'
        UNION ALL SELECT 1 FROM rows JOIN runs ON number = at >> 32 WHERE ${OPEN} AND place = ? AND noun = ? LIMIT 1`,
      ...[place, noun, place, noun],
    );
    const hasUnfinished = unfinished.length > 0;
    const isKnown = this.#remembered() !== undefined;
    const refuses = {
      older: !isListed || hasUnfinished,
      // The other machine sends only the rows of its runs, and an import compares these with a list.
      copied: hasUnfinished && (!isListed || isResume),
      other: !isListed || (hasUnfinished && !isKnown),
    };
    const refused = doubts.find(({ why }) => refuses[why]);
    if (refused !== undefined && !this.#readOnly)
      throw new ProcError('ledger_changed', `${refused.text}; nothing was sent`, refused);
    if (refused === undefined && !isListed) return false;
    const { text, hint } = refused ?? doubts[0]!;
    const then = refused === undefined ? `The list of ${noun} decides` : 'The import will stop';
    this.#say({ kind: 'warning', text: `${text}. ${then}. ${hint}` });
    return refused !== undefined;
  }

  /**
   * Before runs of a place are moved from the ledger of this machine: one of the two was used last. Then it is neither,
   * until `use` says that they are moved.
   *
   * @param from `alone`: what must be before a command to use the ledger of this machine
   * @throws ProcError `ledger_changed`
   */
  async beginMove(
    sql: Statements,
    where: Whose,
    from: { memory: Memory; sql: Statements; where: Whose; alone: string },
  ): Promise<void> {
    const theirs = await from.memory.doubts(from.sql, from.where);
    const doubts = await this.doubts(sql, where);
    const moving = `${from.memory.#ledger} ${this.#ledger}`;
    const both = [from.memory.#ledger, this.#ledger, moving];
    const isOther = ({ ledger }: Doubt) => ledger === undefined || !both.includes(ledger);
    const [doubt] = [
      ...theirs.map((one) => ({ ...one, hint: one.hint.replace(COMMAND, from.alone + COMMAND) })),
      ...doubts,
    ].filter(isOther);
    if (doubt !== undefined)
      throw new ProcError('ledger_changed', `${doubt.text}; nothing was moved`, doubt);
    const name = `${from.memory.#name}, which is being moved into ${this.#name}`;
    for (const one of [where, from.where]) this.use(one, { ledger: moving, name, kind: 'moving' });
  }

  async doubts(sql: Statements, where?: Whose): Promise<readonly Doubt[]> {
    const self = this.#known();
    if (self === undefined) return [];
    this.#ledger ??= (await sql.all('SELECT id FROM ledger'))[0]!.id as string;
    // Before the ledger is read, which others may write meanwhile.
    const remembered = this.#remembered();
    const [found] = await sql.all(
      `SELECT accepted, coalesce((SELECT counter FROM writers WHERE id = ?), 0) AS counter,
        EXISTS (SELECT 1 FROM writers WHERE machine <> ?)
        AND (EXISTS (SELECT 1 FROM runs WHERE phase = 'sending') OR EXISTS (SELECT 1 FROM rows WHERE ${OPEN}))
        AND NOT EXISTS (SELECT 1 FROM writers WHERE machine = ?) AS is_copy FROM ledger`,
      ...[self.writer, machineId(), machineId()],
    );
    const mark = { ...NONE, accepted: Number(found!.accepted), counter: Number(found!.counter) };
    const doubts: Doubt[] = [];
    if (remembered !== undefined && isBehind(mark, remembered))
      doubts.push({
        why: 'older',
        text: `the ledger ${this.#name} was put back to an older state: the last ${Math.max(1, remembered.counter - mark.counter)} of the transactions that this machine has written are missing. What it has recorded holds; rows that were sent since are not known`,
        hint: `Put the newest state back. ${ACCEPT}`,
        details: { remembered: remembered.counter, counter: mark.counter },
      });
    else if (remembered === undefined && this.#isOwn && found!.is_copy)
      doubts.push({
        why: 'copied',
        text: `the ledger ${this.#name} has unfinished imports of another machine, and this one has never used it. What it has recorded holds; what the other machine sends is not known`,
        hint: `Finish the imports there. ${ACCEPT}`,
        details: { copied: true },
      });
    this.#isTrusted ??= doubts.length === 0;
    return [...doubts, ...this.#others(where)];
  }

  #others(where: Whose | undefined): readonly Doubt[] {
    const lasts = new Map<string, Last>();
    for (const used of this.#placesOf(where).map((file) => read<Used>(file) ?? {}))
      for (const noun of where?.noun === undefined ? Object.keys(used) : [where.noun]) {
        const [one, other] = [used[noun] ?? used[ALL], lasts.get(noun)];
        // Another key of the organization, or another ledger with another name for it, may have switched since.
        if (one && (one.since ?? 0) >= (other?.since ?? 0)) lasts.set(noun, one);
      }
    return [...lasts]
      .filter(([, { ledger }]) => ledger !== this.#ledger)
      .map(([noun, last]) => this.#otherThan(noun, last));
  }

  #otherThan(noun: string, { ledger, name, kind }: Last): Doubt {
    const common = {
      why: 'other' as const,
      ledger,
      details: { noun, ledger: this.#name, lastUsed: name },
    };
    if (name === this.#name)
      return {
        ...common,
        text: `the ledger ${name} is a new one, and the one that ${noun} were last written with is gone. What was sent with it is not known`,
        hint: `Restore ${name} from a backup. ${ACCEPT}`,
      };
    const share = kind === 'own' && !this.#isOwn ? ', or move it here: proc imports share' : '';
    return {
      ...common,
      text: `${noun} were last written with the ledger ${name}, and this is ${this.#name}. What was sent with the other one is not known here`,
      hint:
        kind === 'moving'
          ? 'Set the shared ledger again (PROC_LEDGER), and finish: proc imports share'
          : `Use ${name} again (PROC_LEDGER, PROC_STATE_DIR)${share}. ${ACCEPT}`,
    };
  }

  async counting(sql: Statements): Promise<string> {
    if (this.#isTrusted === undefined) await this.doubts(sql);
    if (!this.#isTrusted || this.#readOnly) return '';
    const machine = machineId();
    return `INSERT INTO writers (id, machine, counter)
      VALUES ('${this.#self!.writer}', ${machine === null ? 'NULL' : `'${machine}'`}, 1)
      ON CONFLICT (id) DO UPDATE SET counter = writers.counter + 1
      RETURNING counter, (SELECT accepted FROM ledger) AS accepted, (SELECT last FROM intents) AS intent`;
  }

  remember(counted: SqlRow | undefined): void {
    if (counted === undefined) return;
    const { accepted, counter, intent } = counted;
    const mark = { accepted: Number(accepted), counter: Number(counter), intent: Number(intent) };
    // Another process may write meanwhile. A memory that is too low misses a restore, but is no false alarm.
    if (isBehind(this.#remembered() ?? NONE, mark)) write(this.#fileOf(this.#ledger!), mark);
    if (this.#place !== undefined) this.use(this.#place);
    this.#place = undefined;
  }

  /** From now on this is the ledger of a place. */
  use(
    where: Whose,
    own: Last = { ledger: this.#ledger!, name: this.#name, kind: this.#isOwn ? 'own' : 'shared' },
  ): void {
    const { noun } = where;
    for (const file of this.#placesOf(where)) {
      const used = read<Used>(file) ?? {};
      if (noun !== undefined && (used[noun] ?? used[ALL])?.ledger === own.ledger) continue;
      const last = { ...own, since: systemClock.now() };
      write(file, noun === undefined ? { [ALL]: last } : { ...used, [noun]: last });
    }
  }

  /** A person accepts the ledger as it is, for all machines. Processes that wrote runs must open them again. */
  async accept(sql: Statements): Promise<void> {
    const { accepted, intent } = this.#remembered() ?? NONE;
    await sql.run('UPDATE intents SET last = ? WHERE last < ?', intent, intent);
    await sql.run(
      'UPDATE ledger SET accepted = CASE WHEN accepted < ? THEN ? ELSE accepted END + 1',
      ...[accepted, accepted],
    );
    await sql.run("UPDATE runs SET generation = generation + 1 WHERE phase <> 'ended'");
    this.#isTrusted = this.#self !== undefined;
  }

  #remembered(): Mark | undefined {
    return this.#ledger === undefined ? undefined : read<Mark>(this.#fileOf(this.#ledger));
  }

  /** By the organization and by the key: each ledger has a name of its own for the organization of a key without one. */
  #placesOf(where: Whose | undefined): readonly string[] {
    if (this.#self === undefined || where === undefined) return [];
    return [where.place, where.alias].flatMap((name) =>
      name === undefined ? [] : [this.#fileOf(name)],
    );
  }

  #fileOf(what: string): string {
    const { salt, folder } = this.#self!;
    return join(folder, createHmac('sha256', salt).update(what).digest('hex').slice(0, 32));
  }

  #known(): (Self & { readonly folder: string }) | undefined {
    if (this.#self !== undefined) return this.#self;
    try {
      const folder = join(configDir(this.#env), 'memory');
      const file = join(folder, 'self');
      const random = () => randomBytes(16).toString('hex');
      if (read(file) === undefined && !this.#readOnly) {
        createFolder(folder);
        writeWholeFile(file, lineOf({ salt: random(), writer: random() }), PRIVATE);
      }
      const self = read<Self>(file);
      if (self !== undefined) this.#self = { ...self, folder };
    } catch {
      // No memory.
    }
    return this.#self;
  }
}

/** Whether a ledger has counted less than another mark says. */
function isBehind(one: Mark, other: Mark): boolean {
  return one.accepted === other.accepted
    ? one.counter < other.counter
    : one.accepted < other.accepted;
}

function lineOf(value: unknown): string {
  const text = JSON.stringify(value);
  return `${hash('sha256', text, 'hex').slice(0, 16)} ${text}\n`;
}

function read<T>(file: string): T | undefined {
  try {
    const [line = ''] = readRegularFile(file).text.split('\n', 1);
    const value = JSON.parse(line.slice(17)) as T;
    return lineOf(value) === `${line}\n` ? value : undefined;
  } catch {
    return undefined;
  }
}

/** One write, and the file is not emptied before: so a kill leaves the old line or the new one. */
function write(path: string, value: unknown): void {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, PRIVATE);
    try {
      writeSync(file, lineOf(value), 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // No memory.
  }
}

let machine: string | null | undefined;

/** Null if nothing tells machines apart: outside Linux, and in most containers. Nobody else learns the id itself. */
function machineId(): string | null {
  if (machine === undefined) {
    machine = null;
    for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id'])
      try {
        const id = readFileSync(path, 'utf8').trim();
        if (/^[0-9a-f]{32}$/.test(id)) machine ??= hash('sha256', `proc ${id}`, 'hex').slice(0, 32);
      } catch {
        // It is not there.
      }
  }
  return machine;
}

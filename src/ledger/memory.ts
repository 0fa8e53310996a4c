import { createHmac, hash, randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { configDir } from '../config/paths.ts';
import { ProcError } from '../core/errors.ts';
import type { Env, Say } from '../core/io.ts';
import { createFolder } from '../store/folder.ts';
import { readRegularFile } from '../store/regular-file.ts';
import { PRIVATE, writeWholeFile } from '../store/whole-file.ts';
import type { Place } from './sent-since.ts';
import type { Counting, SqlRow, Statements } from './sql.ts';

/** How far this machine has counted its transactions in a ledger, and the last intent that it has seen. */
interface Mark {
  /** How often a person has accepted the ledger: then it may have counted less. */
  readonly accepted: number;
  readonly counter: number;
  readonly intent: number;
}

/** Of a place: by noun, the ledger that was used last. */
type Used = Readonly<Record<string, { readonly ledger: string; readonly name: string }>>;

/** `salt`: so that names of files tell nothing. `writer`: this config folder, as ledgers know it. */
type Self = Readonly<Record<'salt' | 'writer', string>>;

/** Undefined `noun`: each one. */
type Whose = Pick<Place, 'place' | 'alias'> & { readonly noun?: string };

/** Why a ledger may lack what was sent. */
interface Doubt {
  readonly why: 'older' | 'copied' | 'other';
  /** What is known and what is not. */
  readonly text: string;
  readonly hint: string;
  readonly details: object;
}

const NONE: Mark = { accepted: 0, counter: 0, intent: 0 };

const ACCEPT =
  'If that is lost, check at the service what was sent last. Then: proc doctor --accept-ledger';

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
  readonly #say: Say;
  #self: (Self & { readonly folder: string }) | undefined;
  #ledger: string | undefined;
  /** False: what is done now does not count, because that would hide the doubt. */
  #isTrusted: boolean | undefined;
  #place: Place | undefined;

  /** @param ledger its name for messages, and whether it belongs to this machine */
  constructor(env: Env, { name, isOwn }: { name: string; isOwn: boolean }, say: Say) {
    this.#env = env;
    this.#name = name;
    this.#isOwn = isOwn;
    this.#say = say;
  }

  /**
   * Call it under the lock of all writers, before anything is sent. Items without an unfinished run go on with a notice:
   * the list proves what was sent.
   *
   * @throws ProcError `ledger_changed`
   */
  async check(sql: Statements, where: Place, isResume = false): Promise<void> {
    const doubts = await this.doubts(sql, where);
    if (doubts.length === 0) {
      this.#place = where;
      return;
    }
    const { place, noun, isListed } = where;
    const unfinished = await sql.all(
      "SELECT 1 FROM runs WHERE place = ? AND noun = ? AND phase = 'sending' LIMIT 1",
      ...[place, noun],
    );
    const hasUnfinished = unfinished.length > 0;
    // The other machine sends only the rows of its runs, and an import compares these with a list.
    const isAtRisk = hasUnfinished && (!isListed || isResume);
    const doubt = doubts.find(({ why }) => why !== 'copied' || isAtRisk);
    if (doubt === undefined) return;
    const { text, hint } = doubt;
    if (!isListed || hasUnfinished)
      throw new ProcError('ledger_changed', `${text}; nothing was sent`, doubt);
    this.#say({ kind: 'warning', text: `${text}. The list of ${noun} decides. ${hint}` });
  }

  /** Before what concerns the whole ledger. @throws ProcError `ledger_changed` */
  async checkLedger(sql: Statements): Promise<void> {
    const [doubt] = await this.doubts(sql);
    if (doubt !== undefined) throw new ProcError('ledger_changed', doubt.text, doubt);
  }

  async doubts(sql: Statements, where?: Whose): Promise<readonly Doubt[]> {
    const self = this.#known();
    if (self === undefined) return [];
    this.#ledger ??= (await sql.all('SELECT id FROM ledger'))[0]!.id as string;
    // Before the ledger is read, which others may write meanwhile.
    const remembered = this.#remembered();
    const [found] = await sql.all(
      `SELECT accepted, coalesce((SELECT counter FROM writers WHERE id = ?), 0) AS counter,
        EXISTS (SELECT 1 FROM writers WHERE machine <> ?) AND EXISTS (SELECT 1 FROM runs WHERE phase = 'sending')
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
    const others = new Map<string, string>();
    for (const file of this.#placesOf(where))
      for (const [noun, { ledger, name }] of Object.entries(read<Used>(file) ?? {}))
        if (ledger !== this.#ledger && noun === (where?.noun ?? noun)) others.set(noun, name);
    return [...others].map(([noun, name]) => ({
      why: 'other',
      text: `${noun} were last written with the ledger ${name}, and this is ${this.#name}. What was sent with the other one is not known here`,
      hint: `Use ${name} again (PROC_LEDGER, PROC_STATE_DIR), or move what it has into a shared ledger: proc imports share. ${ACCEPT}`,
      details: { noun, ledger: this.#name, lastUsed: name },
    }));
  }

  async counting(sql: Statements): Promise<string> {
    if (this.#isTrusted === undefined) await this.doubts(sql);
    if (!this.#isTrusted) return '';
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

  /** From now on this is the ledger of a place. Without a noun: of all that were used there. */
  use(where: Whose): void {
    const own = { ledger: this.#ledger!, name: this.#name };
    for (const file of this.#placesOf(where)) {
      const used = read<Used>(file) ?? {};
      const nouns = where.noun === undefined ? Object.keys(used) : [where.noun];
      if (nouns.every((noun) => used[noun]?.ledger === own.ledger)) continue;
      write(file, { ...used, ...Object.fromEntries(nouns.map((noun) => [noun, own])) });
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

  /** Another ledger may have another name for the organization of a key. */
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
      if (read(file) === undefined) {
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

/**
 * The protocol of an import on one page: which transactions a run takes, what is in the ledger after each, and why no
 * record is created twice or lost. proc's code is larger because it reads files, asks people and speaks HTTP. What it
 * may do with a row, and in which order, is this.
 *
 * One database, the **ledger**, has the runs with their rows, and the single writes (entries). Each step below is one
 * transaction, or one event of one request. A process can die, sleep or lose its lock between any two steps.
 *
 * 1. A request leaves only after the COMMIT of its intent is on the disk, and within 5 s of before that transaction.
 *    Each batch of intents has a number of its own.
 * 2. A batch needs the generation of its process, and its process's last batch. Otherwise the run has another writer.
 * 3. An import compares all its rows with the ledger behind the lock. From then on each batch looks only at what others
 *    have sent since: numbers above `planned`, or above the one that the row has kept.
 * 4. Whoever opens a run opens all unfinished runs of the place: generation + 1, and what was being sent is unconfirmed.
 *    What was held back because others were open is pending again. A run that is still being filled goes.
 * 5. A row that was found open is looked up 5 s and `settle` after this process found it. What a look-up finds holds for
 *    all open rows and entries of the key, in one transaction. So does what an import's own reading of the list shows.
 * 6. An import moves from unfinished runs as many pending rows as it has rows for them; one left over stays.
 * 7. A process that lost its run sends nothing more. Its late answers may only confirm rows with its own intent.
 * 8. A run ends when nothing is pending, being sent or, with a list, unconfirmed. With a list its bodies go then.
 * 9. A machine counts its transactions in the ledger, and remembers elsewhere how far it has counted: of what is on the
 *    disk, before a request leaves, and never less than before. A ledger that has counted less, or another one, is older
 *    or another one: under the lock of all writers, before anything is sent, that raises an alarm. Only what the list
 *    proves goes on; it does not count.
 *
 * Assumptions: the service applies a request within `settle`, lists show what is stored, people who resolve a row have
 * looked first, and a ledger is put back, replaced or copied when no request is under way.
 */

/** What may happen in a world, and how often. */
export interface Setting {
  readonly isListable: boolean;
  /** The lines of the file of each import. */
  readonly files: readonly (readonly number[])[];
  /** Of each line. Lines with the same key have different values. */
  readonly keys: readonly number[];
  /** `--send-equal`: equal lines of a file are all sent. */
  readonly sendsEqual: boolean;
  /** `--exact-codes`: lines with the same key are spellings of one code, and different records. */
  readonly isExact: boolean;
  /** `--again`: what completed runs have sent is sent again. */
  readonly isAgain: boolean;
  /** One command begins after the other. */
  readonly isAlone: boolean;
  /** How many requests may be under way at once. */
  readonly slots: number;
  readonly kills: number;
  readonly lostLocks: number;
  /** Answers that say neither created nor refused, and refusals. */
  readonly troubles: number;
  /** Transactions whose COMMIT is not answered. */
  readonly doubts: number;
  readonly powerFailures: number;
  readonly singles: number;
  /** Rows that a person gives up. */
  readonly drops: number;
  /** The machine remembers its ledgers. Without: nothing below happens. */
  readonly remembers: boolean;
  /** An older state of the ledger is put back. */
  readonly restores: number;
  /** Another ledger is used, or the first one again. */
  readonly switches: number;
  /** The ledger is copied to another machine, and how often the other machine takes its turn. */
  readonly turns: number;
}

type RowState =
  | 'pending'
  | 'sending'
  | 'created'
  | 'existing'
  | 'rejected'
  | 'unconfirmed'
  | 'dropped'
  | 'abandoned';
/** `intent`: of its last request; while it is pending, only later ones of others stop it. 0: none. */
export type Row = { line: number; state: RowState; intent: number };
type Run = {
  number: number;
  /** For the promises: the lines of its file, without those that it reported as sent before, but unconfirmed. */
  asks: number[];
  phase: 'filling' | 'sending' | 'ended';
  generation: number;
  /** All pending rows were compared with what others had sent up to this intent. */
  planned: number;
  lastIntent: number;
  /** With `--again`, what others had sent up to this intent does not count any more. */
  againUpTo: number;
  /** Runs that have taken over rows of this one. */
  movedTo: number[];
  hasBodies: boolean;
  rows: Row[];
};
type Entry = { line: number; state: 'open' | 'created' | 'dropped'; intent: number };
/** `runs`: the highest number that a run has had. `intents`: that an intent has had. */
export type Ledger = {
  /** Copies have the same. */
  id: number;
  /** The machine that has written it, and how often. */
  writer: number;
  counter: number;
  runs: Run[];
  entries: Entry[];
  numbers: number;
  intents: number;
};
/** What a machine knows of the ledger that it has used last. */
type Memory = { id: number; counter: number } | null;

type Answer = 'created' | 'rejected' | 'pending' | 'unconfirmed';
/** `asked`: its intent is committed, not yet synced. `isOld`: it may not leave any more. `counter`: of its transaction. */
export type Request = {
  is: 'asked' | 'ready' | 'left' | Answer;
  line: number;
  intent: number;
  counter: number;
  isOld: boolean;
};
type Requests = (Request | null)[];
export interface Process {
  readonly verb: 'import' | 'resume' | 'single';
  /** The number of its run; 0: none yet. */
  run: number;
  readonly file: number;
  step: string;
  generation: number;
  lastIntent: number;
  planned: number;
  /** What the import does with each row of its file. */
  plan: (RowState | 'known')[];
  /** Lines of its file that the list has shown. */
  shown: number[];
  /** The ledger with which it has compared its rows. */
  seen: string;
  /** With `--again`, the runs that were completed when the plan was shown, and the last intent of then. */
  completed: number[];
  againUpTo: number;
  /** One of each row of its run. */
  requests: Requests;
  /** After a COMMIT without an answer: the intent of that batch, and the requests if it was committed. */
  doubt: { intent: number; requests: Requests } | null;
  /** Intents whose requests must be over before it looks rows up. */
  waits: number[];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export interface World extends Mutable<Setting> {
  /** Of each line, how many records there are. */
  stored: number[];
  ledger: Ledger;
  /** What a power failure leaves of the ledger. */
  disk: Ledger;
  /** The process that holds the lock; -1 for none. */
  lock: number;
  processes: (Process | null)[];
  /** Requests whose connection broke; the service may still apply them. */
  orphans: { line: number; intent: number }[];
  /** How many imports have begun. */
  imports: number;
  /** For the promises: how often the file may be sent. With `--again`, once more when the last run has ended. */
  rounds: number;
  /** For the promises: lines that proc has reported as created. */
  told: boolean[];
  /** For the promises: an import ended, and left rows open elsewhere that its list could have decided. */
  hasLeftOpen: boolean;
  memory: Memory;
  machine: number;
  backup: Ledger | null;
  /** The other ledger, or the other machine with its copy. */
  elsewhere: { ledger: Ledger; memory: Memory; machine: number } | null;
  /** For the promises: the ledger lacks what was sent, or is not the one that was used. */
  isWrong: boolean;
  /** The story ends here: a person decides. */
  hasAlarm: boolean;
}

type Change = (next: World, me: Process, p: number) => void;
type Act = (name: string, change: Change) => void;

const isOpen = ({ state }: { state: string }) => ['sending', 'unconfirmed', 'open'].includes(state);
/** It may be stored, or a person has given up finding out. */
const isSent = (row: Row | Entry) =>
  isOpen(row) || row.state === 'created' || row.state === 'abandoned';
const isMine = (run: Run | undefined, me: Process): run is Run => run?.generation === me.generation;
const runOf = (world: World, me: Process) =>
  world.ledger.runs.find(({ number }) => number === me.run);

export function start(setting: Setting): World {
  const none = setting.keys.map(() => 0);
  const ledger = emptyLedger(1);
  const nobody = { lock: -1, processes: [null, null], orphans: [], imports: 0, rounds: 1 };
  const told = none.map(() => false);
  const memory = { memory: null, machine: 0, backup: null, elsewhere: null };
  return {
    ...{ ...setting, ...nobody, ...memory, stored: none, ledger, disk: ledger, told },
    ...{ hasLeftOpen: false, isWrong: false, hasAlarm: false },
  };
}

function emptyLedger(id: number): Ledger {
  return { id, writer: 0, counter: 0, runs: [], entries: [], numbers: 0, intents: 0 };
}

function copyOf(world: World): World {
  const processes = world.processes.map(
    (process) =>
      process && {
        ...process,
        requests: copies(process.requests),
        completed: [...process.completed],
        shown: [...process.shown],
        waits: [...process.waits],
        doubt: process.doubt && { ...process.doubt, requests: copies(process.doubt.requests) },
      },
  );
  const { stored, told, orphans } = world;
  const lists = { stored: [...stored], told: [...told], orphans: [...orphans] };
  return { ...world, ...lists, processes, ledger: copyOfLedger(world.ledger) };
}

function copyOfLedger({ runs, entries, ...numbers }: Ledger): Ledger {
  const copied = runs.map(({ rows, movedTo, ...run }) => ({
    ...run,
    movedTo: [...movedTo],
    rows: rows.map((row) => ({ ...row })),
  }));
  return { ...numbers, runs: copied, entries: entries.map((entry) => ({ ...entry })) };
}

const copies = (requests: Requests): Requests =>
  requests.map((request) => request && { ...request });

/** All steps that anybody can take next. */
export function steps(world: World): { name: string; world: World }[] {
  const found: { name: string; world: World }[] = [];
  if (world.hasAlarm) return found;
  const step = (name: string, change: (next: World) => void): void => {
    const next = copyOf(world);
    change(next);
    for (const [p, process] of next.processes.entries())
      if (process?.step === 'ended') dies(next, p);
    found.push({ name, world: next });
  };
  for (const [at, { line }] of world.orphans.entries()) {
    step(`a request of line ${line} is lost`, (next) => next.orphans.splice(at, 1));
    step(`the service applies line ${line}, and nobody hears`, (next) => {
      next.orphans.splice(at, 1);
      next.stored[line]! += 1;
    });
  }
  if (world.lock >= 0 && world.lostLocks > 0)
    step(`the lock of process ${world.lock} is lost`, (next) => {
      next.lock = -1;
      next.lostLocks -= 1;
    });
  if (world.powerFailures > 0) {
    step('the power fails', (next) => {
      next.powerFailures -= 1;
      for (const p of [0, 1]) dies(next, p);
      next.ledger = copyOfLedger(next.disk);
    });
    step('the system writes the ledger to the disk', sync);
  }
  if (world.lock < 0) peopleResolve(world, step);
  if (world.restores > 0 && world.backup === null)
    step('the ledger is backed up', (next) => {
      next.backup = copyOfLedger(next.ledger);
    });
  if (world.orphans.length === 0 && world.processes.every((process) => process === null))
    ledgersChange(world, step);
  for (const [p, self] of world.processes.entries()) {
    if (self === null) {
      starts(world, (name, process) =>
        step(`${p} ${name}`, (next) => {
          next.processes[p] = process;
          if (process.verb === 'import' && next.imports < next.files.length) next.imports += 1;
          if (process.verb === 'single') recordsSingle(next, process);
        }),
      );
      continue;
    }
    const act: Act = (name, change) =>
      step(`${p} ${self.verb} ${self.run || ''}: ${name}`, (next) =>
        change(next, next.processes[p]!, p),
      );
    const change = CHANGES[self.step];
    if (change !== undefined && (self.step !== 'takes the lock' || world.lock < 0))
      act(self.step, change);
    if (self.step === 'works') works(world, self, act);
    requestsGoOn(world, self, act);
    if (world.kills > 0)
      act('kill -9', (next) => {
        next.kills -= 1;
        dies(next, p);
      });
  }
  return found;
}

function dies(world: World, p: number): void {
  for (const request of world.processes[p]?.requests ?? [])
    if (request?.is === 'left') world.orphans.push({ line: request.line, intent: request.intent });
  world.processes[p] = null;
  if (world.lock === p) world.lock = -1;
}

/** What a process can begin. A single write whose body or key was sent before asks a person instead. */
function starts(world: World, begin: (name: string, process: Process) => void): void {
  if (world.isAlone && world.processes.some((process) => process !== null)) return;
  const idle = {
    run: 0,
    file: -1,
    generation: 1,
    lastIntent: 0,
    planned: 0,
    plan: [],
    completed: [],
    shown: [],
    seen: '',
    againUpTo: 0,
    requests: [],
    doubt: null,
    waits: [],
  };
  if (world.imports < world.files.length)
    begin('imports', {
      ...idle,
      verb: 'import',
      file: world.imports,
      step: 'reads file, list and ledger',
    });
  const { runs } = world.ledger;
  // What a hit has stopped, only its file can settle: it counts anew.
  if (
    world.sendsEqual &&
    world.imports === world.files.length &&
    runs.some(({ phase }) => phase === 'sending')
  )
    if (world.processes.every((process) => process === null))
      begin('imports', { ...idle, verb: 'import', file: 0, step: 'reads file, list and ledger' });
  for (const { number, phase } of runs)
    if (phase === 'sending')
      begin(`resumes ${number}`, { ...idle, verb: 'resume', run: number, step: 'takes the lock' });
  if (world.singles === 0) return;
  for (const line of world.keys.keys())
    if (sentElsewhere(world, 0, line, 0) === undefined)
      begin(`writes line ${line} alone`, { ...idle, verb: 'single', file: line, step: 'writes' });
}

function recordsSingle(world: World, me: Process): void {
  if (raisesAlarm(world, me)) return;
  const intent = ++world.ledger.intents;
  world.singles -= 1;
  world.ledger.entries.push({ line: me.file, state: 'open', intent });
  me.requests = [newRequest(world, me.file, intent, count(world))];
}

/** Without power failures, all that is committed is on the disk. */
function newRequest(world: World, line: number, intent: number, counter: number): Request {
  const isSafe = world.powerFailures === 0 && !world.remembers;
  return { is: isSafe ? 'ready' : 'asked', line, intent, counter, isOld: false };
}

/** In each transaction. What goes on although the ledger is doubted does not count, or it would hide that. */
function count(world: World): number {
  const { ledger, machine } = world;
  if (!world.remembers || isOlderOrOther(world)) return 0;
  if (ledger.counter === 0) ledger.writer = machine;
  return ++ledger.counter;
}

/** After a transaction is on the disk. */
function remember(world: World, counter: number): void {
  const { memory } = world;
  const { id } = world.ledger;
  if (counter === 0 || (memory?.id === id && memory.counter >= counter)) return;
  world.memory = { id, counter };
}

/** A transaction after which no request leaves. */
function counted(world: World): void {
  if (!world.remembers) return;
  const counter = count(world);
  sync(world);
  remember(world, counter);
}

function isOlderOrOther({ ledger, memory }: World): boolean {
  return memory !== null && (memory.id !== ledger.id || memory.counter > ledger.counter);
}

/** In the transaction that opens runs, or records a single write. */
function raisesAlarm(world: World, me: Process): boolean {
  const { ledger, memory, machine, isListable } = world;
  const hasUnfinished = ledger.runs.some(({ phase }) => phase === 'sending');
  // The list proves what was sent.
  if (!world.remembers || (isListable && !hasUnfinished)) return false;
  const isCopy = hasUnfinished && memory === null && ledger.writer !== machine;
  if (!isOlderOrOther(world) && !(isCopy && (!isListable || me.verb === 'resume'))) return false;
  world.hasAlarm = true;
  return true;
}

/** Restores, switches and copies. */
function ledgersChange(
  world: World,
  step: (name: string, change: (next: World) => void) => void,
): void {
  const { restores, switches, turns, backup, elsewhere } = world;
  if (restores > 0 && backup !== null)
    step('the backup is put back', (next) => {
      next.restores -= 1;
      next.isWrong = JSON.stringify(backup) !== versionOf(next);
      next.ledger = copyOfLedger(backup);
      next.backup = null;
      sync(next);
    });
  const trade = (next: World, other: NonNullable<World['elsewhere']>) => {
    const { ledger, memory, machine } = next;
    next.elsewhere = { ledger, memory, machine };
    Object.assign(next, other, { isWrong: ledger.counter > 0 || ledger.intents > 0 });
    sync(next);
  };
  if (switches > 0)
    step('another ledger is used', (next) => {
      next.switches -= 1;
      const { memory, machine } = next;
      trade(next, { ledger: emptyLedger(2), ...elsewhere, memory, machine });
    });
  if (turns > 0)
    step(elsewhere === null ? 'the ledger is copied' : 'the other machine works', (next) => {
      next.turns -= 1;
      if (elsewhere !== null) trade(next, elsewhere);
      else next.elsewhere = { ledger: copyOfLedger(next.ledger), memory: null, machine: 1 };
    });
}

function sync(world: World): void {
  world.disk = copyOfLedger(world.ledger);
}

/** The steps of a process that are one change. */
const CHANGES: Record<string, Change> = {
  'reads file, list and ledger'(next, me) {
    if (next.isAgain) {
      const { ledger } = next;
      me.completed = completedRuns(ledger);
      me.againUpTo = ledger.intents;
      if (ledger.runs.at(-1)?.phase === 'ended') next.rounds += 1;
    }
    const file = next.files[me.file]!;
    me.shown = file.filter((line) => next.isListable && isListed(next, line));
    compareFile(next, me);
    me.step = 'takes the lock';
  },
  'takes the lock'(next, me, p) {
    next.lock = p;
    me.step = 'opens the runs';
  },
  'opens the runs'(next, me, p) {
    if (next.lock !== p) return end(me);
    const { ledger } = next;
    if (raisesAlarm(next, me)) return;
    ledger.runs = ledger.runs.filter(({ phase }) => phase !== 'filling');
    for (const run of ledger.runs) {
      if (run.phase !== 'sending') continue;
      run.generation += 1;
      for (const row of run.rows) if (row.state === 'sending') row.state = 'unconfirmed';
      // They have sent nothing: whoever goes on compares them again.
      for (const row of run.rows)
        if (row.state === 'unconfirmed' && row.intent === 0) row.state = 'pending';
    }
    me.waits = underWay(next);
    me.planned = ledger.intents;
    const run = runOf(next, me);
    if (me.verb === 'resume' && run?.phase !== 'sending') return end(me);
    if (run !== undefined) [me.generation, me.lastIntent] = [run.generation, run.lastIntent];
    me.requests = run?.rows.map(() => null) ?? [];
    counted(next);
    me.step = me.verb === 'import' ? 'compares its rows' : 'compares pending rows';
  },
  'compares pending rows'(next, me) {
    const run = runOf(next, me);
    if (!isMine(run, me)) return end(me);
    me.step = 'works';
    if (next.remembers && next.isListable)
      for (const row of run.rows)
        if (row.state === 'pending' && isListed(next, row.line)) row.state = 'existing';
    compareAll(next, me, run, run.againUpTo, me.planned);
  },
  'compares its rows'(next, me, p) {
    // What the list has shown needs no look-up: that a record is there is proved by any read.
    for (const line of me.shown) settle(next, line, true);
    me.waits = underWay(next);
    // If nobody has written to the ledger since the plan, its rows need no second comparison.
    if (me.seen !== versionOf(next)) compareFile(next, me);
    if (!next.sendsEqual) coverPending(next, me);
    const isNew = me.plan.some((state) => state === 'pending' || state === 'unconfirmed');
    me.step = isNew ? 'creates the run' : 'ended';
    if (!isNew && next.lock === p) noteLeft(next, me);
  },
  'creates the run'(next, me, p) {
    if (next.lock !== p) return end(me);
    const { ledger } = next;
    me.run = ++ledger.numbers;
    const asks = next.files[me.file]!.filter((_, at) => me.plan[at] !== 'known');
    const { planned, againUpTo } = me;
    const facts = {
      asks,
      planned,
      againUpTo,
      lastIntent: 0,
      movedTo: [],
      hasBodies: true,
      rows: [],
    };
    ledger.runs.push({ number: me.run, phase: 'filling', generation: 1, ...facts });
    me.step = 'fills it';
  },
  'fills it'(next, me) {
    const run = runOf(next, me);
    if (!isMine(run, me)) return end(me);
    for (const [at, state] of me.plan.entries())
      if (state === 'pending' || state === 'unconfirmed')
        run.rows.push({ line: next.files[me.file]![at]!, state, intent: 0 });
    me.requests = run.rows.map(() => null);
    me.step = 'begins to send';
  },
  'begins to send'(next, me) {
    const run = runOf(next, me);
    if (!isMine(run, me)) return end(me);
    moveRows(next, run);
    run.phase = 'sending';
    me.step = 'works';
  },
  reports(next, me, p) {
    if (next.lock === p) noteLeft(next, me);
    for (const { line, state } of runOf(next, me)?.rows ?? [])
      if (state === 'created') next.told[line] = true;
    end(me);
  },
};

/** Compares the lines of a file with what was sent. */
function compareFile(next: World, me: Process): void {
  const left = sentRows(next.ledger);
  me.seen = versionOf(next);
  me.plan = next.files[me.file]!.map((line) => {
    if (me.shown.includes(line)) return 'existing';
    const sent = next.sendsEqual ? countedOf(left, line) : sentToo(next, me, line);
    if (sent === undefined) return 'pending';
    if (sent !== 'open') return sent;
    // Without a list no look-up of this run decides: the import reports it as sent before, but unconfirmed.
    return next.isListable ? 'unconfirmed' : 'known';
  });
}

/** Another one after each change of the ledger. */
export function versionOf({ ledger }: World): string {
  return JSON.stringify(ledger);
}

/** Takes over pending rows of unfinished runs: equal lines first, then equal keys. */
function moveRows(world: World, to: Run): void {
  const others = world.ledger.runs.filter(
    ({ number, phase }) => number !== to.number && phase === 'sending',
  );
  const pending = others.flatMap(({ rows }) => rows.filter(({ state }) => state === 'pending'));
  const wanted = [...to.rows];
  for (const isSame of [
    (a: number, b: number) => a === b,
    (a: number, b: number) => !world.isExact && world.keys[a] === world.keys[b],
  ])
    for (const row of pending) {
      const at = wanted.findIndex(({ line }) => isSame(line, row.line));
      if (row.state !== 'pending' || at < 0) continue;
      wanted.splice(at, 1);
      row.state = 'dropped';
      const from = others.find(({ rows }) => rows.includes(row))!;
      if (world.isAgain && !from.movedTo.includes(to.number)) from.movedTo.push(to.number);
    }
  others.forEach(endIfOver);
}

function works(world: World, self: Process, act: Act): void {
  const run = runOf(world, self);
  const isHeld = isMine(run, self);
  const has = (is: string) => self.requests.some((request) => request?.is === is);
  if (self.doubt !== null) {
    act('reconnects', resolveDoubt);
    return;
  }
  const answered = ['created', 'rejected', 'pending', 'unconfirmed'].some(has);
  const waiting = isHeld
    ? run.rows.flatMap(({ state }, at) => (state === 'pending' ? [at] : []))
    : [];
  const most = waiting.slice(
    0,
    world.slots - self.requests.filter((one) => one && !isAnswer(one)).length,
  );
  for (const batch of most.length > 1 ? [most, most.slice(0, 1)] : [most]) {
    if (batch.length === 0 && !answered) continue;
    const name = `writes outcomes, takes rows [${batch}]`;
    act(name, (next, me) => takeBatch(next, me, batch));
    if (world.doubts > 0 && isHeld) {
      act(`${name}, no answer to COMMIT`, (next, me) => {
        const before = copies(me.requests);
        const lastBefore = me.lastIntent;
        takeBatch(next, me, batch);
        next.doubts -= 1;
        me.doubt = { intent: me.lastIntent, requests: me.requests };
        [me.requests, me.lastIntent] = [before, lastBefore];
      });
      act(`${name}, no COMMIT`, (next, me, p) => {
        const imagined = copyOf(next);
        takeBatch(imagined, imagined.processes[p]!, batch);
        next.doubts -= 1;
        me.doubt = { intent: next.ledger.intents + 1, requests: imagined.processes[p]!.requests };
      });
    }
  }
  if (!isHeld) {
    if (self.requests.every((one) => one === null)) act('has lost the run', (_, me) => end(me));
    return;
  }
  if (self.waits.length > 0) act('5 s and settle pass', passTime);
  run.rows.forEach((row, at) => {
    if (
      row.state === 'unconfirmed' &&
      world.isListable &&
      self.waits.length === 0 &&
      self.requests[at] === null
    )
      act(`looks up line ${row.line}`, (next, me) => lookUp(next, runOf(next, me)!, at));
  });
  if (isOver(run, world.isListable) && self.requests.every((one) => one === null))
    act('ends the run', (next, me) => {
      const ended = runOf(next, me)!;
      ended.phase = 'ended';
      ended.hasBodies = !next.isListable;
      counted(next);
      sync(next);
      me.step = 'reports';
    });
}

const isAnswer = ({ is }: Request) =>
  ['created', 'rejected', 'pending', 'unconfirmed'].includes(is);
const isOver = ({ rows }: Run, isListable: boolean) =>
  rows.every(
    (row) => row.state !== 'pending' && (row.state === 'unconfirmed' ? !isListable : !isOpen(row)),
  );

/** The transaction of a batch. */
function takeBatch(next: World, me: Process, batch: readonly number[]): void {
  const run = runOf(next, me);
  if (!isMine(run, me) || run.lastIntent !== me.lastIntent) {
    loseRun(next, me, run);
    return;
  }
  run.lastIntent = ++next.ledger.intents;
  me.lastIntent = run.lastIntent;
  for (const [at, request] of me.requests.entries()) {
    if (request === null || !isAnswer(request)) continue;
    const row = run.rows[at]!;
    if (row.state === 'sending' && row.intent === request.intent)
      row.state = isTaken(next, row, request) ? 'unconfirmed' : (request.is as Answer);
    if (row.state === 'unconfirmed') me.waits.push(request.intent);
    me.requests[at] = null;
  }
  for (const at of batch) compare(next, me, run, at, run.planned);
  if (me.step === 'ended') return;
  const counter = count(next);
  for (const at of batch) {
    const row = run.rows[at]!;
    if (row.state !== 'pending') continue;
    row.state = 'sending';
    row.intent = run.lastIntent;
    me.requests[at] = newRequest(next, row.line, row.intent, counter);
  }
}

/** Its late answers confirm only. What has not left does not leave. */
function loseRun(next: World, me: Process, run: Run | undefined): void {
  for (const [at, request] of me.requests.entries()) {
    if (request === null || request.is === 'left') continue;
    const row = run?.rows[at];
    const isOwn = row !== undefined && isOpen(row) && row.intent === request.intent;
    if (isOwn && request.is === 'created' && !isTaken(next, row, request)) row.state = 'created';
    me.requests[at] = null;
  }
  me.generation = 0;
  if (next.lock >= 0 && next.processes[next.lock] === me) next.lock = -1;
}

/** An id belongs to one row. Of equal lines, a person may have taken the record for that of another one. */
function isTaken(world: World, { line }: Row, { is }: Request): boolean {
  return is === 'created' && world.sendsEqual && !isThere(world, line);
}

/** A row of which others sent something after this intent does not leave. */
function compare(next: World, me: Process, run: Run, at: number, after: number): boolean {
  const row = run.rows[at]!;
  if (row.state !== 'pending') return false;
  const since = Math.max(after, row.intent);
  const sent = sentElsewhere(next, run.number, row.line, since);
  if (sent === undefined) return false;
  if (next.sendsEqual) {
    end(me);
    return true;
  }
  row.state = sent === 'open' ? 'unconfirmed' : sent;
  row.intent = 0;
  me.waits.push(...underWay(next));
  return true;
}

function compareAll(next: World, me: Process, run: Run, after: number, planned: number): void {
  for (const at of run.rows.keys()) compare(next, me, run, at, after);
  if (me.step !== 'ended') run.planned = planned;
}

/** After a COMMIT without an answer: under the lock of all writers it is known whether it was one. */
function resolveDoubt(next: World, me: Process): void {
  const run = runOf(next, me);
  const { intent, requests } = me.doubt!;
  me.doubt = null;
  if (!isMine(run, me)) loseRun(next, me, run);
  else if (run.lastIntent === intent) [me.lastIntent, me.requests] = [intent, requests];
}

function lookUp(next: World, mine: Run, at: number): void {
  const row = mine.rows[at]!;
  const isFound = isListed(next, row.line);
  settle(next, row.line, isFound);
  if (!isFound) {
    row.state = 'pending';
    // Only what is sent after the look-up stops it.
    row.intent = next.ledger.intents;
  }
  for (const run of next.ledger.runs) if (run !== mine) endIfOver(run);
}

/** What a list shows of a key holds for all open rows and single writes. */
function settle({ keys, ledger, isExact }: World, line: number, isFound: boolean): void {
  const isSame = (one: { line: number }) =>
    isExact ? one.line === line : keys[one.line] === keys[line];
  for (const entry of ledger.entries)
    if (entry.state === 'open' && isSame(entry)) entry.state = isFound ? 'created' : 'dropped';
  for (const run of ledger.runs)
    for (const other of run.rows) {
      if (!isOpen(other) || !isSame(other)) continue;
      if (isFound) other.state = other.intent > 0 ? 'created' : 'existing';
      else other.state = 'dropped';
    }
}

/** Pending rows of unfinished runs exist, if they are in the file and exist there. */
function coverPending(next: World, me: Process): void {
  for (const [at, line] of next.files[me.file]!.entries())
    if (me.plan[at] === 'existing')
      for (const run of next.ledger.runs) {
        if (run.phase !== 'sending') continue;
        for (const row of run.rows)
          if (row.state === 'pending' && row.line === line) row.state = 'existing';
        endIfOver(run);
      }
}

function noteLeft(next: World, me: Process): void {
  // Each round has rows of its own, and an import takes over as many as it has.
  if (next.isAgain) return;
  const others = next.ledger.runs.filter(({ number }) => number !== me.run);
  const isLeft = (row: Row) =>
    (next.isListable && isOpen(row)) || (!next.sendsEqual && row.state === 'pending');
  const file = me.verb === 'import' ? next.files[me.file]! : [];
  const lines = file.filter((_, at) => me.plan[at] !== 'known' && me.plan[at] !== 'rejected');
  next.hasLeftOpen ||= others.some(({ rows }) =>
    rows.some((row) => isLeft(row) && lines.includes(row.line)),
  );
}

/** A run whose rows went to another has no writer that could end it. */
function endIfOver(run: Run): void {
  if (run.phase === 'sending' && isOver(run, true)) run.phase = 'ended';
}

/** The events of each request. */
function requestsGoOn(world: World, self: Process, act: Act): void {
  for (const [at, request] of self.requests.entries()) {
    if (request === null || self.doubt !== null) continue;
    const { is, line, isOld } = request;
    const becomes = (to: Request['is'], name: string, also?: (next: World) => void) =>
      act(`line ${line}: ${name}`, (next, me) => {
        me.requests[at]!.is = to;
        also?.(next);
      });
    if (is === 'asked')
      becomes('ready', 'its intent is on the disk', (next) => {
        sync(next);
        remember(next, request.counter);
      });
    if (is === 'ready' && !isOld) becomes('left', 'the request leaves');
    if (is === 'ready' && isOld) becomes('pending', 'its intent is too old');
    if (is === 'left') {
      becomes('created', 'the service creates it', ({ stored }) => {
        stored[line]! += 1;
      });
      if (world.troubles > 0) {
        const troubled = (also?: (next: World) => void) => (next: World) => {
          next.troubles -= 1;
          also?.(next);
        };
        becomes('rejected', 'the service refuses it', troubled());
        becomes('pending', 'the service turns it away', troubled());
        const breaks = ({ orphans }: World) => orphans.push({ line, intent: request.intent });
        becomes('unconfirmed', 'the connection breaks', troubled(breaks));
      }
    }
    if (self.verb === 'single' && isAnswer(request))
      act(`hears ${is}`, (next, me) => {
        const entry = next.ledger.entries.find(({ intent }) => intent === request.intent)!;
        if (is === 'created') entry.state = 'created';
        if (entry.state === 'open' && is !== 'unconfirmed') entry.state = 'dropped';
        end(me);
      });
  }
}

/** Intents of requests that may still have an effect. */
function underWay(world: World): number[] {
  const held = world.processes.flatMap((process) => [
    ...(process?.requests ?? []),
    ...(process?.doubt?.requests ?? []),
  ]);
  const mayLeave = held.filter(
    (one): one is Request => one !== null && !isAnswer(one) && (one.is === 'left' || !one.isOld),
  );
  return [...new Set([...mayLeave, ...world.orphans].map(({ intent }) => intent))];
}

/** What has not left after 5 s may not leave; what has left is over after `settle`. */
function passTime(world: World, me: Process): void {
  for (const process of world.processes)
    for (const request of [...(process?.requests ?? []), ...(process?.doubt?.requests ?? [])])
      if (request !== null && me.waits.includes(request.intent)) {
        if (request.is === 'asked' || request.is === 'ready') request.isOld = true;
      }
  me.waits = me.waits.filter((intent) => underWay(world).includes(intent));
}

/** People resolve what no request can change any more: of single writes, and of runs that no look-up can decide. */
function peopleResolve(
  world: World,
  step: (name: string, change: (next: World) => void) => void,
): void {
  const isQuiet = (line: number) => {
    const intents = underWay(world);
    const { runs, entries } = world.ledger;
    const all = [...runs.flatMap(({ rows }) => rows), ...entries];
    return !all.some(
      (one) => world.keys[one.line] === world.keys[line] && intents.includes(one.intent),
    );
  };
  for (const [at, { line, state }] of world.ledger.entries.entries())
    if (state === 'open' && isQuiet(line))
      step(`a person resolves the single write of line ${line}`, (next) => {
        next.ledger.entries[at]!.state = isThere(next, line) ? 'created' : 'dropped';
      });
  if (world.isListable) return;
  for (const [r, { number, rows }] of world.ledger.runs.entries())
    for (const [at, { line, state, intent }] of rows.entries()) {
      if (state !== 'unconfirmed' || !isQuiet(line)) continue;
      const resolve = (name: string, change: (row: Row, run: Run, next: World) => void) =>
        step(`a person ${name} line ${line} of ${number}`, (next) => {
          const run = next.ledger.runs[r]!;
          run.generation += 1;
          change(run.rows[at]!, run, next);
        });
      resolve('resolves', (row, run, next) => {
        const isFound = intent > 0 ? isThere(next, line) : isListed(next, line);
        row.state = isFound ? (intent > 0 ? 'created' : 'existing') : 'pending';
        if (isFound) return;
        // What others have sent of the key since decides, as it does in a batch.
        const sent = sentElsewhere(next, number, line, intent);
        if (intent > 0 && !next.sendsEqual && (sent === 'existing' || sent === 'rejected')) {
          row.state = sent;
          return;
        }
        row.intent = next.ledger.intents;
        run.phase = 'sending';
      });
      if (world.drops > 0)
        resolve('gives up', (row, _, next) => {
          next.drops -= 1;
          row.state = 'abandoned';
        });
    }
}

/** A person who looks sees a record of the line; of equal lines, one that no row is known to have created. */
function isThere(world: World, line: number): boolean {
  const created = sentRows(world.ledger).filter(
    (one) => one.line === line && one.state === 'created',
  );
  return world.stored[line]! > (world.sendsEqual ? created.length : 0);
}

function isListed(world: World, line: number): boolean {
  const isSame = (other: number) =>
    world.isExact ? other === line : world.keys[other] === world.keys[line];
  return world.stored.some((records, other) => records > 0 && isSame(other));
}

/** Rows without an intent were found open elsewhere; they sent nothing themselves. */
function sentRows({ runs, entries }: Ledger, except = 0): (Row | Entry)[] {
  const rows = runs.flatMap(({ number, rows: all }) => (number === except ? [] : all));
  return [...rows, ...entries].filter((one) => one.intent > 0 && isSent(one));
}

/**
 * What others sent of the key or line of a row, after an intent: the same line was created, another value of its key
 * was, or nobody knows.
 */
function sentElsewhere(
  world: World,
  run: number,
  line: number,
  after: number,
): 'existing' | 'rejected' | 'open' | undefined {
  const matches = sentRows(world.ledger, run).filter(
    (one) =>
      one.intent > after &&
      (one.line === line ||
        (!world.sendsEqual && world.keys[one.line] === world.keys[line] && isSpelled(world, one))),
  );
  if (matches.length === 0) return undefined;
  const known = matches.filter((one) => !isOpen(one));
  if (known.some((one) => one.line === line) || (known.length > 0 && world.isListable))
    return 'existing';
  return known.length > 0 ? 'rejected' : 'open';
}

/** What an import finds of a line of its file. */
function sentToo(world: World, { completed, againUpTo }: Process, line: number) {
  const counts = ({ number, rows, ...run }: Run): Run => ({
    ...run,
    number,
    rows: completed.includes(number) ? rows.filter(({ intent }) => intent > againUpTo) : rows,
  });
  const { ledger } = world;
  return sentElsewhere(
    { ...world, ledger: { ...ledger, runs: ledger.runs.map(counts) } },
    0,
    line,
    0,
  );
}

/** Ended runs, but for those whose rest an unfinished run has taken over: the same command again sends what is left. */
function completedRuns({ runs }: Ledger): number[] {
  const isUnfinished = (run: Run): boolean =>
    run.phase !== 'ended' ||
    run.movedTo.some((to) => runs.some((one) => one.number === to && isUnfinished(one)));
  return runs.filter((run) => !isUnfinished(run)).map(({ number }) => number);
}

/** What was created under another spelling is another record. Of what is open, a look-up tells more. */
function isSpelled({ isExact }: World, one: Row | Entry): boolean {
  return !isExact || isOpen(one);
}

/** Of equal lines, each one that was sent counts once: first those that are known to be created. */
function countedOf(left: (Row | Entry)[], line: number): 'existing' | 'open' | undefined {
  const same = left.filter((one) => one.line === line);
  const one = same.find((other) => !isOpen(other)) ?? same[0];
  if (one === undefined) return undefined;
  left.splice(left.indexOf(one), 1);
  return isOpen(one) ? 'open' : 'existing';
}

function end(me: Process): void {
  me.step = 'ended';
}

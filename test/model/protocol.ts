/**
 * The protocol of an import on one page: which steps a run takes, what is on disk after each, and why no
 * record is created twice or lost. proc's code is larger because it reads files, asks people and speaks
 * HTTP. What it may do with a row, and in which order, is this.
 *
 * Two stores survive a crash. The **file** of a run owns its rows. The **index** (in the ledger) remembers,
 * across runs, what may have been sent. No transaction spans both, and a process can die between any two
 * steps. Each step below is one commit, or one event of one request.
 *
 * 1. A request leaves only after the file says `sending` and, after that, the index says `maybe`.
 * 2. An outcome goes to the file first, then to the index with the next commit there.
 * 3. A process that opens a run raises its generation. An intent needs the current generation.
 *    Each intent has a number. An intent needs an entry whose last intent is the row's own, or one that
 *    a look at the service has shown to be without effect.
 * 4. A late outcome, of an earlier generation, may only confirm the row whose intent it wrote.
 * 5. What a verb does depends on the phase behind the lock. A phase changes by compare-and-set.
 * 6. `created` is never withdrawn. `maybe` is withdrawn only by the run that wrote the last intent, when
 *    its row is finally refused.
 * 7. A run is closed before its outcomes are published for the last time; later ones go to the index.
 * 8. A file that is lost can be rebuilt from the index. The old one, if it turns up again, is behind.
 *
 * Assumptions: a request leaves within a bounded time of its intent, the service applies it within
 * `settle`, lists show what is stored, and people who resolve a row have looked first.
 */

type Phase = 'staging' | 'staged' | 'sending' | 'finished' | 'discarded';
type Verb = 'import' | 'stage' | 'send' | 'resume' | 'resolve' | 'discard' | 'prune';
type Open = 'pending' | 'sending' | 'unconfirmed';
type RowState = Open | 'created' | 'existing' | 'rejected' | 'dropped';
/** `by`: whose intent, a generation. `seen`: the intent that the index had when it became pending. */
type Row = { state: RowState; by: number; seen: number };
type RunFile = { generation: number; isBehind: boolean; isClosed: boolean; rows: Row[] };
/** `lost`: a file that is gone, and may turn up again. `isRemade`: there is another one. */
type Run = {
  phase: Phase;
  generation: number;
  file: RunFile | null;
  lost: RunFile | null;
  isRemade: boolean;
};
/** `run`: the run that wrote the last intent. `intent`: the number of that intent. */
type Entry = { state: 'none' | 'maybe' | 'created'; run: number; intent: number };
type Answer = 'created' | 'refused' | 'throttled' | 'lost' | 'unsent';
type Request = 'none' | 'ready' | 'left' | Answer;
interface Process {
  readonly verb: Verb;
  readonly run: number;
  generation: number;
  step: string;
  /** The phase that it found behind the lock. */
  read: Phase | '';
  /** The rows to send next. */
  batch: number[];
  /** One of each row. */
  requests: Request[];
}

export interface World {
  isListable: boolean;
  /** Of each row, the runs whose requests created a record. More than one record is a double. */
  stored: number[][];
  index: Entry[];
  runs: Run[];
  processes: (Process | null)[];
  /** The process that holds the lock; -1 for none. */
  lock: number;
  /** Requests whose connection broke; the service may still apply them. */
  orphans: { row: number; run: number }[];
  /** What may still happen: kills, and locks that get lost although their holder lives. */
  crashes: number;
  lostLocks: number;
  lostFiles: number;
  /** For the promises: rows that a file called created, and whether a staged run was sent unasked. */
  told: boolean[];
  sentUnasked: boolean;
}

export type Setting = Pick<World, 'isListable' | 'crashes' | 'lostLocks' | 'lostFiles'>;
type Change = (next: World, me: Process, run: Run) => void;
type Act = (name: string, change: Change) => void;

/** The verbs that open a run in each phase. All others refuse, and change nothing. */
const NEXT: Record<Phase, readonly Verb[]> = {
  staging: ['resume', 'discard'],
  staged: ['send', 'discard'],
  sending: ['resume', 'send', 'resolve', 'discard'],
  finished: ['prune', 'discard'],
  discarded: [],
};
const removes = ({ verb }: Process) => verb === 'discard' || verb === 'prune';
const isFinal = ({ state }: Row) => !['pending', 'sending', 'unconfirmed'].includes(state);
const isMine = (self: Process, of: { generation: number }) => of.generation === self.generation;
const lookedUp = (world: World, row: number) =>
  world.stored[row]!.length > 0 ? 'created' : 'pending';

export function start(rows: number, setting: Setting): World {
  const all = <T>(make: () => T): T[] => Array.from({ length: rows }, make);
  const index = all((): Entry => ({ state: 'none', run: -1, intent: 0 }));
  const nobody = { runs: [], processes: [null, null], lock: -1, orphans: [], sentUnasked: false };
  return { ...setting, ...nobody, index, stored: all(() => []), told: all(() => false) };
}

function copyOf(world: World): World {
  const fileOf = (file: RunFile | null) =>
    file === null ? null : { ...file, rows: file.rows.map((row) => ({ ...row })) };
  const runs = world.runs.map(({ file, lost, ...run }) => ({
    ...run,
    file: fileOf(file),
    lost: fileOf(lost),
  }));
  const processes = world.processes.map(
    (process) => process && { ...process, requests: [...process.requests] },
  );
  const stored = world.stored.map((makers) => [...makers]);
  const index = world.index.map((entry) => ({ ...entry }));
  const [told, orphans] = [[...world.told], [...world.orphans]];
  return { ...world, runs, processes, stored, index, told, orphans };
}

/** All steps that anybody can take next. */
export function steps(world: World): { name: string; world: World }[] {
  const found: { name: string; world: World }[] = [];
  const step = (name: string, change: (next: World) => void): void => {
    const next = copyOf(world);
    change(next);
    for (const [p, process] of next.processes.entries()) {
      if (process?.step !== 'ended') continue;
      next.processes[p] = null;
      if (next.lock === p) next.lock = -1;
    }
    found.push({ name, world: next });
  };
  for (const [at, { row, run }] of world.orphans.entries()) {
    step(`the request of row ${row} is lost`, (next) => next.orphans.splice(at, 1));
    step(`the service applies row ${row}, and nobody hears`, (next) => {
      next.orphans.splice(at, 1);
      next.stored[row]!.push(run);
    });
  }
  if (world.lock >= 0 && world.lostLocks > 0)
    step(`the lock of process ${world.lock} is lost`, (next) => {
      next.lock = -1;
      next.lostLocks -= 1;
    });
  for (const [at, { phase, file, lost }] of world.runs.entries()) {
    if (world.lostFiles > 0 && file !== null && (phase === 'sending' || phase === 'finished'))
      step(`the file of run ${at} is lost`, (next) => {
        const run = next.runs[at]!;
        [run.lost, run.file] = [run.file, null];
        next.lostFiles -= 1;
        // What only this file knew, proc has not reported.
        for (const [row, { state }] of next.index.entries()) next.told[row] &&= state === 'created';
      });
    // Files that appear under a command at work are beyond the promise.
    if (lost !== null && world.processes.every((process) => process?.run !== at))
      step(`the lost file of run ${at} turns up again`, (next) => {
        const run = next.runs[at]!;
        // It is behind the rebuilt file, so no verb opens it.
        if (!run.isRemade) run.file = run.lost;
        run.lost = null;
      });
  }
  for (const [p, self] of world.processes.entries()) {
    if (self === null) {
      for (const [verb, run] of startable(world))
        step(`${p} ${verb}: starts on run ${run}`, (next) => {
          next.lock = p;
          const requests = next.stored.map((): Request => 'none');
          const idle = { generation: 0, batch: [], requests };
          next.processes[p] = { verb, run, step: 'opens the run', read: '', ...idle };
        });
      continue;
    }
    const act: Act = (name, change) =>
      step(`${p} ${self.verb}: ${name}`, (next) => {
        const me = next.processes[p]!;
        change(next, me, next.runs[me.run]!);
      });
    const change = CHANGES[self.step];
    if (change !== undefined) act(self.step, change);
    CHOICES[self.step]?.(world, self, act);
    if (world.crashes > 0)
      act('kill -9', (next, me) => {
        const left = me.requests.flatMap((request, row) => (request === 'left' ? [row] : []));
        next.orphans.push(...left.map((row) => ({ row, run: me.run })));
        next.crashes -= 1;
        me.step = 'ended';
      });
  }
  return found;
}

/** Anybody who gets the lock may import a source with the same rows, or use a verb on a run. */
function startable({ lock, runs }: World): [Verb, number][] {
  if (lock >= 0) return [];
  const ofRuns = runs.flatMap(({ phase, file, lost }, run) => {
    if (file === null && lost !== null)
      return NEXT[phase].includes('resolve') ? [['resolve', run] as [Verb, number]] : [];
    const hasUnconfirmed = file?.rows.some(({ state }) => state === 'unconfirmed');
    const verbs = NEXT[phase].filter((verb) => verb !== 'resolve' || hasUnconfirmed);
    return verbs.map((verb): [Verb, number] => [verb, run]);
  });
  const run = runs.length;
  return run < 2 ? [['import', run], ['stage', run], ...ofRuns] : ofRuns;
}

/** The steps of a process that are one change. */
const CHANGES: Record<string, Change> = {
  'opens the run'(next, me, run) {
    const isNew = me.verb === 'import' || me.verb === 'stage';
    if (isNew && run === undefined)
      next.runs.push({ phase: 'staging', generation: 0, file: null, lost: null, isRemade: false });
    const opened = next.runs[me.run]!;
    const isRefused = isNew ? run !== undefined : !NEXT[opened.phase].includes(me.verb);
    const isLost = opened.file === null && opened.lost !== null;
    if (isRefused || isDamaged(opened) || (isLost && me.verb !== 'resolve')) return end(me);
    if (isLost) remake(next, me.run, opened);
    opened.generation += 1;
    me.generation = opened.generation;
    me.read = opened.phase;
    me.step = me.read === 'staging' && !removes(me) ? 'stages the rows' : 'joins file and index';
  },
  'stages the rows'(next, me, run) {
    if (!isMine(me, run)) return end(me);
    const rows = next.index.map((entry, row) => plannedRow(next, entry, row));
    run.file = { generation: me.generation, isBehind: false, isClosed: false, rows };
    me.step = 'seals the plan';
  },
  'seals the plan'(_, me, run) {
    if (!isMine(me, run) || run.phase !== 'staging') return end(me);
    run.phase = me.verb === 'stage' ? 'staged' : 'sending';
    me.step = me.verb === 'stage' ? 'ended' : 'works';
  },
  'joins file and index'(next, me, run) {
    if (!isMine(me, run)) return end(me);
    me.step = 'publishes outcomes';
    if (run.file === null) return;
    run.file.generation = me.generation;
    run.file.isClosed = removes(me);
    for (const [row, at] of run.file.rows.entries()) joinRow(next, me.run, row, at);
  },
  'publishes outcomes'(next, me, run) {
    publish(next, run);
    me.step = removes(me)
      ? 'removes the run'
      : me.verb === 'resolve'
        ? 'decides'
        : 'begins to send';
  },
  'begins to send'(next, me, run) {
    if (!isMine(me, run) || run.phase !== me.read) return end(me);
    if (run.phase === 'staged' && me.verb !== 'send') next.sentUnasked = true;
    run.phase = 'sending';
    me.step = 'works';
  },
  'removes the run'(_, me, run) {
    end(me);
    if (!isMine(me, run)) return;
    run.phase = 'discarded';
    run.file = null;
  },
  finishes(next, me, run) {
    end(me);
    if (!isMine(me, run)) return;
    publish(next, run);
    if (run.phase === 'sending' && run.file?.rows.every(isFinal)) run.phase = 'finished';
  },
  'writes the intents to the index': intend,
};

/** The steps of a process that are a choice of several changes. */
const CHOICES: Record<string, (world: World, self: Process, act: Act) => void> = {
  decides(world, self, act) {
    for (const row of settledRows(world, self))
      for (const state of [lookedUp(world, row), 'dropped'] as const)
        act(`records row ${row} as ${state}`, (next, me, run) => {
          setRow(next, me, run, row, state);
          me.step = 'finishes';
        });
    act('records nothing', (_, me) => end(me));
  },
  works(world, self, act) {
    hearAnswers(self, act);
    const { file } = world.runs[self.run]!;
    const rows = file !== null && isMine(self, file) ? file.rows : [];
    const waiting = rows.flatMap(({ state }, row) => (state === 'pending' ? [row] : []));
    for (const batch of waiting.length > 1 ? [waiting, waiting.slice(1)] : [waiting])
      if (batch.length > 0)
        act(`takes rows ${batch}`, (next, me, run) => {
          for (const row of batch) setRow(next, me, run, row, 'sending');
          me.batch = batch;
          me.step = 'writes the intents to the index';
        });
    for (const row of world.isListable ? settledRows(world, self) : [])
      act(`looks up row ${row}`, (next, me, run) => {
        setRow(next, me, run, row, lookedUp(next, row));
      });
    const mustLookUp = world.isListable && rows.some(({ state }) => state === 'unconfirmed');
    const isIdle = self.requests.every((request) => request === 'none');
    if (isIdle && waiting.length === 0 && !mustLookUp)
      act('has nothing left to send', (_, me) => {
        me.step = 'finishes';
      });
  },
};

/** The events of each request. One that was turned away is sent again under the same intent. */
function hearAnswers(self: Process, act: Act): void {
  for (const [row, request] of self.requests.entries()) {
    const becomes = (to: Request, name: string, also?: (next: World) => void) =>
      act(`row ${row}: ${name}`, (next, me) => {
        me.requests[row] = to;
        also?.(next);
      });
    if (request === 'ready') {
      becomes('left', 'the request leaves');
      becomes('unsent', 'the intent is too old to leave');
    } else if (request === 'left') {
      becomes('created', 'the service creates it', ({ stored }) => stored[row]!.push(self.run));
      becomes('refused', 'the service refuses it');
      becomes('throttled', 'the service turns it away');
      becomes('lost', 'the connection breaks', (next) => next.orphans.push({ row, run: self.run }));
    } else if (request !== 'none') {
      act(`row ${row}: hears ${request}`, (next, me, run) => {
        me.requests[row] = 'none';
        hear(next, me, run, row, request);
      });
    }
  }
}

/** Writes an outcome to the file; to the index if the run is closed or gone. */
function hear(world: World, self: Process, run: Run, row: number, answer: Answer): void {
  const at = run.file?.rows[row];
  if (run.file === null || at === undefined || run.file.isClosed || at.by === -1) {
    if (answer === 'created') world.index[row]!.state = 'created';
  } else if (at.state === 'sending' || at.state === 'unconfirmed') {
    if (answer === 'created' && at.by === self.generation) setRow(world, self, run, row, 'created');
    if (answer === 'created' || !isMine(self, run.file)) return;
    if (answer === 'throttled') self.requests[row] = 'ready';
    if (answer === 'refused') setRow(world, self, run, row, 'rejected');
    if (answer === 'lost') setRow(world, self, run, row, 'unconfirmed');
    if (answer === 'unsent') setRow(world, self, run, row, 'pending');
  }
}

function setRow(world: World, self: Process, { file }: Run, row: number, state: RowState): void {
  const at = file?.rows[row];
  if (!file || !at) return;
  const entry = world.index[row]!;
  // Only a look at the service makes another run's intent harmless.
  if (state === 'pending' && at.state === 'unconfirmed') at.seen = entry.intent;
  at.state = state;
  if (state === 'sending') at.by = self.generation;
  if (state === 'created') world.told[row] = true;
  file.isBehind = false;
}

function plannedRow(world: World, { state, intent }: Entry, row: number): Row {
  const isListed = world.isListable && world.stored[row]!.length > 0;
  const open = state === 'maybe' ? 'unconfirmed' : 'pending';
  return { state: state === 'created' || isListed ? 'existing' : open, by: 0, seen: intent };
}

/** Opening a run: what the index has as sent or done is not pending. */
function joinRow(world: World, run: number, row: number, at: Row): void {
  const entry = world.index[row]!;
  if (isFinal(at)) return;
  if (entry.state === 'none') at.state = 'pending';
  if (entry.state === 'maybe') at.state = 'unconfirmed';
  if (entry.state === 'created') at.state = entry.run === run ? 'created' : 'existing';
  at.seen = entry.intent;
}

/** The index knows what was sent, or may have been. The other rows are not in the new file: here, as if they existed. */
function remake(world: World, run: number, lost: Run): void {
  const rows = world.index.map(({ state, run: by, intent }): Row => {
    const own = by === run ? state : 'none';
    const open = own === 'maybe' ? 'unconfirmed' : 'existing';
    return { state: own === 'created' ? own : open, by: -1, seen: intent };
  });
  lost.file = { generation: 0, isBehind: false, isClosed: false, rows };
  lost.isRemade = true;
}

function publish(world: World, run: Run): void {
  for (const [row, { state }] of (run.file?.rows ?? []).entries()) {
    const entry = world.index[row]!;
    const isOwn = world.runs[entry.run] === run;
    if (state === 'created') entry.state = 'created';
    if (state === 'rejected' && entry.state === 'maybe' && isOwn) entry.state = 'none';
  }
}

/** A row whose entry has changed since the row became pending is not sent. */
function intend(world: World, self: Process, run: Run): void {
  self.step = 'works';
  const batch = self.batch;
  self.batch = [];
  if (!isMine(self, run)) return;
  publish(world, run);
  for (const row of batch) {
    const entry = world.index[row]!;
    const at = run.file?.rows[row];
    if (at === undefined) continue;
    if (entry.state === 'created') setRow(world, self, run, row, 'existing');
    else if (entry.state === 'maybe' && entry.intent !== at.seen) at.state = 'unconfirmed';
    else {
      at.seen = entry.intent + 1;
      world.index[row] = { state: 'maybe', run: self.run, intent: at.seen };
      self.requests[row] = 'ready';
    }
  }
}

/** Unconfirmed rows of which no request may still leave or be applied. */
function settledRows(world: World, self: Process): number[] {
  const { file } = world.runs[self.run]!;
  if (file === null || !isMine(self, file)) return [];
  const mayArrive = ['ready', 'left', 'throttled'];
  return [...file.rows.keys()].filter((row) => {
    const isUnderWay = world.orphans.some((request) => request.row === row);
    const isHeld = world.processes.some((p) => mayArrive.includes(p?.requests[row] ?? 'none'));
    return file.rows[row]!.state === 'unconfirmed' && !isUnderWay && !isHeld;
  });
}

function end(self: Process): void {
  self.step = 'ended';
}

/** No verb opens a damaged run: its file is behind its index, or is gone. */
export function isDamaged({ file, phase, lost }: Run): boolean {
  if (file === null && lost !== null) return false;
  return file === null ? phase !== 'staging' && phase !== 'discarded' : file.isBehind;
}

/**
 * The protocol of a ledger that several machines share, on one page. `protocol.ts` is the model of one machine; this
 * adds what only a network brings. Each machine has run files that no other machine can read. The index, the phases
 * and the lock are in a database. Every call of the database may lose its connection, before its COMMIT or after it.
 *
 * 1. The lock is a row that expires. Whoever takes over a lock that was not released raises the generation of all
 *    runs in the same transaction, so no earlier holder writes an intent any more.
 *    Whoever opens a run then checks that it still has the lock: it may have been taken over before.
 * 2. A request leaves only if the COMMIT of its intent was answered, and within 5 s of asking for it. Whoever took over
 *    waits until such requests have had their effect: 5 s and the time of `settle`.
 * 3. Only this wait settles a lost lock. Who takes one and does not wait (a discard) leaves it unsettled.
 * 4. Whoever loses the database stops sending. An outcome counts as published only if its COMMIT was answered.
 * 5. Import again is resume: a run continues the open runs of other machines. What the index has as created exists;
 *    what may have been sent is looked up, or parked for a person. Then the other run counts as discarded.
 * 6. A run that another machine continued opens no more. Discarding it publishes what only its file knows.
 *
 * Assumptions: the database loses no commit, its clock goes on, the service applies a request within `settle`, lists show
 * what is stored, and people who decide have looked. **A limit:** a sender that is suspended between the check of the
 * age and the write (`suspends`) may send after another machine has waited.
 */

type Verb = 'import' | 'resume' | 'discard';
type RowState = 'pending' | 'sending' | 'unconfirmed' | 'created' | 'existing' | 'rejected';
/** `seen`: the intent of another run that a look at the service has made harmless. */
type Row = { state: RowState; seen: number };
/** `rows`: of the file on its machine; null without one. */
type Run = {
  machine: number;
  phase: 'planning' | 'sending' | 'finished' | 'discarded';
  generation: number;
  rows: Row[] | null;
};
type Entry = { state: 'none' | 'maybe' | 'created'; run: number; intent: number };
/** `old`: more than 5 s have passed since its COMMIT was asked for. `checked`: its age was found to be good. */
type Request =
  | ('none' | 'asked' | 'asked, old' | 'ready' | 'old' | 'checked' | 'left')
  | ('created' | 'refused' | 'broken');
interface Process {
  readonly verb: Verb;
  run: number;
  generation: number;
  step: string;
  requests: Request[];
  /** It has lost the database once, or was told that another machine goes on. */
  isStopped: boolean;
}
export interface World {
  isListable: boolean;
  suspends: boolean;
  /** Of each row, the runs whose requests created a record. */
  stored: number[][];
  index: Entry[];
  runs: Run[];
  /** One on each machine. */
  processes: (Process | null)[];
  /** `holder`: a machine; -1 for nobody, -2 for a process that ended without releasing it. */
  lock: { holder: number; isExpired: boolean; isUnsettled: boolean };
  /** Requests whose sender does not wait for them any more; the service may still apply them. */
  orphans: { row: number; run: number }[];
  crashes: number;
  losses: number;
  /** How often a lock may expire although its holder lives: it is suspended, or cut off. */
  expiries: number;
  /** For the promises: rows that a file called created, and whether a lock was taken that had not expired. */
  told: boolean[];
  isRobbed: boolean;
}
export type Setting = Pick<World, 'isListable' | 'suspends' | 'crashes' | 'losses' | 'expiries'>;
type Change = (next: World, me: Process, run: Run, p: number) => void;

const NOBODY = -1;
const DEAD = -2;
const MOST_RUNS = 2;
export const OPEN: readonly RowState[] = ['pending', 'sending', 'unconfirmed'];
const isFinal = ({ state }: Row) => !OPEN.includes(state);
const isOver = ({ phase }: Run) => phase === 'finished' || phase === 'discarded';
const isMine = (me: Process, run: Run) => run.generation === me.generation;

export function start(rows: number, setting: Setting): World {
  const all = <T>(make: () => T): T[] => Array.from({ length: rows }, make);
  return {
    ...setting,
    stored: all(() => []),
    index: all((): Entry => ({ state: 'none', run: -1, intent: 0 })),
    runs: [],
    processes: [null, null],
    lock: { holder: NOBODY, isExpired: false, isUnsettled: false },
    orphans: [],
    told: all(() => false),
    isRobbed: false,
  };
}

function copyOf(world: World): World {
  return {
    ...world,
    stored: world.stored.map((makers) => [...makers]),
    index: world.index.map((entry) => ({ ...entry })),
    runs: world.runs.map(({ rows, ...run }) => ({
      ...run,
      rows: rows?.map((row) => ({ ...row })) ?? null,
    })),
    processes: world.processes.map((one) => one && { ...one, requests: [...one.requests] }),
    lock: { ...world.lock },
    orphans: [...world.orphans],
    told: [...world.told],
  };
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
      if (next.lock.holder === p) next.lock.holder = DEAD;
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
  const { holder, isExpired } = world.lock;
  if (!isExpired && (holder === DEAD || (holder >= 0 && world.expiries > 0))) {
    step('30 s pass without a renewal of the lock', (next) => {
      next.lock.isExpired = true;
      if (holder >= 0) next.expiries -= 1;
    });
  }
  for (const [p, self] of world.processes.entries()) {
    if (self === null) {
      for (const [verb, run] of startable(world, p))
        step(`${p} ${verb}: starts`, (next) => {
          const requests = next.stored.map((): Request => 'none');
          const idle = { generation: 0, requests, isStopped: false };
          next.processes[p] = { verb, run, step: 'takes the lock', ...idle };
        });
      continue;
    }
    const act = (name: string, change: Change): void =>
      step(`${p} ${self.verb}: ${name}`, (next) => {
        const me = next.processes[p]!;
        change(next, me, next.runs[me.run]!, p);
      });
    const { step: now } = self;
    const call = CALLS[now];
    if (call?.can?.(world, p, self) !== false && call !== undefined) {
      act(now, (next, me, run) => {
        call.commit(next, me, run, p);
        if (me.step === now) call.after(next, me, next.runs[me.run]!, p);
      });
      if (world.losses > 0) {
        const cut: Change = (next, me, run) => {
          next.losses -= 1;
          me.isStopped = true;
          me.step = 'ended';
          call.lost?.(next, me, run, p);
        };
        act(`${now}, but loses the database before the COMMIT`, cut);
        act(`${now}, but the answer to the COMMIT is lost`, (next, me, run) => {
          call.commit(next, me, run, p);
          cut(next, me, next.runs[me.run]!, p);
        });
      }
    }
    if (now === 'works') works(world, self, act);
    if (now === 'hears of the COMMIT')
      act(now, (_, me) => {
        me.requests = me.requests.map((one) => ANSWERED[one] ?? one);
        me.step = 'works';
      });
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

/**
 * Anybody who gets the lock may import the source, or discard any run. A source with an unfinished run on this machine
 * is not imported again.
 */
function startable({ runs, lock, processes }: World, p: number): [Verb, number][] {
  const isTaken = lock.holder !== NOBODY && !lock.isExpired;
  if (isTaken || processes.some((process) => process?.step === 'takes the lock')) return [];
  const found = runs.flatMap((run, at): [Verb, number][] => {
    const isHere = run.machine === p && run.rows !== null;
    const verbs: Verb[] = isHere && run.phase === 'sending' ? ['resume'] : [];
    if (isHere || run.phase === 'sending') verbs.push('discard');
    return verbs.map((verb): [Verb, number] => [verb, at]);
  });
  const isOpen = runs.some((run) => run.machine === p && run.rows !== null);
  return runs.length < MOST_RUNS && !isOpen ? [['import', -1], ...found] : found;
}

interface Call {
  /** Whether the step can be taken now. */
  can?(world: World, p: number, me: Process): boolean;
  /** The transaction. A refusal changes nothing but the step. */
  commit(next: World, me: Process, run: Run, p: number): void;
  /** What the process does once it has the answer. */
  after: Change;
  /** What it does without an answer, unless it ends. */
  lost?: Change;
}

const to =
  (step: string): Change =>
  (_, me) => {
    me.step = step;
  };

/** Steps that are one transaction of the database. */
const CALLS: Record<string, Call> = {
  'takes the lock': {
    commit(next, _, __, p) {
      const wasLost = next.lock.holder !== NOBODY;
      if (next.lock.holder >= 0 && !next.lock.isExpired) next.isRobbed = true;
      const isUnsettled = next.lock.isUnsettled || wasLost;
      next.lock = { holder: p, isExpired: false, isUnsettled };
      if (wasLost) for (const run of next.runs) run.generation += 1;
    },
    after(next, me) {
      me.step = next.lock.isUnsettled && me.verb !== 'discard' ? 'has waited' : 'opens the run';
    },
  },
  'has waited': {
    // Requests that left have had their effect by now, and those whose intents are older never leave.
    can: (world) => world.stored.every((_, row) => !isUnderWay(world, row)),
    commit(next, _, __, p) {
      if (next.lock.holder === p) next.lock.isUnsettled = false;
      for (const [q, other] of next.processes.entries()) {
        if (q === p || other === null) continue;
        other.requests = other.requests.map((one) => TOO_OLD[one] ?? one);
      }
    },
    after: to('opens the run'),
  },
  'opens the run': {
    commit(next, me, opened, p) {
      if (me.verb === 'import') {
        me.run = next.runs.length;
        next.runs.push({ machine: p, phase: 'planning', generation: 1, rows: null });
      } else if (me.verb === 'resume' && isOver(opened)) {
        me.step = 'releases the lock';
        return;
      } else if (me.verb === 'discard') opened.phase = 'discarded';
      const run = next.runs[me.run]!;
      run.generation += 1;
      me.generation = run.generation;
    },
    after: to('still has the lock'),
  },
  'still has the lock': {
    commit(next, me, run, p) {
      if (next.lock.holder === p) return;
      me.step = 'ended';
      if (me.verb === 'import') run.phase = 'discarded';
    },
    after(_, me) {
      me.step = me.verb === 'import' ? 'plans the rows' : 'joins file and index';
    },
  },
  'plans the rows': {
    commit(next, _, run) {
      const { isListable, stored } = next;
      run.rows = next.index.map(({ state, intent }, row) => {
        const isThere = state === 'created' || (isListable && stored[row]!.length > 0);
        return {
          state: isThere ? 'existing' : state === 'maybe' ? 'unconfirmed' : 'pending',
          seen: intent,
        };
      });
    },
    after: to('begins to send'),
    lost: (_, __, run) => {
      run.rows = null;
    },
  },
  'begins to send': {
    commit(_, me, run) {
      if (!isMine(me, run)) me.step = 'releases the lock';
      else if (run.phase === 'planning') run.phase = 'sending';
    },
    after: to('closes what it continues'),
  },
  'closes what it continues': {
    commit(next, me) {
      for (const [at, run] of next.runs.entries()) {
        if (at === me.run || isOver(run)) continue;
        run.phase = 'discarded';
        run.generation += 1;
      }
    },
    after: to('works'),
  },
  'joins file and index': {
    commit(next, me, run, p) {
      if (!isMine(me, run)) {
        me.step = 'releases the lock';
        return;
      }
      if (run.machine !== p) return;
      publish(next, me.run);
      for (const [row, at] of (run.rows ?? []).entries()) {
        const entry = next.index[row]!;
        if (isFinal(at)) continue;
        if (entry.state === 'none') at.state = 'pending';
        if (entry.state === 'maybe') at.state = 'unconfirmed';
        if (entry.state === 'created') at.state = entry.run === me.run ? 'created' : 'existing';
        at.seen = entry.intent;
      }
    },
    after(_, me, run, p) {
      me.step = me.verb === 'discard' ? 'releases the lock' : 'closes what it continues';
      // The file goes only when its outcomes are published for certain.
      if (me.verb === 'discard' && run.machine === p) run.rows = null;
    },
  },
  'writes the intents': {
    commit(next, me, run) {
      if (!isMine(me, run)) return stop(next, me);
      publish(next, me.run);
      for (const [row, request] of me.requests.entries()) {
        if (!request.startsWith('asked')) continue;
        const entry = next.index[row]!;
        const at = run.rows![row]!;
        const isOther = entry.run !== me.run && entry.intent !== at.seen;
        if (entry.state === 'created' || (entry.state === 'maybe' && isOther)) {
          me.requests[row] = 'none';
          at.state = entry.state === 'created' ? 'existing' : 'unconfirmed';
        } else next.index[row] = { state: 'maybe', run: me.run, intent: entry.intent + 1 };
      }
    },
    after: to('hears of the COMMIT'),
    lost: stop,
  },
  'publishes outcomes': {
    commit(next, me, run) {
      const isHeld = isMine(me, run);
      publish(next, me.run, !isHeld);
      if (isHeld && run.phase === 'sending' && run.rows!.every(isFinal)) run.phase = 'finished';
    },
    after: to('releases the lock'),
  },
  'releases the lock': {
    commit(next, _, __, p) {
      if (next.lock.holder === p) next.lock = { ...next.lock, holder: NOBODY, isExpired: false };
    },
    after: to('ended'),
  },
};

const ANSWERED: Partial<Record<Request, Request>> = { asked: 'ready', 'asked, old': 'old' };
const TOO_OLD: Partial<Record<Request, Request>> = { asked: 'asked, old', ready: 'old' };

/** A process that sends. It looks at the service itself; only writes to the index need the database. */
function works(world: World, self: Process, act: (name: string, change: Change) => void): void {
  const rows = world.runs[self.run]?.rows ?? [];
  for (const [row, request] of self.requests.entries()) {
    const becomes = (after: Request, name: string, also?: (next: World) => void) =>
      act(`row ${row}: ${name}`, (next, me) => {
        me.requests[row] = after;
        also?.(next);
      });
    const hears = (name: string, state: RowState) =>
      act(`row ${row}: hears that ${name}`, (next, me, run) => {
        me.requests[row] = 'none';
        run.rows![row]!.state = state;
        if (state === 'created') next.told[row] = true;
      });
    if (request === 'ready' && !self.isStopped) {
      if (world.suspends) becomes('checked', 'its intent is young enough');
      else becomes('left', 'the request leaves');
    }
    if (request === 'checked') becomes('left', 'the request leaves');
    if (request === 'old' || (request === 'ready' && self.isStopped))
      hears('it did not leave', 'pending');
    if (request === 'left') {
      becomes('created', 'the service creates it', ({ stored }) => stored[row]!.push(self.run));
      becomes('refused', 'the service refuses it');
      becomes('broken', 'the connection breaks', ({ orphans }) =>
        orphans.push({ row, run: self.run }),
      );
    }
    if (request === 'created') hears('it is created', 'created');
    if (request === 'refused') hears('it is refused', 'rejected');
    if (request === 'broken') hears('nobody knows', 'unconfirmed');
  }
  const isIdle = self.requests.every((request) => request === 'none');
  if (isIdle) act('has nothing left to do', to('publishes outcomes'));
  if (self.isStopped) return;
  const waiting = rows.flatMap(({ state }, row) => (state === 'pending' ? [row] : []));
  if (waiting.length > 0)
    act(`takes rows ${waiting}`, (_, me, run) => {
      for (const row of waiting) {
        run.rows![row]!.state = 'sending';
        me.requests[row] = 'asked';
      }
      me.step = 'writes the intents';
    });
  for (const row of settledRows(world, self)) {
    const isThere = world.stored[row]!.length > 0;
    const decide = (name: string, state: RowState) =>
      act(`${name} row ${row} as ${state}`, (next, _, run) => {
        const seen = next.index[row]!.intent;
        run.rows![row] = { state, seen };
        if (state === 'created') next.told[row] = true;
      });
    decide(world.isListable ? 'looks up' : 'is told of', isThere ? 'created' : 'pending');
  }
}

/** Unconfirmed rows that proc, or a person, may look up: it waits for `settle` since it saw that they were sent. */
function settledRows(world: World, self: Process): number[] {
  return world.runs[self.run]!.rows!.flatMap(({ state }, row) =>
    state === 'unconfirmed' && !isUnderWay(world, row) ? [row] : [],
  );
}

/** Whether a request has left and may still have its effect. */
function isUnderWay({ orphans, processes }: World, row: number): boolean {
  const hasLeft = processes.some((process) => process?.requests[row] === 'left');
  return hasLeft || orphans.some((one) => one.row === row);
}

/** `isLate`: another machine goes on, so this one may only confirm its own intents. */
function publish(world: World, run: number, isLate = false): void {
  for (const [row, { state }] of (world.runs[run]!.rows ?? []).entries()) {
    const entry = world.index[row]!;
    const isOwn = entry.run === run;
    if (state === 'created' && (isOwn || !isLate))
      world.index[row] = { ...entry, state: 'created' };
    const isNone = state === 'rejected' || state === 'pending';
    if (isNone && isOwn && entry.state === 'maybe' && !isLate) entry.state = 'none';
  }
}

/** The intents may be in the index, but no request left under them: their rows stay as they are. */
function stop(_: World, me: Process): void {
  me.isStopped = true;
  me.step = 'works';
  me.requests = me.requests.map((one) => (one.startsWith('asked') ? 'none' : one));
}

import {
  type Ledger,
  type Process,
  type Request,
  type Row,
  versionOf,
  type World,
} from './protocol.ts';

/** Every promise that a state breaks. */
export function brokenPromises(world: World): string[] {
  const broken: string[] = [];
  const { ledger, stored } = world;
  const rows = ledger.runs.flatMap((run) => run.rows);
  const keys = world.isExact ? [...world.keys.keys()] : world.keys;
  for (const key of new Set(keys)) {
    const ofKey = ({ line }: { line: number }) => keys[line] === key;
    const records = stored.reduce((sum, count, line) => sum + (ofKey({ line }) ? count : 0), 0);
    const wanted = mostIn(world.files, ofKey);
    if (records > Math.max(1, wanted) * world.rounds) broken.push('nothing is created twice');
    // An older ledger, or another one, knows less.
    if (world.isWrong || world.hasAlarm) continue;
    const known = [...rows, ...ledger.entries].filter(ofKey);
    if (records === 0 && known.some(({ state }) => state === 'created'))
      broken.push('created means stored');
    if (records > 0 && known.every(isUnknown)) broken.push('what may be stored is known');
    const created = known.filter(({ state }) => state === 'created').length;
    if (world.isListable && created > records) broken.push('a record is that of one row');
    const isGivenUp = known.some(
      ({ state, line }) =>
        ['rejected', 'abandoned'].includes(state) ||
        (state === 'existing' && stored[line] === 0 && records > 0),
    );
    const begun = ledger.runs.filter(({ phase }) => phase !== 'filling');
    const asked = begun.map(({ asks }) => asks);
    if (isAtRest(world) && !isGivenUp && records < mostIn(asked, ofKey))
      broken.push('nothing is lost');
  }
  if (world.hasAlarm && !world.isWrong) broken.push('no alarm is false');
  if (world.isWrong || world.hasAlarm) return broken;
  for (const run of ledger.runs) {
    if (!run.hasBodies && run.rows.some(({ state }) => state === 'pending'))
      broken.push('what is sent has a body');
    const sending = run.rows.filter(({ state }) => state === 'sending').length;
    if (!world.isListable && sending > world.slots)
      broken.push('a kill leaves few rows to a person');
  }
  for (const [line, isTold] of world.told.entries())
    if (isTold && !rows.some((row) => row.line === line && row.state === 'created'))
      broken.push('what proc reported stays recorded');
  if (world.hasLeftOpen) broken.push('an import leaves nothing open that its list decides');
  return broken;
}

const isUnknown = ({ state }: { state: string }) =>
  ['pending', 'dropped', 'rejected'].includes(state);

/** How often a file has lines of a key. */
function mostIn(files: World['files'], ofKey: (one: { line: number }) => boolean): number {
  return Math.max(0, ...files.map((lines) => lines.filter((line) => ofKey({ line })).length));
}

/** All runs are over, and nobody is at work. A run that is not filled is removed by the next command that opens runs. */
export function isAtRest({ processes, orphans, ledger, hasAlarm }: World): boolean {
  if (hasAlarm) return true;
  const isOver = ({ state }: Row) => !['pending', 'sending', 'unconfirmed'].includes(state);
  const runs = ledger.runs.filter(({ phase }) => phase !== 'filling');
  return (
    processes.every((process) => process === null) &&
    orphans.length === 0 &&
    runs.every(({ phase, rows }) => phase === 'ended' && rows.every(isOver)) &&
    ledger.entries.every(({ state }) => state !== 'open')
  );
}

/** States are one if they differ only in the names of processes, or in numbers whose order is the same. */
export function keyOf(world: World): string {
  const [one, other] = [formOf(world, [0, 1]), formOf(world, [1, 0])];
  return one < other ? one : other;
}

/** The world as a text, in which the processes have this order. Of intents only the order counts. */
function formOf(world: World, order: readonly number[]): string {
  const { ledger, disk, processes, orphans, lock, stored } = world;
  const others = [world.backup, world.elsewhere?.ledger].flatMap((one) => one ?? []);
  const both = [ledger, ...(world.powerFailures > 0 ? [disk] : []), ...others];
  const intents = new Set([0]);
  for (const { runs, entries, intents: last } of both) {
    intents.add(last);
    for (const { planned, againUpTo, lastIntent, rows } of runs)
      for (const intent of [planned, againUpTo, lastIntent, ...rows.map((row) => row.intent)])
        intents.add(intent);
    for (const { intent } of entries) intents.add(intent);
  }
  for (const { intent } of orphans) intents.add(intent);
  const held = (process: Process) => [...process.requests, ...(process.doubt?.requests ?? [])];
  for (const process of processes) {
    if (process === null) continue;
    const { planned, againUpTo, lastIntent, waits } = process;
    for (const intent of [planned, againUpTo, lastIntent, ...waits]) intents.add(intent);
    if (process.doubt !== null) intents.add(process.doubt.intent);
    for (const request of held(process)) if (request !== null) intents.add(request.intent);
  }
  const ranks = new Map([...intents].sort((a, b) => a - b).map((intent, rank) => [intent, rank]));
  const rank = (intent: number) => ranks.get(intent);
  const counter = (value: number) => (value === 0 ? 0 : value - ledger.counter);
  const ledgerForm = ({ runs, entries, intents: last, numbers, ...one }: Ledger) => [
    [one.id, one.writer, counter(one.counter)],
    runs.map(({ number, phase, planned, lastIntent, hasBodies, generation, rows, ...run }) => [
      [number, phase[0], rank(planned), rank(lastIntent), hasBodies ? 1 : 0],
      [rank(run.againUpTo), run.movedTo],
      order.map((p) => processes[p]?.run === number && processes[p].generation === generation),
      rows.map(({ line, state, intent }) => `${line}${state.slice(0, 2)}${rank(intent)}`),
    ]),
    entries.map(({ line, state, intent }) => `${line}${state[0]}${rank(intent)}`),
    [rank(last), numbers],
  ];
  const requestForm = (request: Request | null) =>
    request &&
    `${request.is}${request.line}${rank(request.intent)}${request.isOld}${counter(request.counter)}`;
  const tasks = order.map((p) => {
    const process = processes[p];
    if (!process) return 0;
    const { verb, run, file, step, lastIntent, planned, plan, requests, doubt, waits } = process;
    const facts = [
      verb[0],
      run,
      file,
      step,
      rank(lastIntent),
      step === 'works' ? 0 : rank(planned),
    ];
    const asked = [
      requests.map(requestForm),
      doubt && [rank(doubt.intent), doubt.requests.map(requestForm)],
    ];
    const isPlanned =
      step === 'works'
        ? 0
        : [
            [plan, process.shown, process.seen === versionOf(world)],
            [process.completed, rank(process.againUpTo)],
          ];
    return [facts, isPlanned, asked, waits.map(rank).sort()];
  });
  const { kills, lostLocks, troubles, doubts, powerFailures, singles, drops, imports, told } =
    world;
  const left = [kills, lostLocks, troubles, doubts, powerFailures, singles, drops, imports, told];
  const memoryForm = (one: World['memory']) => one && [one.id, counter(one.counter)];
  const ledgers = world.remembers && [
    ...[
      memoryForm(world.memory),
      memoryForm(world.elsewhere?.memory ?? null),
      world.backup === null,
    ],
    ...[world.machine, world.isWrong, world.hasAlarm, world.restores, world.switches, world.turns],
  ];
  return JSON.stringify([
    ...[stored, both.map(ledgerForm), tasks, lock < 0 ? -1 : order.indexOf(lock)],
    ...[
      orphans.map(({ line, intent }) => [line, rank(intent)]).sort(),
      left,
      world.rounds,
      ledgers,
    ],
  ]);
}

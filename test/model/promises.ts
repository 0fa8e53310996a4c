import { isDamaged, type World } from './protocol.ts';

/** Every promise that a state breaks. */
export function brokenPromises(world: World): string[] {
  const broken: string[] = [];
  const isBusy = world.processes.some((process) => process !== null);
  const areOver = world.runs.every(({ phase }) => phase === 'finished' || phase === 'discarded');
  for (const [row, makers] of world.stored.entries()) {
    const entry = world.index[row]?.state;
    const states = world.runs.map(({ file }) => file?.rows[row]?.state);
    if (makers.length > 1) broken.push('nothing is created twice');
    if (makers.length > 0 && entry === 'none') broken.push('the index knows what may be stored');
    if (makers.length === 0 && [entry, ...states].includes('created')) {
      broken.push('created means stored');
    }
    if (makers.some((run) => states[run] === 'rejected')) broken.push('rejected means not stored');
    if (!isBusy && areOver && world.told[row] && entry !== 'created') {
      broken.push('the index has every outcome that proc reported');
    }
    for (const [run, { phase }] of world.runs.entries()) {
      const isOpen = states[run] === 'pending' || states[run] === 'sending';
      if (phase === 'finished' && isOpen) broken.push('a finished run has sent every row');
    }
  }
  if (!isBusy && world.runs.some(isDamaged)) broken.push('a crash damages no run');
  if (world.sentUnasked) broken.push('only send sends a staged run');
  return broken;
}

/** All runs are over, and nobody is at work. */
export function isAtRest({ processes, runs }: World): boolean {
  const areOver = runs.every(({ phase }) => phase === 'finished' || phase === 'discarded');
  return runs.length > 0 && areOver && processes.every((process) => process === null);
}

/** States are one if they differ only in the names of processes or rows, or in what no step reads. */
export function keyOf(world: World): string {
  const one = formOf(world, [0, 1]);
  const other = formOf(world, [1, 0]);
  return one < other ? one : other;
}

/** The world as a text, in which the processes have this order, and the rows have none. */
function formOf(world: World, order: readonly [number, number]): string {
  const processes = order.map((p) => world.processes[p] ?? null);
  const age = (at: number, by: number) =>
    by === world.runs[at]!.generation
      ? 'n'
      : processes.findIndex((p) => p?.run === at && p.generation === by);
  const rows = world.stored.map((makers, row) => {
    const { state, run, intent } = world.index[row]!;
    let text = `${makers};${state === 'none' ? '' : state + run};${world.told[row]}`;
    for (const [at, { file }] of world.runs.entries()) {
      if (file === null) continue;
      const { state: own, by, seen } = file.rows[row]!;
      text += `;${own}`;
      if (own === 'pending' || own === 'sending') text += seen === intent;
      if (own === 'sending' || own === 'unconfirmed') text += age(at, by);
    }
    for (const process of processes) {
      if (process === null) continue;
      text += `;${process.requests[row]}`;
      if (process.step !== 'works' && process.batch.includes(row)) text += '!';
    }
    const orphans = world.orphans.filter((request) => request.row === row);
    return `${text};${orphans.map((orphan) => orphan.run).sort()}`;
  });
  const runs = world.runs.map(({ phase, file, lost, isRemade }, at) =>
    [
      phase,
      isRemade,
      ...[file, lost].map(
        (one) =>
          one && [
            age(at, one.generation),
            one.isBehind,
            one.isClosed,
            one === lost ? JSON.stringify(one.rows) : '',
          ],
      ),
    ].join(),
  );
  const tasks = processes.map((p) => {
    if (p === null) return '';
    const isNow = world.runs[p.run]?.generation === p.generation;
    return [p.run, isNow, p.step, ...(p.step === 'works' ? [] : [p.verb, p.read])].join();
  });
  const { crashes, lostLocks, lostFiles, lock, sentUnasked } = world;
  const left = [lock < 0 ? -1 : order.indexOf(lock), crashes, lostLocks, lostFiles, sentUnasked];
  return [rows.sort().join('/'), runs.join('/'), tasks.join('/'), left].join('|');
}

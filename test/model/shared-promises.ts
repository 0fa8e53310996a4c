import { OPEN, type World } from './shared-ledger.ts';

/** Every promise that a state breaks. */
export function brokenPromises(world: World): string[] {
  const broken: string[] = [];
  const isBusy = world.processes.some((process) => process !== null);
  for (const [row, makers] of world.stored.entries()) {
    const entry = world.index[row]!.state;
    const states = world.runs.map(({ rows }) => rows?.[row]?.state);
    if (makers.length > 1) broken.push('nothing is created twice');
    if (makers.length > 0 && entry === 'none') broken.push('the index knows what may be stored');
    const isSaid = entry === 'created' || states.includes('created');
    if (makers.length === 0 && isSaid) broken.push('created means stored');
    if (makers.some((run) => states[run] === 'rejected')) broken.push('rejected means not stored');
    for (const [run, { phase, rows }] of world.runs.entries()) {
      const isOpen = rows !== null && OPEN.includes(states[run]!);
      if (phase === 'finished' && isOpen) broken.push('a finished run has sent every row');
    }
    const areFilesGone = world.runs.every((run) => run.rows === null || run.phase === 'finished');
    if (!isBusy && areFilesGone && world.told[row] && entry !== 'created') {
      broken.push('the index has every outcome that proc reported');
    }
  }
  if (world.isRobbed) broken.push('a lock that is renewed is kept');
  return broken;
}

/** All runs are over, no file is left behind, and nobody is at work. */
export function isAtRest({ processes, runs }: World): boolean {
  const areOver = runs.every(({ phase, rows }) => phase === 'finished' || rows === null);
  return runs.length > 0 && areOver && processes.every((process) => process === null);
}

/**
 * States are one if they differ only in the names of machines or rows, or in numbers of intents that nobody compares.
 */
export function keyOf(world: World): string {
  const one = formOf(world, [0, 1]);
  const other = formOf(world, [1, 0]);
  return one < other ? one : other;
}

function formOf(world: World, order: readonly number[]): string {
  const { stored, index, told, runs, lock, orphans, crashes, losses, expiries } = world;
  const processes = order.map((p) => world.processes[p] ?? null);
  const rows = stored.map((makers, row) => {
    const { state, run, intent } = index[row]!;
    let text = `${makers};${state === 'none' ? '' : state + run};${told[row]}`;
    for (const { rows: all } of runs) {
      const at = all?.[row];
      if (at) text += `;${at.state}${OPEN.includes(at.state) && at.seen === intent}`;
    }
    for (const process of processes) text += `;${process?.requests[row]}`;
    const lost = orphans.filter((orphan) => orphan.row === row).map((orphan) => orphan.run);
    return `${text};${lost.sort()}`;
  });
  const ofRuns = runs.map(
    ({ machine, phase, rows: all }) => `${order[machine]}${phase}${all === null}`,
  );
  const tasks = processes.map((process) => {
    if (process === null) return '';
    const { verb, run, step, isStopped, generation } = process;
    return [verb, run, step, isStopped, runs[run]?.generation === generation].join();
  });
  const holder = lock.holder < 0 ? lock.holder : order[lock.holder];
  const left = [holder, lock.isExpired, lock.isUnsettled, crashes, losses, expiries];
  return [rows.sort().join('/'), ofRuns, tasks.join('/'), left, world.isRobbed].join('|');
}

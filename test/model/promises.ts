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

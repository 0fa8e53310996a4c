// Runs two programs in turns, so that a noisy machine disturbs both equally. The result is the
// median of the ratios of the pairs.
import { spawnSync } from 'node:child_process';

/**
 * @param {{ subject: Call, reference: Call, env?: NodeJS.ProcessEnv, runs?: number }} options
 *   arguments for this Node, or `{ file, args }` for another program
 * @returns {{ ratio: number, low: number, high: number, subjectMs: number, referenceMs: number }}
 */
export function paired({ subject, reference, env = process.env, runs = 40 }) {
  const time = (args) => {
    const start = process.hrtime.bigint();
    const { file, words } = Array.isArray(args)
      ? { file: process.execPath, words: args }
      : { file: args.file, words: args.args };
    const done = spawnSync(file, words, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    if (done.status !== 0)
      throw new Error(`${file} ${words.join(' ')} ended with ${done.status}: ${done.stderr}`);
    return ms;
  };
  for (let warm = 0; warm < 5; warm++) {
    time(reference);
    time(subject);
  }
  const pairs = Array.from({ length: runs }, (_, index) => {
    // The second program of a pair benefits from warmer caches, so the order alternates.
    if (index % 2 === 0) return { reference: time(reference), subject: time(subject) };
    const subjectMs = time(subject);
    return { subject: subjectMs, reference: time(reference) };
  });
  const ratios = pairs.map((pair) => pair.subject / pair.reference).sort((a, b) => a - b);
  return {
    ratio: quantile(ratios, 0.5),
    low: quantile(ratios, 0.25),
    high: quantile(ratios, 0.75),
    subjectMs: quantile(
      pairs.map((pair) => pair.subject).sort((a, b) => a - b),
      0.5,
    ),
    referenceMs: quantile(
      pairs.map((pair) => pair.reference).sort((a, b) => a - b),
      0.5,
    ),
  };
}

function quantile(sorted, at) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))];
}

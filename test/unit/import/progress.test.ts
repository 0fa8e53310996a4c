import { expect, it } from 'vitest';
import { Progress } from '../../../src/import/report/progress.ts';

const NONE = {
  ...{ staged: 0, pending: 0, sending: 0, created: 0, existing: 0, duplicate: 0 },
  ...{ filtered: 0, rejected: 0, unconfirmed: 0, dropped: 0 },
};

/** A run of 92 rows at 8 a second, looked at twice a second: what is told of it, and when. */
function followed(options: { readonly redraws?: boolean; readonly asJson?: boolean }) {
  let seconds = 0;
  const told: { at: number; text: string; data: unknown }[] = [];
  const progress = new Progress({
    clock: {
      now: () => 0,
      monotonic: () => seconds * 1_000,
      boot: () => undefined,
      random: () => 0,
      sleep: async () => undefined,
    },
    redraws: options.redraws === true,
    say: (said) => {
      if (said.kind !== 'progress') throw new Error(said.kind);
      told.push({ at: seconds, text: said.text, data: said.data });
    },
    writeJson:
      options.asJson === true
        ? (line) => told.push({ at: seconds, text: line, data: JSON.parse(line).progress })
        : undefined,
  });
  for (; seconds <= 11.5; seconds += 0.5) {
    const created = Math.min(92, 8 * seconds);
    const counts = { ...NONE, created, pending: 92 - created } as never;
    progress.sending({ counts, perSecond: 8, concurrency: 2, waiting: undefined });
  }
  return told;
}

it('off a terminal a line is written every ten seconds', () => {
  const told = followed({});
  expect(told.map(({ at }) => at)).toEqual([10]);
  expect(told[0]!.text).toMatch(
    / 86% 80\/92 8 rows\/s, 2 s left, 2 at once · 0 existing, 0 rejected, 0 in doubt$/,
  );
  expect(told[0]!.data).toMatchObject({ rows: 92, created: 80, pending: 12, unknown: 0 });
});

it('every second where JSON is asked for', () => {
  const told = followed({ asJson: true });
  expect(told.map(({ at }) => at)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(told.at(-1)!.data).toMatchObject({ rows: 92, created: 88, pending: 4 });
});

it('on a terminal it is drawn anew each time', () => {
  expect(followed({ redraws: true })).toHaveLength(24);
});

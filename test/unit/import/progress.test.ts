import { describe, expect, it } from 'vitest';
import type { Clock, Message, Say } from '../../../src/core/io.ts';
import type { Problem } from '../../../src/core/row-problem.ts';
import { systemClock } from '../../../src/core/time.ts';
import { Progress } from '../../../src/import/report/progress.ts';

const NONE = { pending: 0, sending: 0, created: 0, existing: 0, rejected: 0, unconfirmed: 0 };

function progressOn(clock: Clock, stderrIsTerminal: boolean, width: number, say: Say) {
  const terminal = { stderrIsTerminal, stderrWidth: width + 1 };
  return new Progress({ clock, io: { say, terminal } as never });
}

function followed(options: { readonly redraws?: boolean }) {
  let seconds = 0;
  const told: { at: number; text: string; data: unknown }[] = [];
  const clock = { ...systemClock, monotonic: () => seconds * 1_000 };
  const progress = progressOn(clock, options.redraws === true, 80, (said) => {
    if (said.kind !== 'progress') throw new Error(said.kind);
    told.push({ at: seconds, text: said.text, data: said.data });
  });
  for (; seconds <= 11.5; seconds += 0.5) {
    const created = Math.min(92, 8 * seconds);
    const counts = { ...NONE, created, pending: 92 - created } as never;
    const snapshot = { counts, perSecond: 8, concurrency: 2, waiting: undefined };
    progress.sending(snapshot, 'rows');
  }
  return told;
}

it('without a terminal, a line is written every ten seconds', () => {
  const told = followed({});
  expect(told.map(({ at }) => at)).toEqual([10]);
  expect(told[0]!.text).toBe('86% 80/92 · 8 rows/s · 2 s left');
  expect(told[0]!.data).toMatchObject({ rows: 92, created: 80, pending: 12, unconfirmed: 0 });
});

it('on a terminal, the line is redrawn each time', () => {
  expect(followed({ redraws: true })).toHaveLength(24);
});

describe('the line on a terminal', () => {
  function lineAt(width: number, counts: object, waiting?: { why: Problem; ms: number }): string[] {
    const told: string[] = [];
    const clock = { ...systemClock, monotonic: () => 0 };
    const say = (message: Message) => told.push(message.kind === 'progress' ? message.text : '');
    const progress = progressOn(clock, true, width, say);
    const snapshot = { counts: { ...NONE, ...counts } as never, perSecond: 410, concurrency: 8 };
    progress.sending({ ...snapshot, waiting }, 'rows');
    progress.finish();
    return told;
  }

  const BUSY = { why: { text: 'the service returned 503' }, ms: 12_000 };
  const COUNTS = { created: 5200, pending: 4790, rejected: 3, unconfirmed: 7, existing: 40 };

  it.each([160, 100, 60, 40, 20])(
    'at %i columns has what is rejected and unconfirmed, and why it waits',
    (width) => {
      const [text = ''] = lineAt(width, COUNTS, BUSY);
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
      const flat = text.replaceAll('\n', ' ');
      for (const part of [
        '3 rejected',
        '7 unconfirmed',
        'waiting 12 s: the service returned 503',
      ]) {
        expect(flat).toContain(part);
      }
    },
  );

  it('leaves out the bar first, then the rate', () => {
    expect(lineAt(160, COUNTS)[0]).toBe(
      '██████████░░░░░░░░░░ 52% 5,200/9,997 · 3 rejected · 7 unconfirmed · 410 rows/s · 12 s left',
    );
    expect(lineAt(70, COUNTS)[0]).toMatch(/^52% 5,200\/9,997 .* · 410 rows\/s · 12 s left$/);
    expect(lineAt(60, COUNTS)[0]).toBe('52% 5,200/9,997 · 3 rejected · 7 unconfirmed');
  });

  it('says nothing about zeros, and ends with a tick and the final numbers', () => {
    const done = lineAt(100, { created: 20 });
    expect(done[0]).not.toMatch(/rejected|unconfirmed|existing/);
    expect(done[1]).toBe('✔ Sending: 20/20');
    expect(lineAt(100, { created: 20, rejected: 2 })[1]).toBe('✔ Sending: 20/20 · 2 rejected');
  });
});

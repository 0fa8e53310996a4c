import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../../src/core/row-problem.ts';
import { Gate } from '../../../../src/import/gate.ts';

const WHY: Problem = { text: 'ECONNRESET' };

function gateOf(patienceMs = 60_000, random = 1) {
  const clock = { time: 1_000, monotonic: () => clock.time, random: () => random };
  const gate = new Gate(clock as never, patienceMs);
  /** For how long nothing is sent, ms. */
  const pause = () => (gate.closed()?.until ?? clock.time) - clock.time;
  return { gate, clock, pause };
}

describe('a pause', () => {
  it('is longer after each failure, up to 30 s, until the service works again', () => {
    const { gate, clock, pause } = gateOf();
    const pauses = Array.from({ length: 10 }, () => {
      gate.close(undefined, WHY);
      const ms = pause();
      clock.time += ms;
      return ms;
    });
    expect(pauses).toEqual([
      ...[250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000],
    ]);
    gate.noteResponse();
    gate.close(undefined, WHY);
    expect(pause()).toBe(250);
  });

  it('does not get longer by requests that fail at the same time', () => {
    const { gate, clock, pause } = gateOf();
    gate.close(undefined, WHY);
    gate.close(undefined, WHY);
    expect(pause()).toBe(250);
    clock.time += 250;
    expect(gate.closed()).toBeUndefined();
    gate.close(undefined, WHY);
    expect(pause()).toBe(500);
  });

  it('is as long as the service asks, and never cut short', () => {
    const { gate, clock, pause } = gateOf();
    gate.close(7_000, WHY);
    expect(gate.closed()).toEqual({ why: WHY, until: 8_000 });
    clock.time += 2_000;
    gate.close(1_000, WHY);
    gate.close(undefined, WHY);
    gate.noteResponse();
    expect(pause()).toBe(5_000);
  });

  it.each([
    ['after 250 ms', 250, 0],
    ['later', 251, 250],
  ])('of 0 s helps no more once the trouble lasts: %s', (_, after, ms) => {
    const { gate, clock, pause } = gateOf();
    gate.close(0, WHY);
    clock.time += after;
    gate.close(0, WHY);
    expect(pause()).toBe(ms);
  });
});

describe('the patience', () => {
  /** Asks often, as a run does. */
  const hopelessAfter = ({ gate, clock }: ReturnType<typeof gateOf>, ms: number) => {
    for (const end = clock.time + ms; clock.time < end; ) {
      clock.time = Math.min(end, clock.time + 1_000);
      if (gate.isHopeless()) return true;
    }
    return false;
  };

  it('ends when the trouble has lasted longer', () => {
    const one = gateOf(10_000);
    expect(hopelessAfter(one, 20_000)).toBe(false);
    one.gate.close(undefined, WHY);
    expect(hopelessAfter(one, 10_000)).toBe(false);
    expect(hopelessAfter(one, 1)).toBe(true);
  });

  it('ends at once if the pause lasts longer, and says how long the service wants to wait', () => {
    const { gate } = gateOf(10_000);
    expect(gate.why).toBe('');
    gate.close(10_000, WHY);
    expect(gate.isHopeless()).toBe(false);
    expect(gate.why).not.toContain(' s');
    gate.close(10_001, WHY);
    expect(gate.isHopeless()).toBe(true);
    expect(gate.why).toContain('11 s');
  });

  it('begins again with each response', () => {
    const one = gateOf(10_000);
    one.gate.close(0, WHY);
    expect(hopelessAfter(one, 9_000)).toBe(false);
    one.gate.noteResponse();
    expect(hopelessAfter(one, 20_000)).toBe(false);
    one.gate.close(3_000, WHY);
    // A request that left before the pause.
    one.clock.time += 1_000;
    one.gate.noteResponse();
    expect(hopelessAfter(one, 10_000)).toBe(false);
    expect(hopelessAfter(one, 1_000)).toBe(true);
  });

  it('does not end while the machine sleeps', () => {
    const one = gateOf(10_000);
    one.gate.close(undefined, WHY);
    expect(one.gate.isHopeless()).toBe(false);
    one.clock.time += 3_600_000;
    expect(one.gate.isHopeless()).toBe(false);
    expect(hopelessAfter(one, 10_000)).toBe(false);
    expect(hopelessAfter(one, 1_000)).toBe(true);
  });
});

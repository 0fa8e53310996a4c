import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/core/wording.ts';

const COMMANDS = ['list', 'create', 'delete', 'patch', 'get', 'orders', 'items', 'sectors'];

describe('the nearest word', () => {
  it.each([
    ['lst', 'list'],
    ['lits', 'list'],
    ['LIST', 'list'],
    ['craete', 'create'],
    ['oders', 'orders'],
    ['gt', 'get'],
    ['deelte', 'delete'],
  ])('%s → %s', (typed, meant) => {
    expect(nearest(typed, COMMANDS)).toBe(meant);
  });

  it.each(['', 'x', 'frobnicate', 'xyzzy'])('nothing is near %j', (typed) => {
    expect(nearest(typed, COMMANDS)).toBeUndefined();
  });
});

import { expect, it } from 'vitest';
import { ProcError } from '../../../src/core/errors.ts';
import {
  hasEnded,
  isPhaseChanged,
  isSent,
  type Phase,
  phaseChanged,
} from '../../../src/import/phases.ts';

it.each<[phase: Phase, isSent: boolean, hasEnded: boolean]>([
  ['reading', false, false],
  ['planning', false, false],
  ['begun', true, false],
  ['ended', true, true],
])(
  'in the phase %s, requests may have left: %s; nothing is left to send: %s',
  (phase, sent, ended) => {
    expect(isSent(phase)).toBe(sent);
    expect(hasEnded(phase)).toBe(ended);
  },
);

it('a process that is no longer the last one names the run', () => {
  const error = phaseChanged('20260101-000000-abcd');
  expect(error).toMatchObject({
    code: 'phase_changed',
    exitCode: 2,
    message: 'another command has changed 20260101-000000-abcd meanwhile, so this one stopped',
    hint: 'See the state of the run: proc imports show 20260101-000000-abcd',
    details: { run: '20260101-000000-abcd' },
  });
  expect(isPhaseChanged(error)).toBe(true);
  expect(isPhaseChanged(new ProcError('import_busy', 'busy'))).toBe(false);
  expect(isPhaseChanged({ code: 'phase_changed' })).toBe(false);
});

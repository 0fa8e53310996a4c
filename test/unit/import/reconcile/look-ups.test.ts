import { expect, test } from 'vitest';
import { LookUps, type LookUpsPorts } from '../../../../src/import/reconcile/look-ups.ts';

test('a run may have more unconfirmed rows than a call takes arguments', () => {
  const ports = { clock: { monotonic: () => 1_000 }, settleMs: 50 } as LookUpsPorts;
  const lookUps = new LookUps(ports);
  expect(lookUps.nextAt).toBeUndefined();
  for (let row = 1; row <= 150_000; row++) lookUps.note({ row, key: `k-${row}` }, row !== 1);
  expect(lookUps.nextAt).toBe(1_050);
});

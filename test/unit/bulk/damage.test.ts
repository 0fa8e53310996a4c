import { describe, expect, it } from 'vitest';
import { Damage } from '../../../src/bulk/plan/damage.ts';
import type { MappedRow } from '../../../src/bulk/record.ts';

const row = (code: string): MappedRow => ({ row: 1, line: 2, fields: { code }, body: { code } });

function judged(codes: readonly string[], isWorkbook = false) {
  const damage = new Damage(['code'], isWorkbook);
  const rejected = codes.filter((code) => {
    return damage.observe(row(code), () => /^\d+$/.test(code)).body === undefined;
  });
  return { rejected, warnings: damage.warnings() };
}

describe('damage of codes', () => {
  it('digits that are gone reject the row', () => {
    expect(judged(['1.2E+10', '4,56E+12', '1E10', '12E5X'])).toEqual({
      rejected: ['1.2E+10', '4,56E+12'],
      warnings: [],
    });
  });

  it.each(['12-Mar', 'Mar-12', '3-ene', '2026-03-12', '12-mar-2026'])(
    '%s looks like a date',
    (code) => {
      expect(judged([code]).warnings).toEqual([expect.stringContaining(code)]);
    },
  );

  it.each(['3-12', 'MAR', 'M-12', 'DECK-12', '20260312', 'A-2026-03-12'])('%s does not', (code) => {
    expect(judged([code]).warnings).toEqual([]);
  });

  it('lost zeros are told by the other codes', () => {
    expect(judged(['00012', '00345', '77', '10000']).warnings).toEqual([
      '1 value of code has fewer than 5 digits, as the others do (77): a spreadsheet may have taken its zeros',
    ]);
    expect(judged(['12', '345', '77', '10000']).warnings).toEqual([]);
    expect(judged(['4711'], true).warnings).toEqual([
      expect.stringContaining('as a number (4711)'),
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { MappedRow } from '../../../../src/import/source/record.ts';
import { watchCodes } from '../../../../src/import/stage/steps/damaged-codes.ts';
import { FindingTally, findingText } from '../../../../src/messages/findings.ts';

/** A row of a workbook. A code that has only digits is a number there. */
const row = (code: string): MappedRow => ({
  row: 1,
  line: 2,
  fields: { Code: /^\d+$/.test(code) ? Number(code) : code },
  body: { code },
});

const messageOf = (damage: ReturnType<typeof watchCodes>, tally: FindingTally): string[] => [
  ...[...tally.findings(), ...damage.findings!()].map((found) => findingText(found)),
  ...damage.warnings!(),
];

function judged(codes: readonly string[], isWorkbook = false) {
  const damage = watchCodes([{ field: 'code', column: 'Code' }], isWorkbook);
  const tally = new FindingTally();
  const rejected = codes.filter((code) => {
    const { body, findings = [] } = damage.apply(row(code));
    tally.add(findings);
    return body === undefined;
  });
  return { rejected, warnings: messageOf(damage, tally) };
}

describe('damaged codes', () => {
  it('lost digits reject the row', () => {
    expect(judged(['1.2E+10', '4,56E+12', '1E10', '12E5X'])).toEqual({
      rejected: ['1.2E+10', '4,56E+12'],
      warnings: [],
    });
  });

  it.each(
    [
      ['12-Mar', 'Mar-12', '3-ene', '12-mar-2026', '1-Dic', 'sept-26', '5 March 2026'],
      ['2026-03-12', '2026/03/12', '2026-03-12 00:00:00', '2026-03-12T00:00:00'],
      ['12/03/2026', '3/12/2026', '31/12/2026', '12.03.2026', '12-03-2026', '12/03/2026 0:00'],
      ['12/03/26', '3/31/26'],
    ].flat(),
  )('%s looks like a date', (code) => {
    expect(judged([code])).toEqual({
      rejected: [],
      warnings: [expect.stringContaining(`looks like a date (${code})`)],
    });
  });

  it.each(
    [
      ['3-12', 'MAR', 'M-12', 'DECK-12', '20260312', 'A-2026-03-12', 'MARCHA-12'],
      ['32/13/2026', '10-20-30', '12-03-26', '2026-13-01', '1/2/345', '99/12/2026'],
    ].flat(),
  )('%s does not', (code) => {
    expect(judged([code]).warnings).toEqual([]);
  });

  it('are reported with their field', () => {
    const codes = ['reference', 'order'].map((field) => ({ field, column: field }));
    const damage = watchCodes(codes, false);
    const body = { reference: 'INV-1', order: '12-Mar' };
    const tally = new FindingTally();
    tally.add(damage.apply({ row: 1, line: 2, fields: body, body }).findings!);
    expect(messageOf(damage, tally)).toEqual([
      expect.stringContaining('1 value of order looks like'),
    ]);
  });

  it('lost zeros are detected by comparison with the other codes', () => {
    expect(judged(['00012', '00345', '77', '10000']).warnings).toEqual([
      '1 value of code has fewer than the usual 5 digits (77): a spreadsheet may have removed its leading zeros',
    ]);
    expect(judged(['12', '345', '77', '10000']).warnings).toEqual([]);
    expect(judged(['4711'], true).warnings).toEqual([
      expect.stringContaining('a number in the workbook (4711)'),
    ]);
  });

  it.each([
    ['one of five digits among codes of six', ['100201', '200144', '310777', '420015', '53111']],
    [
      'one of eleven among EANs',
      ['750101234567', '750109876543', '841002233445', '841999888777', '40012345678'],
    ],
  ])('lost zeros are detected where nearly all codes have one length: %s', (_, codes) => {
    expect(judged(codes).warnings).toEqual([expect.stringContaining('1 value of code has fewer')]);
  });

  it.each([
    ['a sequence', ['9998', '9999', '10000', '10001', '10002', '10003', '10004', '10005']],
    ['counters', ['8', '101', '102', '103', '104', '105']],
    ['two lengths', ['1001', '2002', '30003', '40004', '50005']],
    ['longer codes too', ['1001', '7002', '3003', '4004', '500', '60000']],
  ])('lost zeros are not suspected in codes of several usual lengths: %s', (_, codes) => {
    expect(judged(codes).warnings).toEqual([]);
  });
});

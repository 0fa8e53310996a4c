import { describe, expect, it } from 'vitest';
import { chooseFormat, errorsAsJson, type FormatSources } from '../../../src/output/format.ts';

const NOTHING: FormatSources = {
  flag: undefined,
  env: undefined,
  outFile: undefined,
  stdoutIsTerminal: false,
};
const choose = (sources: Partial<FormatSources>) => chooseFormat({ ...NOTHING, ...sources });

describe('the format', () => {
  it('is a table on a terminal and JSON otherwise', () => {
    expect(choose({ stdoutIsTerminal: true })).toBe('table');
    expect(choose({})).toBe('json');
  });

  it('is decided by -o, then --out, then PROC_OUTPUT', () => {
    expect(choose({ flag: 'id', outFile: 'a.txt', env: 'ndjson' })).toBe('id');
    expect(choose({ outFile: 'a.csv', env: 'ndjson' })).toBe('csv');
    expect(choose({ env: 'ndjson' })).toBe('ndjson');
    expect(choose({ env: '', stdoutIsTerminal: true })).toBe('table');
    expect(choose({ outFile: 'a.dat', env: 'ndjson' })).toBe('ndjson');
  });

  it('is refused if PROC_OUTPUT is invalid, even with a flag', () => {
    expect(() => choose({ env: 'jsn', flag: 'csv' })).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: 'PROC_OUTPUT is "jsn", which is not an output format',
        hint: 'Use one of: table, json, ndjson, csv, xlsx, id',
      }),
    );
  });
});

describe('errors are JSON lines', () => {
  const asJson = (sources: object) =>
    errorsAsJson({ ...NOTHING, stderrIsTerminal: false, ...sources });

  it('for scripts', () => {
    expect(asJson({})).toBe(true);
    expect(asJson({ flag: 'id' })).toBe(true);
    expect(asJson({ flag: 'ndjson', stdoutIsTerminal: true })).toBe(true);
  });

  it('not on a terminal, nor beside a table', () => {
    expect(asJson({ stderrIsTerminal: true })).toBe(false);
    expect(asJson({ flag: 'table' })).toBe(false);
    expect(asJson({ stdoutIsTerminal: true })).toBe(false);
  });

  it('also if the format itself is invalid', () => {
    expect(asJson({ env: 'jsn' })).toBe(true);
    expect(asJson({ env: 'jsn', flag: 'table' })).toBe(false);
  });
});

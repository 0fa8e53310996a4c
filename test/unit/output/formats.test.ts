import { describe, expect, it } from 'vitest';
import { ProcError } from '../../../src/core/errors.ts';
import { rawNumber } from '../../../src/core/numbers.ts';
import { memoryStreams } from '../../support/streams.ts';
import { list, ORDERS, pages, rendered } from './rendering.ts';

describe('json', () => {
  it('has complete rows, indented by two spaces, and is the default without a terminal', async () => {
    const { stdout, stderr, exitCode } = await rendered(list(ORDERS));
    expect(stdout).toBe(`${JSON.stringify(ORDERS, null, 2)}\n`);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  });

  it('escapes unsafe characters and keeps the value', async () => {
    const rows = [{ title: 'a\u009b2J\u202e\u007f\u001b\ud800' }];
    const { stdout } = await rendered(list(rows));
    expect(stdout).toContain('"a\\u009b2J\\u202e\\u007f\\u001b\\ud800"');
    expect(JSON.parse(stdout)).toEqual(rows);
  });

  it('keeps numbers that JSON would round', async () => {
    const rows = [{ amount: rawNumber('12345678901234567890.10'), small: 1.5 }];
    for (const output of ['json', 'ndjson', 'csv', 'table'] as const) {
      const { stdout } = await rendered(list(rows), { output });
      expect(stdout.replaceAll(',', '')).toContain('12345678901234567890.10');
    }
  });
});

describe('ndjson', () => {
  it('is one row per line, nothing for nothing', async () => {
    const { stdout } = await rendered(list(pages(ORDERS, 2)), { output: 'ndjson' });
    expect(stdout).toBe(ORDERS.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect((await rendered(list([]), { output: 'ndjson' })).stdout).toBe('');
  });

  it('is written page by page, and requests no page once the reader has gone', async () => {
    const streams = memoryStreams();
    let asked = 0;
    const rows = pages(
      Array.from({ length: 100 }, () => ORDERS[0]!),
      1,
      () => {
        asked++;
        if (asked === 3)
          streams.stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    );
    const { stdout, exitCode } = await rendered(
      list(rows, { reportedExit: 8 }),
      { output: 'ndjson' },
      { streams },
    );
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(asked).toBeLessThan(6);
    // A closed pipe hides no exit code of the result itself.
    expect(exitCode).toBe(8);
  });
});

describe('id', () => {
  it('is one id per line and warns of rows without one', async () => {
    const rows = [...ORDERS, { code: 'x' }, { id: 7 }, { id: 'a\nb' }];
    const { stdout, stderr } = await rendered(list(rows), { output: 'id' });
    expect(stdout).toBe('ord_1\nord_2\nord_3\n7\na\\nb\n');
    expect(JSON.parse(stderr)).toEqual({ warning: '-o id: 1 row has no "id"' });
  });

  it('is the field that the command names', async () => {
    const record = {
      kind: 'record',
      idField: 'requisitionId',
      value: { requisitionId: 'req_1' },
    } as const;
    expect((await rendered(record, { output: 'id' })).stdout).toBe('req_1\n');
  });
});

it('no rows are a sentence on stderr beside a table, exit 0', async () => {
  const result = await rendered(list([]), {}, { terminal: true });
  expect(result).toEqual({ stdout: '', stderr: 'There are no orders.\n', exitCode: 0 });
});

it('the exit code is decided after the rows were read', async () => {
  let read = 0;
  const rows = pages(ORDERS, 1, () => {
    read++;
  });
  const failure = () => (read === 3 ? new ProcError('incomplete', 'cut off') : undefined);
  await expect(rendered(list(rows, { failure }))).rejects.toMatchObject({ exitCode: 10 });
});

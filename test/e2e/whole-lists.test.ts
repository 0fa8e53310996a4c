import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readSheet } from 'read-excel-file/node';
import { expect, it } from 'vitest';
import { type ForeignHabits, foreignService } from '../support/foreign-service.ts';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { runHere } from '../support/in-process.ts';
import { freshWorld } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';
import { memoryStreams } from '../support/streams.ts';

const FORMATS = ['table', 'json', 'csv', 'xlsx'] as const;
type Format = (typeof FORMATS)[number];
const SINKS = ['terminal', 'pipe', '--out'] as const;
const SIZES = [0, 20, 101, 500];
const NAMES = { limit: 'limit', offset: 'offset', sort: 'sort', dir: 'dir' };
const SERVICES: Readonly<Record<string, { habits: ForeignHabits; dialect?: string }>> = {
  'paging works': { habits: NAMES },
  'unknown names': { habits: { limit: 'max', offset: 'skip' } },
  'no paging, not declared': { habits: { isWhole: true } },
  'no paging, declared': { habits: { isWhole: true }, dialect: 'paging=none' },
};

/** The codes that an output holds, read as the next program would. */
async function codesIn(output: Buffer, format: Format): Promise<string[]> {
  const text = output.toString();
  if (text === '') return [];
  const codes = (rows: readonly { code: string }[]) => rows.map(({ code }) => code);
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  switch (format) {
    case 'json':
      return codes(JSON.parse(text));
    case 'csv': {
      const [head = [], ...rows] = lines.map((line) => line.split(','));
      return rows.map((cells) => cells[head.indexOf('code')]!);
    }
    case 'xlsx': {
      const [head = [], ...rows] = await readSheet(output);
      return rows.map((cells) => String(cells[head.indexOf('code')]));
    }
    case 'table':
      return [...text.matchAll(/C-\d{4}/g)].map(([code]) => code);
  }
}

/**
 * What a user sees of a list: the exit code, how many rows of how many there are, the requests, and whether a
 * message says that rows may be missing.
 */
async function listed(
  sink: (typeof SINKS)[number],
  format: Format,
  size: number,
  service: Awaited<ReturnType<typeof foreignService>>,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<string> {
  service.items.length = 0;
  service.requests.length = 0;
  for (let at = 1; at <= size; at++) {
    const code = `C-${String(at).padStart(4, '0')}`;
    service.items.push({ id: `f-${at}`, code, name: `Item ${at}` });
  }
  const ending = format === 'table' ? 'txt' : format;
  const out = join(cwd, `o.${ending}`);
  rmSync(out, { force: true });
  const streams = memoryStreams({ stdin: '', terminal: sink === 'terminal', columns: 200 });
  const chunks: Buffer[] = [];
  const write = streams.stdout._write.bind(streams.stdout);
  streams.stdout._write = (chunk, encoding, done) => {
    chunks.push(chunk);
    write(chunk, encoding, done);
  };
  const flags = ['-o', format, ...(sink === '--out' ? ['--out', `o.${ending}`] : [])];
  const { exitCode } = await runHere(['items', 'list', ...flags], env, { streams, cwd });
  const stderr = streams.stderrText();
  const output =
    sink === '--out'
      ? existsSync(out)
        ? readFileSync(out)
        : Buffer.alloc(0)
      : Buffer.concat(chunks);
  const codes = await codesIn(output, format);
  expect(codes, 'each row once, from the first').toEqual(
    service.items.slice(0, codes.length).map(({ code }) => code),
  );
  const isShort = codes.length < size;
  const isSaid = /may be (more|incomplete)/.test(stderr);
  if (exitCode === 0 && isShort) expect(isSaid, stderr).toBe(true);
  if (sink === '--out' && exitCode !== 2) {
    expect(stderr).toContain(
      `Wrote ${codes.length} item${codes.length === 1 ? '' : 's'} to o.${ending}`,
    );
  }
  const told = exitCode === 2 ? 'refused' : `${codes.length} of ${size}`;
  return `${told}, ${service.requests.length} GET, exit ${exitCode}${isSaid ? ', said' : ''}`;
}

it('a list is whole or says that it is not: formats × sinks × sizes × services', async () => {
  const lines: string[] = [];
  for (const [name, { habits, dialect }] of Object.entries(SERVICES)) {
    await using service = await foreignService(habits);
    const world = await freshWorld(service.target);
    const env = dialect === undefined ? world.env : { ...world.env, PROC_LIST_NAMES: dialect };
    for (const sink of SINKS) {
      const seen = new Map<string, Format[]>();
      for (const format of FORMATS) {
        const told: string[] = [];
        for (const size of SIZES) {
          told.push(await listed(sink, format, size, service, env, world.cwd));
        }
        const text = told.join('; ');
        seen.set(text, [...(seen.get(text) ?? []), format]);
      }
      for (const [text, formats] of seen) {
        const which = formats.length === FORMATS.length ? 'every format' : formats.join(' ');
        lines.push(`${name}, ${sink}, ${which}: ${text}`);
      }
    }
  }
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "paging works, terminal, table: 0 of 0, 1 GET, exit 0; 20 of 20, 1 GET, exit 0, said; 20 of 101, 1 GET, exit 0, said; 20 of 500, 1 GET, exit 0, said
    paging works, terminal, json csv: 0 of 0, 1 GET, exit 0; 20 of 20, 2 GET, exit 0; 101 of 101, 2 GET, exit 0; 500 of 500, 6 GET, exit 0
    paging works, terminal, xlsx: refused, 0 GET, exit 2; refused, 0 GET, exit 2; refused, 0 GET, exit 2; refused, 0 GET, exit 2
    paging works, pipe, every format: 0 of 0, 1 GET, exit 0; 20 of 20, 2 GET, exit 0; 101 of 101, 2 GET, exit 0; 500 of 500, 6 GET, exit 0
    paging works, --out, every format: 0 of 0, 1 GET, exit 0; 20 of 20, 2 GET, exit 0; 101 of 101, 2 GET, exit 0; 500 of 500, 6 GET, exit 0
    unknown names, terminal, table: 0 of 0, 1 GET, exit 0; 20 of 20, 1 GET, exit 0, said; 20 of 101, 1 GET, exit 0, said; 20 of 500, 1 GET, exit 0, said
    unknown names, terminal, json csv: 0 of 0, 1 GET, exit 0; 20 of 20, 2 GET, exit 10, said; 20 of 101, 2 GET, exit 10, said; 20 of 500, 2 GET, exit 10, said
    unknown names, terminal, xlsx: refused, 0 GET, exit 2; refused, 0 GET, exit 2; refused, 0 GET, exit 2; refused, 0 GET, exit 2
    unknown names, pipe, every format: 0 of 0, 1 GET, exit 0; 20 of 20, 2 GET, exit 10, said; 20 of 101, 2 GET, exit 10, said; 20 of 500, 2 GET, exit 10, said
    unknown names, --out, every format: 0 of 0, 1 GET, exit 0; 20 of 20, 2 GET, exit 10, said; 20 of 101, 2 GET, exit 10, said; 20 of 500, 2 GET, exit 10, said
    no paging, not declared, terminal, table: 0 of 0, 1 GET, exit 0; 20 of 20, 1 GET, exit 0, said; 101 of 101, 1 GET, exit 0, said; 500 of 500, 1 GET, exit 0, said
    no paging, not declared, terminal, json csv: 0 of 0, 1 GET, exit 0; 20 of 20, 2 GET, exit 10, said; 101 of 101, 2 GET, exit 10, said; 500 of 500, 2 GET, exit 10, said
    no paging, not declared, terminal, xlsx: refused, 0 GET, exit 2; refused, 0 GET, exit 2; refused, 0 GET, exit 2; refused, 0 GET, exit 2
    no paging, not declared, pipe, every format: 0 of 0, 1 GET, exit 0; 20 of 20, 2 GET, exit 10, said; 101 of 101, 2 GET, exit 10, said; 500 of 500, 2 GET, exit 10, said
    no paging, not declared, --out, every format: 0 of 0, 1 GET, exit 0; 20 of 20, 2 GET, exit 10, said; 101 of 101, 2 GET, exit 10, said; 500 of 500, 2 GET, exit 10, said
    no paging, declared, terminal, table json csv: 0 of 0, 1 GET, exit 0; 20 of 20, 1 GET, exit 0; 101 of 101, 1 GET, exit 0; 500 of 500, 1 GET, exit 0
    no paging, declared, terminal, xlsx: refused, 0 GET, exit 2; refused, 0 GET, exit 2; refused, 0 GET, exit 2; refused, 0 GET, exit 2
    no paging, declared, pipe, every format: 0 of 0, 1 GET, exit 0; 20 of 20, 1 GET, exit 0; 101 of 101, 1 GET, exit 0; 500 of 500, 1 GET, exit 0
    no paging, declared, --out, every format: 0 of 0, 1 GET, exit 0; 20 of 20, 1 GET, exit 0; 101 of 101, 1 GET, exit 0; 500 of 500, 1 GET, exit 0"
  `);
});

/** A list of 250 rows whose third page fails. Row 150 has a field that no other row has. */
function failingAt(page: number) {
  const rows = Array.from({ length: 250 }, (_, at) => ({
    id: `f-${at + 1}`,
    code: `C-${at + 1}`,
    name: 'N',
    brand: at % 2 === 0 ? 'B' : null,
    ...(at === 150 ? { late: 'L' } : {}),
  }));
  return startHostile((socket, { line }, nth) => {
    const offset = Number(/offset=(\d+)/.exec(line)?.[1] ?? 0);
    const limit = Number(/limit=(\d+)/.exec(line)?.[1] ?? 20);
    socket.write(
      nth === page ? http(403) : http(200, JSON.stringify(rows.slice(offset, offset + limit))),
    );
  });
}

async function overRows(page: number, args: readonly string[]) {
  await using service = await failingAt(page);
  const world = await freshWorld(targetOf(service));
  await world.file('old.csv', 'old');
  const ran = await world.run(['items', 'list', ...args], {});
  return { ...ran, at: (name: string) => join(world.cwd, name), cwd: world.cwd, service };
}

it.each([
  ['json', 199, (text: string) => text.endsWith('}\n') && !text.trimEnd().endsWith(']')],
  ['ndjson', 199, (text: string) => text.endsWith('}\n')],
] as const)(
  'after a page that failed, -o %s on stdout ends with the last row: exit 10',
  async (format, lines, ends) => {
    const ran = await overRows(3, ['-o', format]);
    expect(ran.exitCode).toBe(10);
    expect(ends(ran.stdout)).toBe(true);
    expect(ran.stdout.match(/f-\d+/g)).toHaveLength(199);
    if (format === 'json') expect(() => JSON.parse(ran.stdout)).toThrow();
    else expect(ran.stdout.trimEnd().split('\n')).toHaveLength(lines);
    expect(ran.stderr).toContain('the list ended early after 199 rows');
  },
);

it('after a page that failed, a query has no result: exit 10', async () => {
  const ran = await overRows(3, ['-q', 'length(@)']);
  expect(ran).toMatchObject({ exitCode: 10, stdout: '' });
});

it.each(['new.csv', 'old.csv', 'new.xlsx', 'new.json'])(
  'after a page that failed, --out %s is not written: exit 10',
  async (name) => {
    const ran = await overRows(3, ['--out', name]);
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).not.toContain('Wrote');
    expect(readdirSync(ran.cwd)).toEqual(['old.csv']);
    expect(readFileSync(ran.at('old.csv'), 'utf8')).toBe('old');
  },
);

it('a first page that failed: its own exit code, and nothing on stdout', async () => {
  for (const flags of [
    ['-o', 'json'],
    ['-o', 'csv'],
    ['-o', 'csv', '--fields', 'id'],
    ['-q', '@'],
  ]) {
    expect(await overRows(1, flags)).toMatchObject({ exitCode: 4, stdout: '' });
  }
});

it('--out has a column for every field of every row, and leaves no other file', async () => {
  const all = ['id', 'name', 'code', 'brand', 'late'];
  const csv = await overRows(0, ['--out', 'all.csv']);
  expect(JSON.parse(csv.stderr)).toEqual({ notice: 'Wrote 250 items to all.csv' });
  const [header, ...rows] = readFileSync(csv.at('all.csv'), 'utf8').trimEnd().split('\r\n');
  expect(header).toBe(all.join(','));
  expect(rows).toHaveLength(250);
  expect(rows[150]).toBe('f-151,N,C-151,B,L');
  expect(readdirSync(csv.cwd)).toEqual(['all.csv', 'old.csv']);
  const book = await overRows(0, ['--out', 'all.xlsx']);
  const [head, ...cells] = await readSheet(book.at('all.xlsx'));
  expect(head).toEqual(all);
  expect(cells).toHaveLength(250);
  expect(cells[150]).toEqual(['f-151', 'N', 'C-151', 'B', 'L']);
});

it.each([
  ['-o', 'json', '--out', 'o.xlsx'],
  ['-o', 'xlsx', '--out', 'o.csv'],
  ['-o', 'ndjson', '--out', 'o.json'],
  ['-o', 'csv', '--out', 'o.html'],
])('%s %s and %s %s contradict each other: exit 2, nothing is sent', async (...flags) => {
  const ran = await overRows(0, flags);
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain('contradicts');
  expect(ran.service.requests).toHaveLength(0);
});

it('| head ends early with exit 0, and reads no further', async () => {
  for (const format of ['ndjson', 'csv --fields code']) {
    // So that the reader leaves between two pages, also on a slow machine.
    await using service = await loggedSandbox({ faults: 'latency=200ms' });
    const world = await freshWorld(service.target);
    const line = `("$NODE" "$PROC" orders list -o ${format}; echo "exit $?" >&2) | head -n 1`;
    // Without a place for the second page, the reader has left before proc asks for the third.
    const ran = await world.shell(line);
    expect(ran.stdout.split('\n')).toHaveLength(2);
    expect(ran.stderr).toBe('exit 0\n');
    expect(service.requests.length).toBeLessThan(6);
  }
});

it('a limit that a service does not fill is read on, or the end is not verified: exit 10', async () => {
  for (const [habits, rows, exitCode] of [
    [{ ...NAMES, cap: 20 }, 50, 0],
    [{}, 20, 10],
  ] as const) {
    await using service = await foreignService(habits);
    for (let at = 1; at <= 90; at++)
      service.items.push({ id: `f-${at}`, code: `C-${at}`, name: 'N' });
    const world = await freshWorld(service.target);
    const ran = await world.run(['items', 'list', '--limit', '50']);
    expect(ran.exitCode).toBe(exitCode);
    expect(JSON.parse(ran.stdout)).toHaveLength(rows);
  }
});

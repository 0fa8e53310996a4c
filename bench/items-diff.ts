// Memory and correctness of `items diff`.
//   npm run bench:items-diff [-- ROWS]
// Compares a file of 100,000 rows with a catalogue, and the result with that of a simple script.
// Then measures the memory for ROWS rows (1,000,000) in each output format.
import { once } from 'node:events';
import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { openStage } from './stage.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const CHECKED = 100_000;
const BUDGET_MB = 150;

interface Row {
  readonly code: string;
  readonly name: string;
}

const item = (n: number): Row => ({ code: `K-${n}`, name: `Part ${n % 900}, steel` });

/** A pseudo-random number in [0, 1) that depends only on `n`, so that every run compares the same file. */
function chance(n: number): number {
  let value = Math.imul(n + 1, 0x9e3779b1);
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return ((value ^ (value >>> 16)) >>> 0) / 2 ** 32;
}

/**
 * The rows of the file for an item. In about 4 % of the cases, the item is missing, renamed,
 * repeated or followed by a new item.
 */
function few(n: number): readonly Row[] {
  const own = item(n);
  const drawn = chance(n);
  if (drawn < 0.01) return [];
  if (drawn < 0.02) return [{ ...own, name: `${own.name}, zinc` }];
  if (drawn < 0.03) return [own, { ...own, name: `${own.name} again` }];
  if (drawn < 0.04) return [own, { code: `N-${n}`, name: own.name }];
  return [own];
}

const all = (n: number): readonly Row[] => [{ code: `N-${n}`, name: item(n).name }];

let isGood = true;
await using stage = await openStage();

const path = await written('checked.csv', CHECKED, few);
const { stdout } = await diffed(CHECKED, path, ['-o', 'json']);
const found = (JSON.parse(stdout) as Record<string, unknown>[]).map(
  ({ change, row, code }) => `${change} ${row} ${code}`,
);
const expected = reference(path, CHECKED);
const isEqual = found.join('\n') === expected.join('\n');
console.log(JSON.stringify({ rows: CHECKED, differences: found.length, isEqual }));
isGood &&= isEqual && found.length > 0;

for (const [what, edit] of [
  ['few rows differ', few],
  ['all rows differ', all],
] as const) {
  const file = await written('long.csv', ROWS, edit);
  for (const out of ['differences.json', 'differences.csv', 'differences.xlsx']) {
    const ran = await diffed(ROWS, file, ['--out', out]);
    const { exitCode, seconds, peakMb } = ran;
    const fileMb = Math.round(statSync(join(stage.folder, out)).size / 1e6);
    console.log(
      JSON.stringify({
        rows: ROWS,
        what,
        out,
        exitCode,
        seconds: Math.round(seconds),
        peakMb,
        fileMb,
      }),
    );
    isGood &&= exitCode === 0 && peakMb! <= BUDGET_MB;
  }
}
console.log(isGood ? 'as it should be' : 'WRONG');
process.exitCode = isGood ? 0 : 1;

async function diffed(items: number, file: string, flags: readonly string[]) {
  const service = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost');
    const from = Number(searchParams.get('offset') ?? 0);
    const length = Math.max(0, Math.min(items - from, Number(searchParams.get('limit') ?? 100)));
    const page = Array.from({ length }, (_, index) => ({
      id: `item-${from + index}`,
      ...item(from + index),
    }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  try {
    const ran = await stage.run(['items', 'diff', file, ...flags], {
      PROC_BASE_URL: `http://127.0.0.1:${port}`,
    });
    if (ran.exitCode !== 0) console.error(ran.stderr);
    return ran;
  } finally {
    service.closeAllConnections();
    service.close();
  }
}

async function written(name: string, items: number, rows: (n: number) => readonly Row[]) {
  const file = join(stage.folder, name);
  const stream = createWriteStream(file);
  stream.write('code,name\n');
  for (let n = 0; n < items; n++) {
    const lines = rows(n).map((row) => `${row.code},"${row.name}"\n`);
    if (!stream.write(lines.join(''))) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
  return file;
}

function reference(file: string, items: number): string[] {
  const names = new Map(
    Array.from({ length: items }, (_, n) => [item(n).code, item(n).name] as const),
  );
  const seen = new Set<string>();
  const lists: Record<string, string[]> = { new: [], renamed: [], gone: [], duplicate: [] };
  const lines = readFileSync(file, 'utf8').trim().split('\n').slice(1);
  for (const [index, line] of lines.entries()) {
    const [, code = '', name = ''] = /^([^,]*),"(.*)"$/.exec(line)!;
    const change = seen.has(code)
      ? 'duplicate'
      : !names.has(code)
        ? 'new'
        : names.get(code) === name
          ? undefined
          : 'renamed';
    seen.add(code);
    if (change !== undefined) lists[change]!.push(`${change} ${index + 1} ${code}`);
  }
  for (const code of names.keys()) if (!seen.has(code)) lists.gone!.push(`gone null ${code}`);
  return Object.values(lists).flat();
}

/**
 * Files that are too large for the tests: what the reader makes of them, in what time and memory.
 * `tsx bench/hostile.ts`: each case runs in a process of its own, so that its peak is its own. Needs
 * about 400 MB in the temporary folder; the two-gigabyte files are sparse.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { openSource } from '../src/bulk/reader/open.ts';
import { messageOf } from '../src/core/errors.ts';

const MIB = 1 << 20;
const GIB = 1 << 30;

/** Writes pieces; a number stands for a hole of so many bytes. */
type Write = (put: (piece: string | number) => void) => void;

/** Good rows first, so that the head of the file is text. */
function sparse(start: string, good: string, before: string, hole: number, after: string): Write {
  return (put) => {
    put(start + good.repeat(10_000) + before);
    put(hole);
    put(after);
  };
}

function repeated(before: string, piece: string, times: number, after = ''): Write {
  return (put) => {
    put(before);
    for (let index = 0; index < times; index++) put(piece);
    put(after);
  };
}

const csvLines = 'R1,one row of many\n'.repeat(MIB / 16);

const CASES: Readonly<Record<string, Write>> = {
  'a CSV line of 2 GB': sparse('code,name\n', 'A,x\n', 'B,', 2 * GIB, '\nC,z\n'),
  'an NDJSON line of 2 GB': sparse(
    '',
    '{"code":"A"}\n',
    '{"code":"',
    2 * GIB,
    '"}\n{"code":"C"}\n',
  ),
  'a JSON text of 2 GB': sparse('[', '{"code":"A"},\n', '{"code":"', 2 * GIB, '"},\n{"code":"C"}]'),
  'an unclosed quote before 150 MB': repeated('code,name\nA,"x\n', csvLines, 128),
  'no quote closed in 150 MB of one record': repeated(
    'code,name\nA,"',
    'x""'.repeat(MIB / 3),
    150,
    '\n',
  ),
  '256 MB of [': repeated('', '['.repeat(MIB), 256),
  '256 MB of {': repeated('', '{'.repeat(MIB), 256),
  '200,000 levels in every line': repeated(
    '',
    `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}\n`,
    400,
  ),
  '100,000 columns': repeated(
    '',
    `${Array.from({ length: 100_000 }, (_, i) => `c${i}`).join(',')}\n`,
    100,
  ),
  '2,000 columns': repeated(
    `${Array.from({ length: 2_000 }, (_, i) => `c${i}`).join(',')}\n`,
    `A${','.repeat(1_999)}\n`,
    16_000,
  ),
  'an array around that is never closed': repeated(
    '{"items":[',
    '{"code":"A","x":[1,2,{}]},',
    4_000_000,
  ),
};

function write(file: string, content: Write): void {
  const handle = openSync(file, 'w');
  let size = 0;
  content((piece) => {
    if (typeof piece === 'number') {
      size += piece;
      ftruncateSync(handle, size);
    } else size += writeSync(handle, piece, size);
  });
  closeSync(handle);
}

/** A gigabyte of zeros in a megabyte. */
async function bomb(file: string): Promise<void> {
  const handle = openSync(file, 'w');
  const zeros = Readable.from(
    (function* () {
      yield Buffer.from('code,name\nA,');
      for (let index = 0; index < 1024; index++) yield Buffer.alloc(MIB, 0x30);
      yield Buffer.from('\nB,x\n');
    })(),
  );
  for await (const chunk of zeros.pipe(createGzip())) writeSync(handle, chunk as Buffer);
  closeSync(handle);
}

async function read(file: string): Promise<string> {
  let good = 0;
  const problems = new Map<string, number>();
  const source = await openSource({ file, stdin: Readable.from([]), spoolFolder: tmpdir() });
  for await (const batch of source.records()) {
    for (const { fields, problem } of batch) {
      if (fields !== undefined) good++;
      else problems.set(problem!.message, (problems.get(problem!.message) ?? 0) + 1);
    }
  }
  return `${good} rows; ${[...problems].map(([message, count]) => `${count} × ${message}`).join('; ')}`;
}

if (process.argv[2] === 'once') {
  const started = performance.now();
  const outcome = await read(process.argv[3]!).catch((error) => `refused: ${messageOf(error)}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${seconds} s, ${peak} MiB peak: ${outcome.replaceAll(process.argv[3]!, 'FILE')}`);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'proc-bench-hostile-'));
  const file = join(folder, 'input');
  const run = (label: string) => {
    const args = [...process.execArgv, import.meta.filename, 'once', file];
    console.log(`${label}: ${execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()}`);
  };
  try {
    for (const [label, content] of Object.entries(CASES)) {
      write(file, content);
      run(label);
    }
    await bomb(file);
    run('a gzip bomb of 1 GB');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

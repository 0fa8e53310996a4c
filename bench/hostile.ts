/**
 * Imports hostile files that are too large for the tests. Prints result, time and peak memory.
 * `npm run build && tsx bench/hostile.ts [WORD]` runs the cases whose name contains WORD. Needs
 * about 400 MB in the temporary folder.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';

const BINARY = join(import.meta.dirname, '../bin/proc.js');
const FLAGS = ['--allow', 'missing', '--dry-run', '--offline', '--set', 'brand=x'];
const BOMB = 'a gzip bomb of 1 GB';

const MIB = 1 << 20;
const GIB = 1 << 30;

/** Writes pieces; a number is a hole of that many bytes. */
type Write = (put: (piece: string | number) => void) => void;

/** Starts with valid rows, so that the file is recognised as text. */
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

const csvLines = `R1,${'one row of many '.repeat(12)}\n`.repeat(MIB / 196);

const CASES: Readonly<Record<string, Write>> = {
  'a CSV line of 2 GB': sparse('code,name\n', 'A,x\n', 'B,', 2 * GIB, '\nC,z\n'),
  'an NDJSON line of 2 GB': sparse(
    '',
    '{"code":"A","name":"x"}\n',
    '{"code":"',
    2 * GIB,
    '"}\n{"code":"C","name":"z"}\n',
  ),
  'a JSON text of 2 GB': sparse(
    '[',
    '{"code":"A","name":"x"},\n',
    '{"code":"',
    2 * GIB,
    '"},\n{"code":"C","name":"z"}]',
  ),
  'an unclosed quote before 150 MB': repeated('code,name\nA,"x\n', csvLines, 150),
  'an unclosed quote before 30 million lines': repeated(
    'code,name\nA,"x\n',
    'B,y\n'.repeat(100_000),
    300,
  ),
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
    `code,${Array.from({ length: 1_999 }, (_, i) => `c${i}`).join(',')}\n`,
    `A${','.repeat(1_999)}\n`,
    16_000,
  ),
  'records of 900 kB': repeated('', `{"code":"A","name":"${'y'.repeat(900_000)}"}\n`, 400),
  'an array around that is never closed': repeated(
    '{"items":[',
    `{"code":"A","x":[1,2,{}],"p":"${'p'.repeat(200)}"},`,
    400_000,
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

/** A gzip file of one megabyte that unpacks to a gigabyte. */
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

/** Runs the import with a preload that writes its peak memory to a file. */
function measured(file: string, folder: string): string {
  const preload = join(folder, 'peak.cjs');
  writeFileSync(
    preload,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(`${preload}.txt`)}, String(process.resourceUsage().maxRSS)));`,
  );
  const started = performance.now();
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--require', preload, BINARY, 'items', 'import', file, ...FLAGS],
    { encoding: 'utf8', env: { ...process.env, PROC_STATE_DIR: join(folder, 'state') } },
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const peak = Math.round(Number(readFileSync(`${preload}.txt`, 'utf8')) / 1024);
  return `${seconds} s, ${peak} MiB peak: ${resultText(stdout, stderr).replaceAll(file, 'FILE')}`;
}

function resultText(stdout: string, stderr: string): string {
  if (stdout !== '') {
    const { rows, create, duplicates, invalid, samples } = JSON.parse(stdout);
    const [first] = samples.invalid;
    const why = first === undefined ? '' : ` (${String(first.reason).slice(0, 120)})`;
    return `${rows} rows, ${create + duplicates} good, ${invalid} invalid${why}`;
  }
  const [line] = stderr.split('\n').filter((one) => one.includes('"error"'));
  return `refused: ${line === undefined ? stderr : JSON.parse(line).error.message}`;
}

const folder = mkdtempSync(join(tmpdir(), 'proc-bench-hostile-'));
const file = join(folder, 'input');
const wanted = process.argv[2] ?? '';
try {
  for (const [label, content] of Object.entries(CASES)) {
    if (!label.includes(wanted)) continue;
    write(file, content);
    console.log(`${label}: ${measured(file, folder)}`);
  }
  if (BOMB.includes(wanted)) {
    await bomb(file);
    console.log(`${BOMB}: ${measured(file, folder)}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

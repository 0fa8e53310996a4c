/**
 * Compares how fast proc and the simplest code read the same file.
 * `tsx bench/reader.ts [rows]` prints rows/s, MB/s and peak memory for each format.
 */
import { execFileSync } from 'node:child_process';
import {
  createReadStream,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse';
import { openSource } from '../src/import/source/open-source.ts';

const rows = Number(process.argv[2] ?? 300_000);

function record(index: number): Record<string, unknown> {
  return {
    code: `AR-${String(index).padStart(7, '0')}`,
    name: `Válvula esférica ${index % 97}, ½" bronce`,
    description: 'Rosca hembra, paso total, con palanca de acero y sellos de PTFE',
    unitOfMeasure: 'EA',
    brand: `Marca ${index % 31}`,
    material: 'Bronce',
    type: 'Válvulas',
    price: 1500 + (index % 1000) / 8,
    stock: index % 500,
  };
}

function csvLine(values: readonly unknown[]): string {
  const cells = values.map((value) => {
    const text = String(value);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\r\n`;
}

function write(folder: string): Record<string, string> {
  const records = Array.from({ length: rows }, (_, index) => record(index));
  const lines = records.map((one) => JSON.stringify(one));
  const files = {
    ndjson: join(folder, 'items.ndjson'),
    json: join(folder, 'items.json'),
    'json indented': join(folder, 'indented.json'),
    csv: join(folder, 'items.csv'),
    'csv plain': join(folder, 'plain.csv'),
    'ndjson gzip': join(folder, 'items.ndjson.gz'),
  };
  writeFileSync(files.ndjson, `${lines.join('\n')}\n`);
  writeFileSync(files['ndjson gzip'], gzipSync(`${lines.join('\n')}\n`));
  writeFileSync(files.json, `[${lines.join(',')}]`);
  writeFileSync(files['json indented'], JSON.stringify(records, null, 2));
  const header = csvLine(Object.keys(records[0]!));
  writeFileSync(files.csv, header + records.map((one) => csvLine(Object.values(one))).join(''));
  writeFileSync(
    files['csv plain'],
    (header + records.map((one) => csvLine(Object.values(one))).join('')).replace(
      /"[^"]*""[^"]*"/g,
      'plain',
    ),
  );
  return files;
}

async function read(file: string): Promise<number> {
  const source = await openSource({
    file,
    cwd: tmpdir(),
    stdin: Readable.from([]),
    spoolFolder: tmpdir(),
  });
  let count = 0;
  for await (const batch of source.records()) {
    for (const one of batch) if (one.fields !== undefined) count++;
  }
  return count;
}

async function readLines(file: string): Promise<number> {
  let count = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    JSON.parse(line);
    count++;
  }
  return count;
}

/** Reads CSV with a library; docs/internals/decisions.md says why proc has its own reader. */
async function readWithLibrary(file: string): Promise<number> {
  let count = 0;
  const options = { columns: true, info: true, relax_quotes: true };
  for await (const _ of createReadStream(file).pipe(parse(options))) count++;
  return count;
}

async function timed(label: string, file: string, work: () => Promise<number>): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3; run++) {
    const started = performance.now();
    const count = await work();
    if (count !== rows) throw new Error(`${label}: ${count} rows of ${rows}`);
    best = Math.min(best, (performance.now() - started) / 1000);
  }
  const megabytes = statSync(file).size / 1e6;
  const rate = Math.round(rows / best).toLocaleString('en');
  console.log(
    `${label.padEnd(34)} ${rate.padStart(10)} rows/s ${(megabytes / best).toFixed(0).padStart(6)} MB/s`,
  );
}

if (process.argv[3] === 'once') {
  await read(process.argv[4]!);
  console.log(Math.round(process.resourceUsage().maxRSS / 1024));
} else {
  const folder = mkdtempSync(join(tmpdir(), 'proc-bench-reader-'));
  try {
    const files = write(folder);
    for (const [label, file] of Object.entries(files)) {
      await timed(label, file, () => read(file));
      const peak = execFileSync(
        process.execPath,
        [...process.execArgv, import.meta.filename, String(rows), 'once', file],
        { encoding: 'utf8' },
      );
      console.log(`${''.padEnd(34)} ${peak.trim().padStart(10)} MiB peak, open and read once`);
    }
    await timed('reference: readline + JSON.parse', files.ndjson!, () => readLines(files.ndjson!));
    await timed('reference: csv-parse', files.csv!, () => readWithLibrary(files.csv!));
    await timed('reference: csv-parse, plain', files['csv plain']!, () =>
      readWithLibrary(files['csv plain']!),
    );
    await timed('reference: JSON.parse of the whole', files.json!, async () => {
      return (JSON.parse(readFileSync(files.json!, 'utf8')) as unknown[]).length;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

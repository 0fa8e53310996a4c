// Runs and orders of an imaginary company, and their reports, for `npm run bench:reports`.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startSandbox } from '../../src/sandbox/server/server.ts';

const BIN = resolve(import.meta.dirname, '../../bin/proc.js');

export interface Sample {
  readonly name: string;
  readonly page: string;
}

export async function writeSamples(folder: string): Promise<readonly Sample[]> {
  const state = join(folder, 'state');
  const db = join(folder, 'service.db');
  mkdirSync(state);
  const env = (baseUrl: string) => ({
    PATH: process.env.PATH,
    HOME: folder,
    LANG: 'C',
    PROC_STATE_DIR: state,
    PROC_CONFIG_DIR: join(folder, 'config'),
    PROC_BASE_URL: baseUrl,
    PROC_API_KEY: 'proc-sandbox-key',
  });
  const samples: Sample[] = [];
  const report = async (name: string, words: readonly string[], baseUrl: string) => {
    const file = join(folder, `${name}.html`);
    await proc([...words, '--out', file], env(baseUrl), folder);
    // The temporary folder has a random name, which must not change the pictures.
    const page = readFileSync(file, 'utf8').replaceAll(folder, '/home/ana/imports');
    samples.push({ name, page });
  };
  writeFileSync(join(folder, 'catalogue-2026.csv'), catalogue());
  writeFileSync(join(folder, 'earlier.csv'), `SKU,Description\n${articles(0, 60)}`);
  writeFileSync(join(folder, 'invoices-october.csv'), invoices());
  writeFileSync(join(folder, 'hostile.csv'), hostile());

  const snapshot = 'orders-last-week.csv';
  copyFileSync(resolve(import.meta.dirname, '../../examples', snapshot), join(folder, snapshot));

  let sandbox = await startSandbox({ port: 0, db, faults: 'latency=60ms+-30,seed=7' });
  const map = ['--map', 'code=SKU', '--map', 'name=Description', '--yes'];
  const brand = ['--map', 'brand=Brand', '--map', 'unitOfMeasure=Unit'];
  const started = async (words: readonly string[], baseUrl: string): Promise<string> =>
    JSON.parse(await proc(words, env(baseUrl), folder)).run;
  await started(['items', 'import', 'earlier.csv', ...map], sandbox.baseUrl);
  const items = await started(
    ['items', 'import', 'catalogue-2026.csv', ...map, ...brand],
    sandbox.baseUrl,
  );
  await report('import', ['imports', 'report', items], sandbox.baseUrl);
  await report('import-es', ['imports', 'report', items, '--lang', 'es'], sandbox.baseUrl);
  await report(
    'orders',
    ['orders', 'summary', '--since', '2012-06-01', '--changes-since', snapshot],
    sandbox.baseUrl,
  );
  await report('created', ['imports', 'report', items, '--created'], sandbox.baseUrl);
  const wrong = await started(
    ['items', 'import', 'hostile.csv', ...map, '--allow', 'invisible'],
    sandbox.baseUrl,
  );
  await report('hostile', ['imports', 'report', wrong, '--created'], sandbox.baseUrl);
  await sandbox.close();

  sandbox = await startSandbox({ port: 0, db, faults: 'reset-after=4%,seed=7' });
  const invoicesRun = await started(
    ['imputations', 'import', 'invoices-october.csv', '--yes', '--first-run'],
    sandbox.baseUrl,
  );
  await report('unconfirmed', ['imports', 'report', invoicesRun], sandbox.baseUrl);
  await sandbox.close();
  return samples;
}

/** Returns standard output. Exit codes 8 and 9 are expected: some rows are rejected or unconfirmed. */
function proc(words: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Promise<string> {
  return new Promise((done, fail) => {
    execFile(
      process.execPath,
      [BIN, ...words],
      { env, cwd, maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (code === 0 || code === 8 || code === 9) done(stdout);
        else fail(new Error(`proc ${words.join(' ')}: ${code}\n${stderr}`));
      },
    );
  });
}

const THINGS = [
  ...['Hex bolt', 'Flat washer', 'Ball bearing', 'Chain', 'Brake pad', 'Cable tie', 'Hose clamp'],
  ...[
    'Safety gloves',
    'Copy paper',
    'LED panel',
    'Water filter',
    'Paint roller',
    'Screwdriver set',
  ],
];
const KINDS = ['M6', 'M8', 'M10', 'stainless', 'galvanised', 'large', 'small', 'standard', 'A4'];
const BRANDS = ['Contoso', 'Fabrikam', 'Litware', 'Northwind'];

function articles(from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at++) {
    text += `${codeOf(at)},"${THINGS[at % THINGS.length]} ${KINDS[at % KINDS.length]} ${at}"\n`;
  }
  return text;
}

function codeOf(at: number): string {
  return `ART-${String(10_000 + at)}`;
}

/** 1,240 rows; some exist, some are wrong, some appear twice. */
function catalogue(): string {
  const lines = ['SKU,Description,Brand,Unit'];
  for (let at = 0; at < 1_240; at++) {
    let code = codeOf(at);
    let name = `${THINGS[at % THINGS.length]} ${KINDS[at % KINDS.length]} ${at}`;
    if (at % 97 === 40) name = '';
    if (at % 151 === 60) name = '#N/A';
    if (at % 211 === 100) code = '';
    if (at % 173 === 80) {
      code = codeOf(at - 3);
      name = `${THINGS[(at - 3) % THINGS.length]} ${KINDS[(at - 3) % KINDS.length]} ${at - 3}`;
    }
    if (at === 700) code = codeOf(120).toLowerCase();
    const brand = at % 173 === 80 ? BRANDS[(at - 3) % 4] : BRANDS[at % 4];
    lines.push(`${code},${name},${brand},EA`);
  }
  return `${lines.join('\n')}\n`;
}

function invoices(): string {
  const lines = ['reference,account,amount,notes'];
  for (let at = 1; at <= 120; at++) {
    const amount = at % 29 === 0 ? 'n/a' : (at * 17.35).toFixed(2);
    lines.push(`INV-2026-${String(at).padStart(4, '0')},6100,${amount},October`);
  }
  return `${lines.join('\n')}\n`;
}

/** Texts that look like HTML, Markdown or formulas. A report must show them as plain text. */
function hostile(): string {
  return [
    'SKU,Description',
    'X-1,"<script>alert(1)</script>"',
    'X-2,"</td></tr></table><img src=x onerror=alert(1)>"',
    'X-3,"=HYPERLINK(""https://example.com"")"',
    'X-4,"| a | b |\\| [link](https://example.com) `code`"',
    `X-5,"right-to-left \u202e override and ${'long'.repeat(300)}"`,
    'X-6,"<style>*{display:none}</style>"',
    '"<b>X-7",',
    '',
  ].join('\n');
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsOf, NOUNS } from '../../src/registry.ts';
import type { RequestLog } from '../../src/sandbox/server.ts';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { type Prepared, prepare, typed, withCopy } from '../support/prepared.ts';
import { errorOf, type Ran } from '../support/run.ts';
import { isPlain, runTyped } from '../support/typed-line.ts';

assumeFirstRuns();

const SPECS = (await Promise.all(NOUNS.map(commandsOf))).flat();

const WRITING = SPECS.filter(
  ({ changes, endpoints = [] }) =>
    changes === 'service' || endpoints.some(({ method }) => method !== 'GET'),
);
const WRITING_NAMES = WRITING.map(({ path }) => path.join(' '));

/** Further lines that write: for commands whose examples only read, and other ways to write. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  api: [
    'proc api POST /items/ --input examples/item.json --yes',
    'proc api PUT /sectors/sec-3 -f name=Other --yes',
    'proc api PATCH /sectors/sec-4 -f name=Other',
    'proc api DELETE /sectors/sec-9 --yes',
    'proc api delete /sectors/sec-9 --yes',
  ],
  'imports resume': ['proc imports resume STOPPED --yes'],
  'items import': ['proc items import - --yes', 'proc items import changed-items.csv --yes'],
  'imputations import': ['proc imputations import examples/imputations.csv --map order=PO --yes'],
  'requisition import': ['proc requisition import examples/requisitions.ndjson --yes'],
};

/** A command that asks questions. Other tests run it on a terminal. */
const ASKING = ['requisition wizard'];

const LINES = WRITING.flatMap(({ path, examples }) => {
  const name = path.join(' ');
  const own = examples.map(({ run }) => run).filter((run) => !/ --(dry-run|curl)/.test(run));
  return [...own, ...(MORE[name] ?? [])].map((line) => ({ name, line }));
});

const isRead = (line: string) => line.startsWith('proc api GET ');

let prepared: Prepared;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  prepared = await prepare();
  const { world, door } = prepared;
  const { baseUrl } = door;
  environment = {
    PROC_PROFILE: 'acme',
    PROC_ENV: 'here',
    PROC_BASE_URL: baseUrl,
    PROC_API_KEY: 'proc-sandbox-key',
  };
  await world.run(['profile', 'add', 'acme', '-e', 'here', '--base-url', baseUrl]);
  await world.file('changed.csv', 'key,description\nroad-bikes,Changed\n');
  await world.file('changed-items.csv', 'code,name\nCH-1,Changed\n');
  // A run that stopped, for `imports resume`.
  const known = JSON.stringify([{ id: 'itm-1', code: 'AR-5381', name: 'Adjustable Race' }]);
  await using unwilling = await startHostile((socket, { method, line }) => {
    const list = /[?&]offset=[1-9]/.test(line) ? '[]' : known;
    socket.write(method === 'GET' ? http(200, list) : http(401));
  });
  door.to = unwilling.port;
  await world.file('stopped.csv', 'code,name\nST-1,Stopped\n');
  const args = ['items', 'import', 'stopped.csv', '--yes', '-o', 'json'];
  const stopped = await world.run(args, { env: environment });
  expect(stopped, stopped.stderr).toMatchObject({ exitCode: 10 });
  const { run } = JSON.parse(stopped.stdout);
  const names = [...prepared.names, ['STOPPED', run]];
  prepared = { ...prepared, names: new Map(names as [string, string][]) };
});
afterAll(() => prepared.world[Symbol.asyncDispose]());

interface Done {
  readonly name: string;
  readonly line: string;
  readonly ran: Ran;
  readonly reads: number;
  readonly writes: number;
}

interface Situation {
  readonly readOnly?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

function runAll(
  lines: readonly { readonly name: string; readonly line: string }[],
  { readOnly = false, env = {} }: Situation,
): Promise<Done[]> {
  const log: RequestLog[] = [];
  const onRequest = (entry: RequestLog) => void log.push(entry);
  return withCopy(prepared, { onRequest }, async (world) => {
    const options = { env: { ...world.env, ...environment, ...env } };
    await world.run(['profile', 'set', 'acme', '-e', 'here', `readOnly=${readOnly}`], options);
    const done: Done[] = [];
    for (const { name, line } of lines) {
      log.length = 0;
      const input = '{"name":"Piped","code":"P-1"}\n';
      const ran = await runTyped(world, typed(line, prepared), { ...options, input });
      const writes = log.filter(({ method }) => method !== 'GET').length;
      done.push({ name, line, ran, reads: log.length - writes, writes });
    }
    return done;
  });
}

describe('a command that writes', () => {
  it('has a line in this file that writes', async () => {
    const done = await runAll(LINES, {});
    const silent = WRITING_NAMES.filter(
      (name) => !done.some((one) => one.name === name && one.writes > 0),
    );
    expect(silent, JSON.stringify(done.filter(({ name }) => silent.includes(name)))).toEqual(
      ASKING,
    );
  });

  it.each<[string, Situation, string]>([
    ['readOnly=true', { readOnly: true }, 'acme/here'],
    ['PROC_READ_ONLY=1', { env: { PROC_READ_ONLY: '1' } }, 'PROC_READ_ONLY'],
  ])('is refused before any request: %s', async (_, situation, place) => {
    for (const { line, ran, reads, writes } of await runAll(LINES, situation)) {
      expect(writes, line).toBe(0);
      if (isRead(line)) {
        expect(ran, `${line}\n${ran.stderr}`).toMatchObject({ exitCode: 0 });
        continue;
      }
      expect(reads, line).toBe(0);
      // With another output than JSON, the error is text.
      if (!ran.stderr.startsWith('{')) {
        expect([ran.exitCode, ran.stderr], line).toEqual([
          3,
          expect.stringContaining('not allowed'),
        ]);
        continue;
      }
      const error = errorOf(ran);
      expect(error, line).toMatchObject({ code: 'read_only', exitCode: 3, details: { place } });
      expect(error.hint, line).toContain('add --dry-run');
    }
  });

  it('may be tried with --dry-run', async () => {
    const lines = LINES.filter(({ line, name }) => isPlain(line) && !ASKING.includes(name));
    const dry = lines.map(({ name, line }) => ({ name, line: `${line} --dry-run` }));
    for (const { line, ran, writes } of await runAll(dry, { readOnly: true })) {
      expect(writes, line).toBe(0);
      expect(ran.stderr, line).not.toContain('read_only');
    }
  });
});

describe('a command that does not write', () => {
  it('runs at a read-only target, and sends only reads', async () => {
    const reading = SPECS.filter(
      (spec) => !WRITING.includes(spec) && spec.endpoints !== undefined,
    ).map(({ path, examples }) => ({ name: path.join(' '), line: examples[0]!.run }));
    for (const { line, ran, writes } of await runAll(reading, { readOnly: true })) {
      expect(writes, line).toBe(0);
      expect(ran.stderr, line).not.toContain('read_only');
    }
  });
});

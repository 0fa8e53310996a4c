import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DecidedRows } from '../../../src/ledger/decided-rows.ts';
import { connect, IMPUTATIONS, ITEMS, newLedger } from '../../unit/ledger/one-database.ts';

const KILLS = Number(process.env.PROC_TEST_KILLS ?? 40);
const ROWS = 4_000;
const SLOTS = 8;

let folder: string;
let server: Server;
let address: string;
let stored: Map<string, string>;
let doubles: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kills-'));
  stored = new Map();
  doubles = [];
  server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.end(JSON.stringify([...stored]));
      return;
    }
    let body = '';
    for await (const piece of request) body += String(piece);
    const { code } = JSON.parse(body) as { code: string };
    // Applied whether or not anybody still listens.
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 8));
    if (stored.has(code)) doubles.push(code);
    stored.set(code, `i-${stored.size}`);
    response.end(JSON.stringify({ id: stored.get(code) }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function start(noun: string): ChildProcess {
  const program = join(import.meta.dirname, 'import.ts');
  return spawn(process.execPath, [program, folder, noun, address, String(ROWS)], {
    stdio: 'inherit',
  });
}

/** Kills imports until one ends by itself. */
async function killed(noun: string, afterKill: () => Promise<void>): Promise<number> {
  for (let kills = 0; ; kills++) {
    const child = start(noun);
    const ended = once(child, 'exit');
    const before = stored.size;
    const isOver = await Promise.race([ended.then(() => true), mayKill(before, kills)]);
    if (isOver === true) {
      const [code] = (await ended) as [number];
      expect([0, 10]).toContain(code);
      if (code === 0) return kills;
    } else child.kill('SIGKILL');
    await ended;
    // What is under way is applied meanwhile, as a service does within the settle time.
    await new Promise((resolve) => setTimeout(resolve, 15));
    await afterKill();
  }
}

/** Once a few rows were created; while it is read or compared, too. */
async function mayKill(before: number, kills: number): Promise<false | undefined> {
  if (kills >= KILLS) return new Promise(() => undefined);
  const rows = kills % 4 === 0 ? 0 : Math.ceil(Math.random() * (ROWS / KILLS));
  while (stored.size < before + rows) await new Promise((resolve) => setTimeout(resolve, 1));
  if (rows === 0) await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 200));
  return false;
}

test('the same command heals a killed import of items', async () => {
  newLedger(folder);
  await killed('items', async () => undefined);
  expect(doubles).toEqual([]);
  expect(stored.size).toBe(ROWS);
  const at = connect(join(folder, 'one.db'), ITEMS);
  const left =
    "SELECT count(*) AS n FROM rows WHERE state IN ('pending', 'sending', 'unconfirmed')";
  expect(at.all(left)).toEqual([{ n: 0 }]);
  at.close();
  expect(readdirSync(folder).filter((name) => name.startsWith('draft'))).toEqual([]);
}, 900_000);

test('without a list a kill leaves no more rows to a person than may leave at once', async () => {
  newLedger(folder);
  const at = connect(join(folder, 'one.db'), IMPUTATIONS);
  const decided = new DecidedRows(at.sql, IMPUTATIONS);
  let most = 0;
  const resolve = async () => {
    await at.runs.open();
    const open = at.all(
      "SELECT at >> 32 AS run, at & 4294967295 AS row, key FROM rows WHERE state = 'unconfirmed'",
    );
    most = Math.max(most, open.length);
    for (const { run, row, key } of open) {
      const id = stored.get(String(key));
      const one = { row: Number(row) };
      const decision =
        id === undefined
          ? { ...one, kind: 'resend' as const }
          : { ...one, kind: 'adopt' as const, id };
      expect(await decided.resolve(Number(run), [decision])).toEqual([]);
    }
  };
  await killed('imputations', resolve);
  await resolve();
  expect(doubles).toEqual([]);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(SLOTS);
  // What a person found absent is taken over by the next import.
  for (const child = start('imputations'); ; ) {
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    break;
  }
  expect(doubles).toEqual([]);
  expect(stored.size).toBe(ROWS);
  at.close();
}, 900_000);

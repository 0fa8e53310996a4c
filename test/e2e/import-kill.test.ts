import { readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';

assumeFirstRuns();

const AT_ONCE = 24;
const ROWS = 300;
const ANSWERED = 40;

/**
 * Kills an import while each of its connections waits for a response. The service answered only earlier
 * requests.
 */
async function killedWhileWaiting(): Promise<{
  readonly world: World;
  readonly run: string;
  readonly sent: () => number;
  readonly resumed: () => Promise<Record<string, number>>;
  readonly close: () => Promise<void>;
}> {
  let isWaiting = true;
  let isFull: () => void = () => undefined;
  const full = new Promise<void>((resolve) => {
    isFull = resolve;
  });
  const service = await startHostile((socket, { body }, nth) => {
    if (isWaiting && nth > ANSWERED) {
      if (nth === ANSWERED + AT_ONCE) isFull();
      return;
    }
    const { reference } = JSON.parse(body);
    socket.write(http(201, JSON.stringify({ id: `im-${reference}` })));
  });
  const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
  const rows = Array.from({ length: ROWS }, (_, n) =>
    JSON.stringify({ reference: `R-${n}`, amount: 1, account: '6100' }),
  );
  await world.file('rows.ndjson', rows.join('\n'));
  const at = [`PROC_CONCURRENCY=${AT_ONCE}`];
  const running = world.start([
    'imputations',
    'import',
    'rows.ndjson',
    '--set',
    'contractId=k-1',
    '--yes',
    '--first-run',
    ...at,
  ]);
  await full;
  running.kill('SIGKILL');
  await running;
  isWaiting = false;
  const files = readdirSync(join(world.stateDir, 'imports'));
  const run = files.find((name) => name.endsWith('.db'))!.replace('.db', '');
  return {
    world,
    run,
    sent: () => service.requests.length,
    close: () => service.close(),
    async resumed() {
      const ran = await world.run(['imports', 'resume', '--yes', ...at]);
      expect(ran, ran.stderr).toMatchObject({ exitCode: 9 });
      return JSON.parse(ran.stdout);
    },
  };
}

it('after a kill, only the rows whose requests were under way are unconfirmed, and a resume sends the others', async () => {
  const killed = await killedWhileWaiting();
  const { created, unconfirmed, pending } = await killed.resumed();
  // The ledger has nearly all responses that arrived: the last few may be missing.
  expect(unconfirmed).toBeGreaterThanOrEqual(AT_ONCE);
  expect(unconfirmed).toBeLessThanOrEqual(1.2 * AT_ONCE);
  expect({ created, pending }).toEqual({ created: ROWS - Number(unconfirmed), pending: 0 });
  expect(killed.sent()).toBe(ROWS);
  await killed.close();
});

it('imports resolve --drop --all before any resume gives up the run: what was created stays, no row is left', async () => {
  const { world, run, close, sent } = await killedWhileWaiting();
  const ran = await world.run(['imports', 'resolve', run, '--drop', '--all', '--yes']);
  const { created, dropped, unconfirmed, pending } = JSON.parse(ran.stdout);
  expect(created + dropped).toBe(ROWS);
  expect({ unconfirmed, pending }).toEqual({ unconfirmed: 0, pending: 0 });
  const [listed] = JSON.parse((await world.run(['imports', 'list'])).stdout);
  expect(listed).toMatchObject({ run, state: 'finished' });
  // A later import sends exactly what was never sent.
  const again = await world.run([
    ...['imputations', 'import', 'rows.ndjson', '--set', 'contractId=k-1', '--yes'],
    ...['--on-sent', 'skip'],
  ]);
  const summary = JSON.parse(again.stdout);
  expect(summary).toMatchObject({ existing: created, unconfirmed: 0, pending: 0 });
  expect(summary.created + summary.dropped).toBe(dropped);
  expect(sent()).toBe(ROWS);
  await close();
});

it.each([
  ['is gone', (mark: string) => rmSync(mark)],
  ['was written by a version without that record', (mark: string) => truncateSync(mark, 8)],
  ['may be incomplete after a loss of power', (_: string, file: string) => rebooted(file)],
])(
  'if the record of handed-over requests %s, every row with an intent is unconfirmed',
  async (_, spoil) => {
    const killed = await killedWhileWaiting();
    const { stateDir } = killed.world;
    const path = join(stateDir, 'imports', killed.run);
    spoil(`${path}.mark`, `${path}.db`);
    const { created, unconfirmed } = await killed.resumed();
    expect(unconfirmed).toBeGreaterThan(1.2 * AT_ONCE);
    expect(created).toBe(ROWS - Number(unconfirmed));
    expect(killed.sent()).toBeLessThan(ROWS);
    await killed.close();
  },
);

function rebooted(path: string): void {
  const file = new DatabaseSync(path);
  file.exec(`UPDATE run SET value = json_set(value, '$.boot', 'before') WHERE key = 'clock'`);
  file.close();
}

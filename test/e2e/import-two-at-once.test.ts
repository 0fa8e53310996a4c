import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, freshWorld } from '../support/run.ts';
import { until } from '../support/until.ts';

/**
 * A service that counts what was created under each code or reference.
 *
 * @param shows false: the list of items stays empty and is not answered before `open`
 */
async function countingService({ holdsLists = false } = {}) {
  const created: { id: string; code: string; name: string }[] = [];
  const asked = Promise.withResolvers<void>();
  const held: (() => void)[] = [];
  let isHeld = holdsLists;
  const service = await startHostile((socket, { method, line, body }) => {
    if (method === 'GET') {
      const query = new URL(line.split(' ')[1]!, 'http://x').searchParams;
      const from = Number(query.get('offset') ?? 0);
      const rows = () => created.slice(from, from + Number(query.get('limit') ?? 20));
      const respond = () => socket.write(http(200, JSON.stringify(rows())));
      if (isHeld) held.push(respond);
      else respond();
      asked.resolve();
      return;
    }
    const { code, reference, name } = JSON.parse(body) as Record<string, string>;
    const one = { id: `x-${created.length + 1}`, code: (code ?? reference)!, name: name ?? '' };
    created.push(one);
    setTimeout(() => socket.write(http(201, JSON.stringify(one))), 5);
  });
  return {
    ...service,
    asked: asked.promise,
    /** Waits until so many reads are held. */
    async askedTimes(count: number) {
      await until(() => held.length >= count);
    },
    open() {
      isHeld = false;
      for (const respond of held.splice(0)) respond();
    },
    codes: () => created.map(({ code }) => code).sort(),
    target: { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k-1' },
  };
}

function codesOf(count: number): string[] {
  return Array.from({ length: count }, (_, row) => `R-${String(row).padStart(4, '0')}`);
}

const ITEMS = (count: number) =>
  `code,name\n${codesOf(count)
    .map((code) => `${code},Bolt ${code}\n`)
    .join('')}`;

describe('several commands at once on one run', () => {
  it.runIf(process.platform === 'linux')('are refused while locks keep nobody out', async () => {
    await using service = await countingService({ holdsLists: true });
    const world = await freshWorld(service.target);
    await world.file('a.csv', ITEMS(5));
    const first = world.start(['items', 'import', 'a.csv', '--yes']);
    await service.asked;
    const imports = join(world.stateDir, 'imports');
    const locks = readdirSync(imports).filter((file) => /^items-.*\.lock$/.test(file));
    expect(locks).toHaveLength(1);
    rmSync(join(imports, locks[0]!));
    await world.file('b.csv', ITEMS(6));
    const resumed = await world.spawn(['items', 'import', 'b.csv', '--yes']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 3, stdout: '' });
    expect(errorOf(resumed)).toMatchObject({
      code: 'state_unwritable',
      message: expect.stringMatching(
        new RegExp(`keeps no other process out: process ${first.pid} holds it too$`),
      ),
    });
    service.open();
    expect(await first).toMatchObject({ exitCode: 0 });
    expect(service.codes()).toEqual(codesOf(5));
  });

  it.runIf(process.platform === 'linux')(
    'a command whose run another one continues stops with what it knows, once it has sent rows',
    async () => {
      const held: (() => void)[] = [];
      let isHeld = true;
      const created: { id: string; code: string; name: string }[] = [];
      await using service = await startHostile((socket, { method, line, body }) => {
        if (method === 'GET') {
          const query = new URL(line.split(' ')[1]!, 'http://x').searchParams;
          const from = Number(query.get('offset') ?? 0);
          const rows = created.slice(from, from + Number(query.get('limit') ?? 20));
          socket.write(http(200, JSON.stringify(rows)));
          return;
        }
        const item = { id: `x-${created.length + 1}`, ...JSON.parse(body) };
        created.push(item);
        const respond = () => socket.write(http(201, JSON.stringify(item)));
        if (isHeld && created.length > 10) held.push(respond);
        else respond();
      });
      const world = await freshWorld(targetOf(service));
      await world.file('a.csv', ITEMS(200));
      const first = world.start(['items', 'import', 'a.csv', '--yes', 'PROC_CONCURRENCY=2']);
      await until(() => held.length >= 2);
      const imports = join(world.stateDir, 'imports');
      for (const file of readdirSync(imports).filter((name) => /\.(lock|holder)$/.test(name))) {
        rmSync(join(imports, file));
      }
      isHeld = false;
      const second = await world.spawn(['imports', 'resume', '--yes', 'PROC_SETTLE=50ms']);
      expect(second, second.stderr).toMatchObject({ exitCode: 0 });
      for (const respond of held) respond();
      const { exitCode, stdout, stderr } = await first;
      expect({ exitCode }, stderr).toEqual({ exitCode: 10 });
      const { run } = JSON.parse(second.stdout);
      expect(JSON.parse(stdout)).toMatchObject({ run, rows: 200 });
      expect(errorOf({ stderr })).toMatchObject({
        code: 'incomplete',
        message: `stopped: another command has changed ${run} meanwhile, so this one stopped`,
        hint: `See the state of the run: proc imports show ${run}`,
      });
      expect(created.map(({ code }) => code).sort()).toEqual(codesOf(200));
    },
  );
});

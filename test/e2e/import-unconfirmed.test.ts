import { describe, expect, it } from 'vitest';
import { http, startHostile } from '../support/hostile-service.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { runTyped } from '../support/typed-line.ts';
import { until } from '../support/until.ts';

assumeFirstRuns();

const ORDERS = [{ id: 'or-1', code: 'PO-1', currency: 'ARS' }];

/** The service answers list requests only once it is opened. Until then an import waits. */
async function closedService() {
  let isOpen = false;
  const items: object[] = [];
  const service = await startHostile((socket, { method, line, body }, nth) => {
    if (method === 'POST') {
      const made = { id: `new-${nth}`, ...JSON.parse(body) };
      if (line.includes('/items/')) items.push(made);
      socket.write(http(201, JSON.stringify(made)));
    } else if (isOpen) {
      const offset = Number(/offset=(\d+)/.exec(line)?.[1] ?? 0);
      const list = line.includes('/orders/') ? ORDERS : items;
      socket.write(http(200, JSON.stringify(list.slice(offset))));
    }
  });
  return {
    baseUrl: service.baseUrl,
    target: { PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' },
    requests: service.requests,
    open: () => {
      isOpen = true;
    },
    creates: () => service.requests.filter(({ method }) => method === 'POST').length,
    [Symbol.asyncDispose]: () => service.close(),
  };
}

type Closed = Awaited<ReturnType<typeof closedService>>;

/** Starts an import and kills it while it waits for its first response. Returns the name of the run. */
async function killed(
  here: World,
  service: Closed,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const running = here.start(argv, { env });
  await until(() => service.requests.length > 0);
  running.kill('SIGKILL');
  await running;
  service.open();
  const listed = JSON.parse((await here.run(['imports', 'list'], { env })).stdout);
  expect(listed).toMatchObject([{ state: 'unfinished' }]);
  return listed[0].run;
}

function type(here: World, command: string, env: Readonly<Record<string, string>> = {}) {
  return runTyped(here, command, { env });
}

const ITEMS = 'code,name\nA,a\nB,b\n';

describe('a run that stopped before it was confirmed', () => {
  it('is resumed by the printed command, which contains --yes', async () => {
    await using service = await closedService();
    const here = await freshWorld(service.target);
    await here.file('a.csv', ITEMS);
    const run = await killed(here, service, ['items', 'import', 'a.csv', '--yes']);
    const command = `proc imports resume ${run} --yes`;
    const [{ next }] = JSON.parse((await here.run(['imports', 'list'])).stdout);
    expect(next).toEqual([{ command, why: 'Send or look up the remaining rows' }]);
    const again = await here.run(['items', 'import', 'a.csv', '--yes']);
    expect(errorOf(again).hint).toBe(`Resume it: ${command}`);

    const before = service.requests.length;
    const unconfirmed = await here.run(['imports', 'resume']);
    expect(unconfirmed.exitCode).toBe(2);
    expect(errorOf(unconfirmed).hint).toBe('Add --yes: proc imports resume --yes');
    expect(service.requests.length, 'nothing is read for what nobody confirms').toBe(before);

    const resumed = await type(here, command);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 2, created: 2 });
  });

  it('names its environment too if the environment is protected', async () => {
    await using service = await closedService();
    const here = await freshWorld();
    const env = { PROC_PROFILE: 'acme' };
    const { baseUrl } = service;
    const added = await here.run(
      ['profile', 'add', 'acme', '-e', 'production', '--base-url', baseUrl, '--api-key-stdin'],
      { input: 'k-1' },
    );
    expect(added, added.stderr).toMatchObject({ exitCode: 0 });
    await here.run(['profile', 'set', 'acme', '-e', 'production', 'protected=true']);
    await here.file('a.csv', ITEMS);
    const argv = ['items', 'import', 'a.csv', '--yes', '-e', 'production'];
    const run = await killed(here, service, argv, env);
    const [{ next }] = JSON.parse((await here.run(['imports', 'list'], { env })).stdout);
    expect(next[0].command).toBe(`proc imports resume ${run} -p acme -e production --yes`);
    const resumed = await type(here, next[0].command, env);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 2 });
  });

  it('has a preview, which says that a resume reads the file again', async () => {
    await using service = await closedService();
    const here = await freshWorld(service.target);
    const file = await here.file('po.csv', 'PO,amount\nPO-1,5\nPO-1,6\n');
    const argv = ['imputations', 'import', 'po.csv', '--map', 'order=PO', '--map', 'amount=amount'];
    const run = await killed(here, service, [...argv, '--yes', '--first-run']);
    const preview = await here.run(['imports', 'resume', '--dry-run']);
    expect(preview.exitCode).toBe(0);
    expect(JSON.parse(preview.stdout)).toEqual({
      dryRun: true,
      run,
      source: 'po.csv',
      readAnew: file,
      next: [{ command: 'proc imports resume --yes', why: 'Send it; --yes confirms it' }],
    });
    const notices = jsonLines(preview.stderr).map(({ notice }) => notice);
    expect(notices.join()).toContain('Resuming reads the file again');
    expect(service.creates()).toBe(0);
    const resumed = await here.run(['imports', 'resume', '--yes']);
    expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ rows: 2, created: 2 });
  });
});

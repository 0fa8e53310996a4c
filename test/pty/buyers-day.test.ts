import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { atNight } from '../support/at-night.ts';
import { startOwnSandbox } from '../support/dialects.ts';
import { assumeFirstRuns } from '../support/in-process.ts';
import { freshWorld, type World } from '../support/run.ts';
import { screenOf } from '../support/screen.ts';
import { startTerminal } from '../support/terminal.ts';
import { CTRL_C, DOWN, play } from '../support/wizard.ts';

assumeFirstRuns();

/** A service that has other names for its list parameters than the contract's examples. */
const DIALECT = 'limit=pageSize,offset=skip,sort=orderBy,dir=direction';
const SIZES = [
  { cols: 60, rows: 20 },
  { cols: 80, rows: 24 },
  { cols: 120, rows: 40 },
];

type Fault = readonly [status: number, body: object, headers?: Readonly<Record<string, string>>];
type Faults = (method: string, url: string, body: string) => Fault | 'lost' | undefined;

/** In front of the sandbox: answers, or breaks the connection, where `faults` says so. */
class Gate {
  faults: Faults = () => undefined;
  readonly #origin: string;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = 'GET', url = '/', headers } = request;
      const body = Buffer.concat(chunks).toString();
      const fault = this.faults(method, url, body);
      if (fault === 'lost') return request.socket.destroy();
      if (fault !== undefined) {
        const [status, value, more] = fault;
        response.writeHead(status, { 'content-type': 'application/json', ...more });
        return response.end(JSON.stringify(value));
      }
      const answer = await fetch(`${this.#origin}${url}`, {
        method,
        headers: {
          authorization: headers.authorization ?? '',
          'x-api-key': String(headers['x-api-key'] ?? ''),
          'content-type': 'application/json',
        },
        ...(body === '' ? {} : { body }),
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      return response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });

  constructor(baseUrl: string) {
    this.#origin = new URL(baseUrl).origin;
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/api/v1`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

const isPost = (method: string): boolean => method === 'POST';

/** A line of a table. Terminals wrap other lines, so that a command in them can be copied. */
const isDrawn = (line: string): boolean => /\S {2,}\S|─/.test(line);

interface Scene {
  readonly args: readonly string[];
  /** What the screen shows, and the keys that answer it. */
  readonly steps?: readonly (readonly [shown: string, keys: string])[];
  readonly faults?: Faults;
  readonly exit?: number;
  /** Texts that the screen has. */
  readonly has?: readonly string[];
  /** What the screen does not have. */
  readonly lacks?: RegExp;
  /** Ids that stand on the screen only beside their names. */
  readonly ids?: RegExp;
  /** At one size only: what differs is the answer of the service. */
  readonly isOnce?: true;
}

const YES = ['(y/N)', 'y\r'] as const;
const TYPED = ['Type acme to confirm', 'acme\r'] as const;
const ITEMS = Array.from({ length: 12 }, (_, at) => `AB-${at},Part ${at},EA`).join('\n');
const AMOUNTS = [1, 2, 3, 4].map((at) => `R-${at},a,${at}.5,PO-00284`).join('\n');

const DAY: readonly (Scene | ((world: World) => Promise<Scene>))[] = [
  { args: ['orders', 'list'], exit: 3, has: ['Set up a profile: proc setup'] },
  {
    args: ['setup'],
    steps: [
      ['Name of the profile', 'acme\r'],
      ['Which environment?', '\r'],
      ['Base URL of', 'nowhere\r'],
      // A refused answer stays to be corrected.
      ['Base URL of', '\u0015$URL\r'],
      ['API key for', 'wrong\r'],
      ['API key for', 'proc-sandbox-key\r'],
    ],
    has: ['the key is missing or incorrect (401)', 'limit=pageSize'],
  },
  { args: ['profile', 'set', 'acme', '-e', 'staging', 'protected=true'] },
  { args: ['orders', 'list', '--limit', '5'], has: ['PO-00500'] },
  { args: ['orders', 'get', '284'], exit: 5, has: ['PO-00284 (Jackson Authority)'] },
  { args: ['orders', 'get', 'PO-00284'], has: ['Jackson Authority'] },
  { args: ['orders', 'list', 'Litware'], has: ['7 of 500 fetched rows match'] },
  { args: ['orders', 'summary'] },
  {
    args: ['items', 'create'],
    steps: [
      ['Name of the new item', 'Pedal\r'],
      ['Code of the new', 'PD-1\r'],
      ['Unit of measure', 'EA\r'],
      YES,
    ],
    has: ['Created item "Pedal"'],
  },
  {
    args: ['imputations', 'create'],
    steps: [
      ['Amount', '22.5\r'],
      ['Order:', 'PO-00284\r'],
      ['Account', '4400\r'],
      ['Your reference', 'INV-7\r'],
      YES,
    ],
    has: ['of 22.5 USD on account 4400 for PO-00284'],
    ids: /\bpo-284\b/,
  },
  {
    args: [
      'imputations',
      'create',
      '--amount',
      '22.5',
      '--order',
      'PO-00284',
      '--account',
      '4400',
      '--reference',
      'INV-7',
    ],
    steps: [YES, ['Send it again?', 'n\r']],
    exit: 2,
    has: ['was sent'],
  },
  {
    args: ['sectors', 'delete', 'mountain-bikes'],
    steps: [['Type acme', 'no\r']],
    exit: 2,
    has: ['sector mountain-bikes "Mountain Bikes"', 'Nothing was sent.'],
  },
  {
    args: ['sectors', 'patch', 'mountain-bikes', '--name', 'MTB'],
    steps: [YES],
    has: ['Changed name of sector'],
  },
  {
    args: ['requisition', 'wizard'],
    faults: (method, _, body) =>
      isPost(method) && body.includes('"Spare parts"')
        ? [422, { message: 'no', errors: [{ field: 'title', message: 'no' }] }]
        : undefined,
    steps: [
      ['Title of the', 'Spare parts\r'],
      ['Type (empty', '\r'],
      ['Sector', '\r'],
      ['Your code', '\r'],
      ['Name of group 1', 'Plant\r'],
      ['How is it delivered', `${DOWN}\r`],
      ['What goes into', `${DOWN}\r`],
      ['Paste or type', '3 x PD-1\r2 x wrench\r\r'],
      ['Which item does', `${DOWN}\r`],
      ['Code of the new', '\r'],
      ['Unit of measure', '\r'],
      ['Anything else', `${DOWN}${DOWN}\r`],
      ['What now?', '\r'],
      YES,
      ['What now?', `${DOWN.repeat(3)}\r`],
      ['Title of the', '\u0015Spare parts 2\r'],
      ['What now?', '\r'],
      YES,
    ],
    has: ['the service refused the request (422)', 'title: no', 'PD-1'],
    // The wizard has shown it as a table.
    lacks: /^GROUPS/m,
    ids: /\bitm-1\b/,
  },
  { args: ['history', 'show', 'last'], has: ['Pedal'], ids: /\bitm-1\b/ },
  {
    args: [
      'requisition',
      'create',
      '--title',
      'Chains',
      '--item',
      'PD-1=4',
      '--deliver-to',
      'adr-1',
    ],
    steps: [YES],
    has: ['1 group', 'Pedal', 'adr-1'],
    ids: /\bitm-1\b/,
  },
  {
    args: ['requisition', 'create', '--title', 'Lost', '--item', 'PD-1=4', '--pickup'],
    faults: (method) => (isPost(method) ? 'lost' : undefined),
    steps: [YES],
    exit: 9,
    has: ['the outcome is unknown', 'proc history resolve'],
  },
  ...(
    [
      [401, 4, 'missing or incorrect (401)'],
      [403, 4, 'gives access only to'],
      [409, 6, 'refused the request (409)'],
      [422, 6, 'refused the request (422)'],
      [429, 7, 'asks to wait 120 s'],
      [500, 9, 'the service returned 500'],
    ] as const
  ).map(
    ([status, exit, has]): Scene => ({
      args: ['items', 'create', '--name', 'Boom', '--code', `B-${status}`],
      faults: (method) =>
        isPost(method) ? [status, { message: 'no' }, { 'retry-after': '120' }] : undefined,
      steps: [YES],
      exit,
      has: [has],
      ...(status === 500 ? {} : { isOnce: true }),
    }),
  ),
  {
    args: ['items', 'create', '--name', 'Never', '--code', 'B-0'],
    steps: [['(y/N)', CTRL_C]],
    exit: 130,
    has: ['interrupted: the question'],
  },
  {
    args: ['history', 'resolve', 'last', '--drop'],
    has: ['the service returned 500', 'not-applied'],
  },
  async (world) => {
    await world.file('b.csv', `code,name,unitOfMeasure\n${ITEMS}\nAB-3,Other,EA\nPD-1,Pedal,EA\n`);
    return {
      args: ['items', 'import', 'b.csv'],
      steps: [TYPED],
      faults: (method, _, body) =>
        isPost(method) && /AB-7"/.test(body) ? [422, { message: 'no' }] : undefined,
      exit: 8,
      has: ['3 rows were rejected', 'b.rejected.csv', 'Sending:'],
    };
  },
  ...(
    [
      ['code,name\nX-1,One\n', ['--max-create', '0'], 'would be created'],
      ['code,name\nX-2,\n', ['--max-rejected', '0'], '1 of 1 row is rejected'],
      ['{"code":"X-5","name":"A"}\n{"code":"X', [], 'Get the whole file'],
    ] as const
  ).map(([text, flags, has], at) => async (world: World): Promise<Scene> => {
    const file = `refused-${at}.${text.startsWith('{') ? 'ndjson' : 'csv'}`;
    await world.file(file, text);
    return { args: ['items', 'import', file, ...flags], exit: 2, has: [has], isOnce: true };
  }),
  { args: ['imports', 'list'] },
  { args: ['imports', 'rows', 'last'] },
  {
    args: ['items', 'import', 'b.rejected.csv'],
    steps: [TYPED],
    exit: 8,
    has: ['1 of 3 rows created'],
    lacks: /^(RUN|CREATED)\b/m,
  },
  async (world) => {
    await world.file('c.csv', `reference,account,amount,orderId\n${AMOUNTS}\n`);
    return {
      args: ['imputations', 'import', 'c.csv'],
      steps: [TYPED],
      faults: (method, _, body) =>
        isPost(method) && /R-[12]"/.test(body) ? [500, { message: 'no' }] : undefined,
      exit: 9,
      has: ['2 rows were sent but not confirmed', 'proc imports resolve'],
      // The id that is sent; lists have the code.
      lacks: /orderId po-284/,
    };
  },
  async (world) => ({
    args: ['imports', 'resolve', await newest(world)],
    exit: 2,
    has: ['(R-1)', '(R-2)', '--adopt ID'],
  }),
  async (world) => ({
    args: ['imports', 'resolve', await newest(world), '1', '--resend', '--yes'],
    exit: 9,
  }),
  async (world) => ({
    args: ['imports', 'resume', await newest(world), '--yes'],
    faults: (method) => (isPost(method) ? [401, { message: 'no' }] : undefined),
    exit: 9,
    has: ['stopped: the key is missing'],
  }),
  async (world) => ({ args: ['imports', 'show', await newest(world)] }),
];

async function newest(world: World): Promise<string> {
  return JSON.parse((await world.run(['imports', 'list', '-o', 'json'])).stdout)[0].run;
}

/** Everything that is wrong with a screen, with the line that shows it. */
function faultsOf(screen: string, raw: string, scene: Scene, cols: number): string[] {
  const wide = raw.split('\n').filter((line) => line.length > cols && isDrawn(line));

  const bare = screen
    .split('\n')
    .filter((line) => scene.ids?.test(line) === true && !/"|\(/.test(line));
  const shown = screen.replace(/\s+/g, '');
  const missing = (scene.has ?? []).filter((text) => !shown.includes(text.replace(/\s+/g, '')));
  return [
    ...wide.map((line) => `wider than ${cols}: ${line}`),
    ...bare.map((line) => `bare id: ${line}`),
    ...missing.map((text) => `missing: ${text}`),
    ...(scene.lacks?.test(screen) === true ? [`has ${scene.lacks}`] : []),
  ];
}

// One by day, all at night.
it.each(atNight ? SIZES : SIZES.filter(({ cols }) => cols === 80))(
  "a buyer's day at $cols × $rows",
  async ({ cols }) => {
    const sandbox = await startOwnSandbox({
      dialect: DIALECT,
      asOf: new Date().toISOString().slice(0, 10),
    });
    const gate = new Gate(sandbox.baseUrl);
    const url = await gate.open();
    const world = await freshWorld({});
    const wrong: string[] = [];
    for (const given of DAY) {
      const scene = typeof given === 'function' ? await given(world) : given;
      if (scene.isOnce === true && cols !== 60) continue;
      gate.faults = scene.faults ?? (() => undefined);
      const session = startTerminal(world, scene.args, { cols });
      const steps = (scene.steps ?? []).map(
        ([shown, keys]) => [shown, keys.replace('$URL', url)] as const,
      );
      const found: string[] = [];
      await play(session, steps).catch(({ message }: Error) => {
        found.push(message.split('\n')[0]!);
        session.type(CTRL_C);
      });
      const code = await session.exited;
      const screen = screenOf(session.text(), cols);
      found.push(...faultsOf(screen, screenOf(session.text(), 1_000), scene, cols));
      if (code !== (scene.exit ?? 0)) found.push(`exit ${code}, expected ${scene.exit ?? 0}`);
      if (found.length > 0)
        wrong.push(`proc ${scene.args.join(' ')}\n${found.join('\n')}\n${screen}`);
    }
    await gate.close();
    await sandbox.close();
    expect(wrong.join('\n\n')).toBe('');
  },
);

import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import type { Lang } from '../../src/core/text/phrase.ts';
import { atNight } from '../support/at-night.ts';
import { startOwnSandbox } from '../support/own-sandbox.ts';
import { freshWorld, type World } from '../support/run.ts';
import { screenOf } from '../support/screen.ts';
import { startTerminal } from '../support/terminal.ts';
import { CTRL_C, DOWN, play } from '../support/wizard.ts';

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

/** Words that only one of the languages has. Neither is a word of a field, a flag or the sample data. */
const ONLY: Readonly<Record<Lang, RegExp>> = {
  en: /\b(the|is|are|was|were|of|with|and|or|to|from|this|that|cannot|nothing|sent|rows?|created|press|which|because|run)\b/gi,
  es: /\b(el|la|los|las|del?|que|para|una?|está|filas?|se|por|con|ningun[oa]?|nada|qué|cuál)\b/gi,
};

/** What stands on a screen as it is: commands, addresses, what somebody typed or the service wrote. */
const QUOTED =
  /"[^"]*"|«[^»]*»|\bproc [^\n]*|https?:\S+|--?[a-z][\w-]*( [\w.=,]+)?|\b[\w./-]+\.(csv|html)\b/g;

/** Lines that a person copies whole may be longer than the terminal. */
const isWhole = (line: string): boolean => /^\s*(proc \S|\S+$)/.test(line);

interface Scene {
  readonly args: readonly string[];
  /** What the screen shows, and the keys that answer it. Each text is `English|Spanish`. */
  readonly steps?: readonly (readonly [shown: string, keys: string])[];
  readonly faults?: Faults;
  readonly exit?: number;
  /** Not a dialogue: English, whatever the language of the terminal is. */
  readonly isPage?: true;
  /** Texts that the screen has; `English|Spanish`. */
  readonly has?: readonly string[];
  /** What the screen does not have. */
  readonly lacks?: RegExp;
  /** Ids that stand on the screen only beside their names. */
  readonly ids?: RegExp;
  /** One screen shows it whole. A narrow terminal has more lines. */
  readonly fits?: true;
  /** At one size only: what differs is the answer of the service. */
  readonly isOnce?: true;
}

const YES = ['(y/N)|(s/N)', 'y\r'] as const;
const TYPED = ['Type acme to confirm|Escriba acme para confirmarlo', 'acme\r'] as const;
const ITEMS = Array.from({ length: 12 }, (_, at) => `AB-${at},Part ${at},EA`).join('\n');
const AMOUNTS = [1, 2, 3, 4].map((at) => `R-${at},${at}.5,PO-00284`).join('\n');

const DAY: readonly (Scene | ((world: World) => Promise<Scene>))[] = [
  { args: ['orders', 'list'], isPage: true, exit: 7, has: ['hint: Start it:'] },
  {
    args: ['setup'],
    steps: [
      ['Name of the profile|Nombre del perfil', 'acme\r'],
      ['Which environment?|¿Qué entorno?', '\r'],
      ['Base URL of|URL base de', 'nowhere\r'],
      ['Base URL of|URL base de', '$URL\r'],
      ['API key for|Clave de API para', 'wrong\r'],
      ['API key for|Clave de API para', 'proc-sandbox-key\r'],
      ['Add another|¿Agregar otro', 'n\r'],
    ],
    has: [
      'the key is missing or incorrect (401)|la clave falta o no es correcta (401)',
      'limit=pageSize',
    ],
  },
  { args: ['profile', 'set', 'acme', '-e', 'staging', 'protected=true'], isPage: true },
  { args: ['orders', 'list', '--limit', '5'], isPage: true, has: ['PO-00001'] },
  { args: ['orders', 'get', '284'], isPage: true, has: ['PO-00284 "Jackson Authority"'] },
  { args: ['orders', 'find', 'Litware'], isPage: true, has: ['Litware, Inc.'] },
  { args: ['orders', 'summary'], isPage: true },
  {
    args: ['items', 'create'],
    steps: [
      ['Name of the new item|Nombre del artículo nuevo', 'Pedal\r'],
      ['Code of the new|Código del artículo', 'PD-1\r'],
      ['Unit of measure|Unidad de medida', 'EA\r'],
      YES,
    ],
    has: ['Created item "Pedal"|Se creó el artículo "Pedal"'],
  },
  {
    args: ['imputations', 'create'],
    steps: [
      ['Amount|Monto', '22.5\r'],
      ['Order:|Orden:', 'PO-00284\r'],
      ['Account|Cuenta', '4400\r'],
      ['Your reference|Su referencia', 'INV-7\r'],
      YES,
    ],
    has: ['of 22.5 USD on account 4400 for PO-00284|de 22,5 USD en la cuenta 4400 para PO-00284'],
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
    steps: [YES, ['Send it again?|¿Enviarla otra vez?', 'n\r']],
    exit: 2,
    has: ['was sent|se envió'],
  },
  {
    args: ['sectors', 'delete', 'mountain-bikes'],
    steps: [['Type acme|Escriba acme', 'no\r']],
    exit: 2,
    has: [
      'sector mountain-bikes "Mountain Bikes"|rubro mountain-bikes "Mountain Bikes"',
      'Not deleted.|No se borró.',
    ],
  },
  {
    args: ['sectors', 'patch', 'mountain-bikes', '--name', 'MTB'],
    steps: [YES],
    has: ['Changed name of sector|Se cambió nombre del rubro'],
  },
  { args: ['history', 'undo', 'last'], steps: [YES] },
  {
    args: ['requisition', 'wizard'],
    faults: (method, _, body) =>
      isPost(method) && body.includes('"Spare parts"')
        ? [422, { message: 'no', errors: [{ field: 'title', message: 'no' }] }]
        : undefined,
    steps: [
      ['Title of the|Título de la', 'Spare parts\r'],
      ['Type (empty|Tipo (vacío', '\r'],
      ['Sector|Rubro', '\r'],
      ['Your code|Su propio código', '\r'],
      ['Name of group 1|Nombre del grupo 1', 'Plant\r'],
      ['How is it delivered|¿Cómo llega?', `${DOWN}\r`],
      ['What goes into|¿Qué va en', `${DOWN}\r`],
      ['Paste or type|Pegue o escriba', '3 x PD-1\r2 x wrench\r\r'],
      ['Which item does|¿A qué artículo', `${DOWN}\r`],
      ['Code of the new|Código del artículo', '\r'],
      ['Unit of measure|Unidad de medida', '\r'],
      ['Further details|¿Más detalles', '\r'],
      ['Anything else|¿Algo más', `${DOWN}${DOWN}\r`],
      ['What now?|¿Y ahora?', '\r'],
      YES,
      ['Title of the|Título de la', '\u0015Spare parts 2\r'],
      ['What now?|¿Y ahora?', '\r'],
      YES,
    ],
    has: ['the service refused the request (422)|el servicio rechazó la petición (422)', 'PD-1'],
    ids: /\bitm-1\b/,
  },
  { args: ['history', 'show', 'last'], isPage: true, has: ['Pedal'], ids: /\bitm-1\b/ },
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
    has: ['1 group|1 grupo', 'Pedal', 'adr-1'],
    ids: /\bitm-1\b/,
  },
  {
    args: ['requisition', 'create', '--title', 'Lost', '--item', 'PD-1=4', '--pickup'],
    faults: (method) => (isPost(method) ? 'lost' : undefined),
    steps: [YES],
    exit: 9,
    has: ['the outcome is unknown|no se conoce el resultado', 'proc history resolve'],
  },
  ...(
    [
      [401, 4, 'missing or incorrect (401)|falta o no es correcta (401)'],
      [403, 4, 'gives access only to|solo da acceso a'],
      [409, 6, 'refused the request (409)|rechazó la petición (409)'],
      [422, 6, 'refused the request (422)|rechazó la petición (422)'],
      [429, 7, 'asks to wait 120 s|pide esperar 120 s'],
      [500, 9, 'the service returned 500|el servicio respondió 500'],
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
    steps: [['(y/N)|(s/N)', CTRL_C]],
    exit: 130,
    has: ['interrupted: the question|interrumpido: la pregunta'],
  },
  {
    args: ['history', 'resolve', 'last'],
    steps: [['What was the outcome of|¿Cuál fue el resultado de', `${DOWN}\r`]],
    has: ['the service returned 500|el servicio respondió 500', 'Recorded:|Registrado:'],
  },
  async (world) => {
    await world.file('b.csv', `code,name,unitOfMeasure\n${ITEMS}\nAB-3,Other,EA\nPD-1,Pedal,EA\n`);
    return {
      args: ['items', 'import', 'b.csv'],
      steps: [['Which row of AB-3 is created?|¿Qué fila de AB-3 se crea?', '\r'], TYPED],
      faults: (method, _, body) =>
        isPost(method) && /AB-7"/.test(body) ? [422, { message: 'no' }] : undefined,
      exit: 8,
      has: ['1 row was rejected|se rechazó 1 fila', 'b.rejected.csv', 'Sending:|Enviando:'],
    };
  },
  ...(
    [
      [
        'code,name\nX-1,One\nX-1,Two\n',
        ['--on-duplicate', 'first', '--max-create', '0'],
        'would be created|se crearía',
      ],
      [
        'code,name\nPD-1,Pedal\n',
        ['--on-existing', 'fail'],
        '1 row already exists|1 fila ya existe',
      ],
      ['code,name\nX-2,\n', ['--max-rejected', '0'], '1 of 1 row is invalid|1 de 1 fila no vale'],
      ['code,name\nX-3,A\nx-3,B\n', ['--strict'], 'the plan has|el plan tiene'],
      ['{"code":"X-5","name":"A"}\n{"code":"X', [], 'Get the whole file|Consiga el archivo entero'],
    ] as const
  ).map(([text, flags, has], at) => async (world: World): Promise<Scene> => {
    const file = `refused-${at}.${text.startsWith('{') ? 'ndjson' : 'csv'}`;
    await world.file(file, text);
    return { args: ['items', 'import', file, ...flags], exit: 2, has: [has], isOnce: true };
  }),
  { args: ['imports', 'list'], isPage: true },
  { args: ['imports', 'report', 'last'], has: ['b.csv', 'AB-7'] },
  { args: ['imports', 'rows', 'last'], isPage: true },
  {
    args: ['items', 'import', 'b.rejected.csv'],
    steps: [TYPED],
    has: ['1 of 1 row created|Se creó 1 de 1 fila'],
    lacks: /^(RUN|CREATED|IMPORTACIÓN|CREADAS)\b/m,
  },
  async (world) => {
    await world.file('c.csv', `reference,amount,orderId\n${AMOUNTS}\n`);
    return {
      args: ['imputations', 'import', 'c.csv'],
      steps: [TYPED],
      faults: (method, _, body) =>
        isPost(method) && /R-[12]"/.test(body) ? [500, { message: 'no' }] : undefined,
      exit: 9,
      has: [
        '2 rows were sent but not confirmed|se enviaron 2 filas sin confirmación',
        '(R-1)',
        '(R-2)',
      ],
      // The id that is sent; lists have the code.
      lacks: /orderId po-284/,
    };
  },
  async (world) => ({
    args: ['imports', 'resolve', await newest(world)],
    steps: [
      ['outcome of row 1?|resultado de la fila 1?', `${DOWN}\r`],
      ['Id of the created|Id del registro', 'imp-1\r'],
      ['outcome of row 1?|resultado de la fila 1?', `${DOWN}${DOWN}\r`],
      ['outcome of row 2?|resultado de la fila 2?', '\r'],
    ],
    exit: 9,
  }),
  async (world) => ({
    args: ['imports', 'resume', await newest(world), '--yes'],
    faults: (method) => (isPost(method) ? [401, { message: 'no' }] : undefined),
    exit: 9,
    has: ['stopped: the key is missing|se detuvo: falta la clave'],
  }),
  async (world) => ({ args: ['imports', 'show', await newest(world)], isPage: true }),
];

async function newest(world: World): Promise<string> {
  return JSON.parse((await world.run(['imports', 'list', '-o', 'json'])).stdout)[0].run;
}

/** Everything that is wrong with a screen, with the line that shows it. */
function faultsOf(
  screen: string,
  raw: string,
  scene: Scene,
  lang: Lang,
  { cols, rows }: (typeof SIZES)[number],
): string[] {
  const wide = raw.split('\n').filter((line) => line.length > cols && !isWhole(line));
  const spoken = scene.isPage === true ? 'en' : lang;
  const foreign = ONLY[spoken === 'en' ? 'es' : 'en'];
  const words = raw.replace(QUOTED, ' ').match(foreign) ?? [];
  const bare = screen
    .split('\n')
    .filter((line) => scene.ids?.test(line) === true && !/"|\(/.test(line));
  const shown = screen.replace(/\s+/g, '');
  const lines = screen.trimEnd().split('\n').length;
  const missing = (scene.has ?? [])
    .map((text) => one(text, spoken))
    .filter((text) => !shown.includes(text.replace(/\s+/g, '')));
  return [
    ...(scene.fits === true && cols >= 80 && lines > rows ? [`${lines} lines of ${rows}`] : []),
    ...wide.map((line) => `wider than ${cols}: ${line}`),
    ...words.map((word) => `not ${spoken}: ${word}`),
    ...bare.map((line) => `bare id: ${line}`),
    ...(spoken === 'es' && /en inglés/.test(screen) ? ['a quotation in English'] : []),
    ...missing.map((text) => `missing: ${text}`),
    ...(scene.lacks?.test(screen) === true ? [`has ${scene.lacks}`] : []),
  ];
}

function one(text: string, lang: Lang): string {
  const [en = '', es = en] = text.split('|');
  return lang === 'en' ? en : es;
}

const DAYS = (['en', 'es'] as const).flatMap((lang) => SIZES.map((size) => ({ lang, ...size })));

// Each size once by day, all in both languages at night.
it.each(atNight ? DAYS : DAYS.filter(({ lang, cols }) => (lang === 'es') === (cols === 60)))(
  "a buyer's day in $lang at $cols × $rows",
  async ({ lang, cols, rows }) => {
    const sandbox = await startOwnSandbox({ dialect: DIALECT, asOf: 'today' });
    const gate = new Gate(sandbox.baseUrl);
    const url = await gate.open();
    const world = await freshWorld({ PROC_LANG: lang });
    const wrong: string[] = [];
    for (const given of DAY) {
      const scene = typeof given === 'function' ? await given(world) : given;
      if (scene.isOnce === true && cols !== 60) continue;
      gate.faults = scene.faults ?? (() => undefined);
      const session = startTerminal(world, scene.args, { cols });
      const steps = (scene.steps ?? []).map(
        ([shown, keys]) => [one(shown, lang), keys.replace('$URL', url)] as const,
      );
      const found: string[] = [];
      await play(session, steps).catch(({ message }: Error) => {
        found.push(message.split('\n')[0]!);
        session.type(CTRL_C);
      });
      const code = await session.exited;
      const screen = screenOf(session.text(), cols);
      found.push(...faultsOf(screen, screenOf(session.text(), 1_000), scene, lang, { cols, rows }));
      if (code !== (scene.exit ?? 0)) found.push(`exit ${code}, expected ${scene.exit ?? 0}`);
      if (found.length > 0)
        wrong.push(`proc ${scene.args.join(' ')}\n${found.join('\n')}\n${screen}`);
    }
    await gate.close();
    await sandbox.close();
    expect(wrong.join('\n\n')).toBe('');
  },
);

// npm run bench:inspecting-proxy: proc behind mitmproxy, which decrypts TLS and signs with its own
// authority. Exits 1 unless each write reaches the service exactly once.
// Debian: apt-get install mitmproxy
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { makeAuthority } from '../test/support/certificates.ts';
import { loggedSandbox } from '../test/support/service.ts';
import { startTlsFront } from '../test/support/tls-front.ts';

const ROWS = 200;
const HOST = 'procurement.test';
const bin = resolve(import.meta.dirname, '../bin/proc.js');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const folder = await mkdtemp(join(tmpdir(), 'proc-proxy-'));
await using sandbox = await loggedSandbox({ empty: true });
const authority = await makeAuthority(folder);
await using front = await startTlsFront(
  sandbox.baseUrl,
  await authority.issue({ name: 'service', hosts: [`DNS:${HOST}`] }),
);
const port = await freePort();
await writeFile(
  join(folder, 'redirect.py'),
  `def server_connect(data):
    data.server.address = ("127.0.0.1", ${new URL(front.origin).port})
`,
);
const mitmproxy = spawn(
  'mitmdump',
  [
    ...['--listen-host', '127.0.0.1', '--listen-port', String(port), '--quiet'],
    ...[
      '--set',
      `confdir=${folder}`,
      '--set',
      `ssl_verify_upstream_trusted_ca=${authority.caFile}`,
    ],
    ...['--set', 'connection_strategy=lazy', '-s', join(folder, 'redirect.py')],
  ],
  { stdio: ['ignore', 'inherit', 'inherit'] },
);
const inspector = join(folder, 'mitmproxy-ca-cert.pem');
let isWrong = false;

function report(what: string, isRight: boolean, figures: string): void {
  if (!isRight) isWrong = true;
  console.log(`${isRight ? 'ok ' : 'NOT'}  ${what}: ${figures}`);
}

async function proc(args: readonly string[], trusted: boolean) {
  const began = performance.now();
  const ran = await execa(process.execPath, [bin, ...args], {
    reject: false,
    extendEnv: false,
    cwd: folder,
    stdin: 'ignore',
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PROC_STATE_DIR: join(folder, 'state'),
      PROC_BASE_URL: `https://${HOST}/api/v1`,
      PROC_API_KEY: sandbox.target.PROC_API_KEY,
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
      ...(trusted ? { SSL_CERT_FILE: inspector } : {}),
    },
  });
  return { ...ran, ms: Math.round(performance.now() - began) };
}

try {
  for (let tried = 0; !existsSync(inspector) && tried < 200; tried++) await sleep(100);
  await sleep(1_000);
  const create = ['items', 'create', '--name', 'Bolt', '--code', 'B-1', '--yes', '-e', 'x'];
  const refused = await proc(create, false);
  const writes = () => sandbox.writes().length;
  report(
    'its authority is unknown: refused',
    refused.exitCode === 7 && sandbox.requests.length === 0,
    `exit ${refused.exitCode}, ${sandbox.requests.length} requests`,
  );
  const created = await proc(create, true);
  report(
    'a create',
    created.exitCode === 0 && writes() === 1,
    `${writes()} POST, ${created.ms} ms`,
  );
  const read = await proc(['items', 'list', '-o', 'id'], true);
  report('a read, remembered', read.exitCode === 0, `exit ${read.exitCode}, ${read.ms} ms`);
  const rows = Array.from({ length: ROWS }, (_, n) => ({ code: `P-${n}`, name: `Bolt ${n}` }));
  await writeFile(join(folder, 'items.json'), JSON.stringify(rows));
  const before = writes();
  const imported = await proc(['items', 'import', 'items.json', '--yes', '-e', 'x'], true);
  report(
    `an import of ${ROWS} rows`,
    imported.exitCode === 0 && writes() - before === ROWS,
    `exit ${imported.exitCode}, ${writes() - before} POST, ${(imported.ms / 1000).toFixed(1)} s`,
  );
  const examined = await proc(['doctor', '--quick', '-q', "[?check=='tls'].finding | [0]"], true);
  report('doctor', /mitmproxy/.test(examined.stdout), examined.stdout);
} finally {
  mitmproxy.kill();
  await once(mitmproxy, 'exit');
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = isWrong ? 1 : 0;

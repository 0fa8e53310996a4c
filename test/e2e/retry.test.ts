import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from '../support/certificates.ts';
import { http, type Responder, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, openWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

/** Whether the same command may run again; a program acts on it, so it is true for each cause. */
let world: World & AsyncDisposable;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const LIST = 'orders list --retries 0';
const CREATE = 'items create --name Bolt --yes --retries 0';
const answers =
  (...response: Parameters<typeof http>): Responder =>
  (socket) =>
    socket.end(http(...response));

describe('an answer of the service', () => {
  it.each<[cause: string, command: string, respond: Responder, code: string, retry: string]>([
    ['401', LIST, answers(401, '{}'), 'unauthorized', 'never'],
    ['403', LIST, answers(403, '{}'), 'forbidden', 'never'],
    ['404', 'sectors get id=x', answers(404, '{}'), 'not_found', 'never'],
    ['422', CREATE, answers(422, '{}'), 'refused', 'never'],
    ['500 to a read', LIST, answers(500, '{}'), 'service_failed', 'later'],
    ['500 to a create', CREATE, answers(500, '{}'), 'outcome_unknown', 'after-check'],
    ['429', CREATE, answers(429, '{}'), 'throttled', 'later'],
    ['a page, at a wrong address', LIST, answers(200, '<html>'), 'undecodable', 'after-check'],
    ['none', `${LIST} --timeout 0.3`, () => undefined, 'timed_out', 'later'],
  ])('%s', async (_, command, respond, code, retry) => {
    await using service = await startHostile(respond);
    const ran = await world.run(command.split(' '), { env: targetOf(service) });
    expect(errorOf(ran)).toMatchObject({ code, retry });
  });

  it('a certificate that is not trusted: never; nothing listens: later', async () => {
    const tls = await makeCertificates(world.folder, ['IP:127.0.0.1']);
    await using service = await startHostile(() => undefined, { tls });
    const env = targetOf(service);
    const untrusted = errorOf(await world.run(LIST.split(' '), { env }));
    expect(untrusted).toMatchObject({ code: 'unreachable', retry: 'never' });
    await service.close();
    const gone = errorOf(await world.run(LIST.split(' '), { env }));
    expect(gone).toMatchObject({ code: 'unreachable', retry: 'later' });
  });
});

describe('a cause on this machine', () => {
  it.each<[line: string, code: string, retry: string, env?: Record<string, string>]>([
    ['orders list --where stauts=x', 'invalid_usage', 'never'],
    ['orders list', 'no_target', 'never', { PROC_BASE_URL: '' }],
    ['orders list', 'no_credential', 'never', { PROC_API_KEY: '' }],
    ['sectors delete sec-1', 'confirmation_required', 'never'],
    [CREATE, 'read_only', 'never', { PROC_READ_ONLY: '1' }],
    [CREATE, 'ledger_unreachable', 'later', { PROC_LEDGER: 'postgres://a@127.0.0.1:1/b' }],
    ['items import no.csv', 'invalid_input', 'never'],
    ['imputations import rows.csv --yes', 'no_ledger', 'after-check'],
    [
      'items import rows.csv --map code=reference --map name=account --yes',
      'rows_rejected',
      'never',
    ],
    ['orders list > /dev/full', 'unwritable_output', 'later'],
    ['orders list --out /nowhere/x.csv', 'unwritable_output', 'never'],
    ['orders list >&-', 'unwritable_output', 'never'],
    ['items create --name Nut > /dev/full', 'undelivered', 'after-check'],
  ])('%s: %s %s', async (line, code, retry, env = {}) => {
    const { baseUrl } = await startTestSandbox();
    await world.file('rows.csv', 'reference,account,amount\n#N/A,a,1\nR-2,b,2\n');
    const given = { PROC_BASE_URL: baseUrl, PROC_LEDGER_LOOPBACK: '1', ...env };
    const ran = await world.shell(`"$NODE" "$PROC" ${line}`, { env: given });
    expect(errorOf(ran)).toMatchObject({ code, retry });
  });

  it('a create that was sent a minute ago: after-check', async () => {
    const { baseUrl } = await startTestSandbox();
    const env = { PROC_BASE_URL: baseUrl };
    const create = 'imputations create --account a --amount 1'.split(' ');
    await world.run(create, { env });
    const again = errorOf(await world.run(create, { env }));
    expect(again).toMatchObject({ code: 'repeated_write', retry: 'after-check' });
  });

  it('a credential command that fails: after-check', async () => {
    const { baseUrl } = await startTestSandbox();
    await using own = await openWorld();
    const run = (line: string) => own.run(line.split(' '), { env: { PROC_API_KEY: undefined } });
    await run(`profile add acme -e test --base-url ${baseUrl}`);
    await run('profile set acme -e test credentialCommand=false');
    const failed = errorOf(await run('orders list -p acme -e test'));
    expect(failed).toMatchObject({ code: 'credential_command', retry: 'after-check' });
  });

  it('a ledger that another process has locked: later', async () => {
    await using own = await openWorld();
    const { baseUrl } = await startTestSandbox();
    const env = { PROC_BASE_URL: baseUrl };
    expect((await own.run(CREATE.split(' '), { env })).exitCode).toBe(0);
    using ledger = new DatabaseSync(`${own.stateDir}/ledger.db`);
    ledger.exec('BEGIN IMMEDIATE');
    const locked = errorOf(await own.run([...CREATE.split(' '), '--again'], { env }));
    expect(locked).toMatchObject({ code: 'busy', retry: 'later' });
  });
});

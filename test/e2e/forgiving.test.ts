import { describe, expect, it } from 'vitest';
import { http, startHostile, targetOf } from '../support/hostile-service.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { startTerminal } from '../support/terminal.ts';

async function place() {
  const { baseUrl } = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: baseUrl, TZ: 'UTC' });
  return { world, run: (words: string) => world.run(words.split(' ')) };
}

describe('an order', () => {
  it('is found by a part of its title, whatever the case', async () => {
    const { run } = await place();
    const found = JSON.parse((await run('orders list litware')).stdout) as { title: string }[];
    expect(found.length).toBeGreaterThan(0);
    for (const { title } of found) expect(title).toContain('Litware');
    expect((await run('orders list litwear -o table')).stderr).toContain('"litwear": 0 of');
  });

  it('is filtered by a status of any case', async () => {
    const { run } = await place();
    const upper = await run('orders list --status COMPLETE --limit 5 -o id');
    expect(upper.stdout).toBe((await run('orders list --status complete --limit 5 -o id')).stdout);
    expect(upper.stdout).not.toBe('');
  });
});

describe('requisition create', () => {
  const body = (stdout: string) => (JSON.parse(stdout) as { body: unknown }).body;

  it('takes CODE=QTY, --pickup and --deliver-to', async () => {
    const { run } = await place();
    const id = (await run('items create --code AR-5381 --name Race -o id')).stdout.trim();
    const lines = [{ itemId: id, quantity: 4 }];
    const create = 'requisition create --title T --item AR-5381=4 --dry-run -o json';
    expect(body((await run(`${create} --pickup`)).stdout)).toMatchObject({
      groups: [{ deliveryMethod: 'pickup', items: lines }],
    });
    expect(body((await run(`${create} --deliver-to adr-1`)).stdout)).toMatchObject({
      groups: [{ deliveryMethod: 'delivery', addressId: 'adr-1', items: lines }],
    });
    const both = errorOf(await run(`${create} --pickup --deliver-to adr-1`));
    expect(both).toMatchObject({ code: 'invalid_usage' });
  });
});

describe('an imputation', () => {
  it('takes the currency of its order, and says so', async () => {
    const { run } = await place();
    const create = 'imputations create --order PO-00042 --amount 12 --account 6100';
    const ran = await run(`${create} -o json`);
    expect(JSON.parse(ran.stdout)).toMatchObject({ amount: 12, currency: 'USD' });
    const name = 'PO-00042 "Inline Accessories"';
    expect(jsonLines(ran.stderr)).toContainEqual({
      notice: `The amount is in USD, the currency of ${name}.`,
    });
    const [entry] = JSON.parse((await run('history list --limit 1 -o json')).stdout);
    expect(entry.what).toBe(`create an imputation of 12 USD on account 6100 for ${name}`);
    const other = await run(`${create} --currency EUR --dry-run -o json`);
    expect(jsonLines(other.stderr)).toContainEqual({ warning: `${name} is in USD, not in EUR` });
  });

  it('is asked for on a terminal without flags, until the order is found, and confirmed', async () => {
    const { world } = await place();
    const terminal = startTerminal(world, ['imputations', 'create']);
    await terminal.waitFor('Amount, e.g. 222.15');
    terminal.type('12\r');
    await terminal.waitFor('Order: code or id');
    terminal.type('PO-99999\r');
    await terminal.waitFor('no order has the code or id "PO-99999"');
    await terminal.waitFor('Order: code or id');
    terminal.type('PO-00042\r');
    await terminal.waitFor('Account to charge');
    terminal.type('6100\r');
    await terminal.waitFor('Your reference');
    terminal.type('\r');
    await terminal.waitFor('Create an imputation of 12 USD on account 6100 for PO-00042 "');
    await terminal.waitFor('(y/N)');
    terminal.type('y\r');
    await terminal.waitFor('Created an imputation of 12 USD on account 6100 for PO-00042');
    expect(await terminal.exited).toBe(0);
  });
});

it('an item is asked for on a terminal without flags', async () => {
  const { world } = await place();
  const terminal = startTerminal(world, ['items', 'create']);
  await terminal.waitFor('Name of the new item');
  terminal.type('Bolt\r');
  await terminal.waitFor('Code of the new item');
  terminal.type('HB-1\r');
  await terminal.waitFor('Unit of measure');
  terminal.type('\r');
  await terminal.waitFor('Nothing can undo this.');
  await terminal.waitFor('Create item "Bolt" on');
  await terminal.waitFor('(y/N)');
  terminal.type('y\r');
  await terminal.waitFor('Created item "Bolt"');
  expect(await terminal.exited).toBe(0);
});

it('a name in a question is one line without control characters, and not too long', async () => {
  const name = `Bikes\n\u001b[2J${'x'.repeat(5_000)}`;
  const sector = JSON.stringify({ id: 'sec-1', key: 'bikes', name });
  await using service = await startHostile((socket, { line }) => {
    socket.write(http(200, line.includes('/sectors/sec-1') ? sector : `[${sector}]`));
  });
  const world = await freshWorld(targetOf(service));
  const terminal = startTerminal(world, ['sectors', 'delete', 'bikes']);
  await terminal.waitFor('Delete sector bikes');
  await terminal.waitFor('(y/N)');
  const question = terminal.text().slice(terminal.text().lastIndexOf('Delete sector bikes'));
  expect(question).toContain('Bikes\\n\\u001b[2Jxxx');
  expect(question.length).toBeLessThan(400);
  terminal.type('n\r');
  expect(await terminal.exited).toBe(2);
});

import { describe, expect, it } from 'vitest';
import { freshWorld } from '../support/run.ts';
import { itemService } from './import-service.ts';

const numbered = (form: (number: number) => string) =>
  Array.from({ length: 24 }, (_, at) => form(at + 1));

/** How a service changes codes, and codes that show it. */
const HABITS: Readonly<Record<string, [(code: string) => string, readonly string[]]>> = {
  'upper case': [(code) => code.toUpperCase(), numbered((n) => `ab-${n}x`)],
  'lower case': [(code) => code.toLowerCase(), numbered((n) => `AB-${n}X`)],
  'the form NFC': [(code) => code.normalize('NFC'), numbered((n) => `ca\u0301-${n}`)],
  'with plain dashes': [(code) => code.replaceAll('\u2013', '-'), numbered((n) => `A\u2013${n}`)],
  'in upper case with plain dashes': [
    (code) => code.toUpperCase().replaceAll('\u2013', '-'),
    numbered((n) => `ab\u2013${n}x`),
  ],
};

async function shopOf(
  store: (code: string) => string,
  existing: readonly string[],
  lost = '',
  others: readonly string[] = [],
) {
  const service = await itemService(
    (code, nth) => (code === lost && nth < 30 ? { reset: true, stored: true } : undefined),
    undefined,
    store,
  );
  for (const [at, code] of existing.entries()) {
    service.items.push({ id: `old-${at}`, code: store(code), name: `Old ${code}` });
  }
  for (const code of others) service.items.push({ id: `id-${code}`, code, name: 'Other' });
  const world = await freshWorld(service.target);
  const importing = async (codes: readonly string[], more: readonly string[] = []) => {
    await world.file(
      'items.ndjson',
      codes.map((code) => JSON.stringify({ code, name: `Row ${code}` })).join('\n'),
    );
    return await world.run([
      ...['items', 'import', 'items.ndjson', '--yes', ...more],
      ...['PROC_SETTLE=300ms'],
    ]);
  };
  const doubled = () => service.items.length - new Set(service.items.map(({ code }) => code)).size;
  return { service, world, importing, doubled };
}

describe.each(Object.entries(HABITS))('a service that stores codes %s', (_, [store, codes]) => {
  it('creates none that exists in that form: pending rows are compared in it', async () => {
    const existing = codes.filter((_code, at) => at % 3 === 1);
    const shop = await shopOf(store, existing);
    await using _service = shop.service;
    const ran = await shop.importing(codes);
    expect(shop.doubled(), ran.stderr).toBe(0);
    expect(ran.exitCode).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 16, existing: 8, unconfirmed: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      verified: true,
      codesChanged: { sent: codes[0], stored: store(codes[0]!) },
    });
    expect(ran.stderr).toContain(`it stored ${codes[0]} as ${store(codes[0]!)}`);
  });

  it('stops a run (10) whose first record meets an existing one, and the resumed run doubles no other', async () => {
    const shop = await shopOf(store, [codes[0]!, codes[5]!, codes[6]!]);
    await using _service = shop.service;
    const ran = await shop.importing(codes);
    expect(ran.exitCode).toBe(10);
    expect(ran.stderr).toContain(`created ${codes[0]} as ${store(codes[0]!)}, the code of old-0`);
    expect(shop.service.creates()).toBe(1);
    const resumed = await shop.world.run(['imports', 'resume', '--yes']);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ created: 22, existing: 2 });
    expect(shop.doubled()).toBe(1);
  });

  it('shows a row whose response was lost under the stored code', async () => {
    const shop = await shopOf(store, [], codes[9]);
    await using _service = shop.service;
    const ran = await shop.importing(codes);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 24, unconfirmed: 0 });
    expect(shop.service.creates()).toBe(24);
  });
});

/** A list that is long enough to be searched for a few codes. */
const LONG = Array.from({ length: 7_000 }, (_, at) => `M-${99_999 - at}`);

it.each(Object.entries(HABITS).filter(([name]) => name === 'upper case'))(
  'a long list that is searched: a service that stores codes %s doubles none but the first',
  async (_, [store, codes]) => {
    const some = codes.slice(0, 2);
    const shop = await shopOf(store, some.slice(1), '', LONG);
    await using _service = shop.service;
    const before = shop.service.items.length;
    const dry = await shop.importing(some, ['--dry-run']);
    expect(dry.exitCode, dry.stderr).toBe(0);
    // To read the list, proc would request each of its 70 pages with the last row of the page before.
    const read = shop.service.requests.filter(({ line }) =>
      /offset=(99|198|297|396|495|594|693|792|891|990)&/.test(line),
    );
    expect(read.length).toBeLessThan(5);
    const ran = await shop.importing(some);
    expect(shop.service.items.length - before, ran.stderr).toBe(1);
    expect(shop.doubled(), ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 1, existing: 1, unconfirmed: 0 });
    // The first record meets an existing one: the run stops.
    const met = await shopOf(store, [some[0]!], '', LONG);
    await using _met = met.service;
    const stopped = await met.importing(some);
    expect(stopped.exitCode, stopped.stderr).toBe(10);
    expect(stopped.stderr).toContain('the code of old-0');
    expect(met.service.creates()).toBe(1);
    const resumed = await met.world.run(['imports', 'resume', '--yes']);
    expect(JSON.parse(resumed.stdout), resumed.stderr).toMatchObject({ created: 2 });
    expect(met.doubled()).toBe(1);
  },
);

it('what this machine has created shows how codes are stored, before anything is sent', async () => {
  for (const long of [[], LONG]) {
    const shop = await shopOf((code) => code.toUpperCase(), [], '', long);
    await using _ = shop.service;
    expect((await shop.importing(['ab-1', 'ab-2'])).exitCode).toBe(0);
    // Somebody else has created the third one.
    shop.service.items.push({ id: 'other', code: 'AB-3', name: 'Other' });
    const again = await shop.importing(['ab-3', 'ab-2', 'ab-1', 'ab-4']);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 1, existing: 3 });
    expect(shop.doubled()).toBe(0);
  }
});

it('--on-existing fail stops a run that would send codes that exist in the stored form', async () => {
  const shop = await shopOf((code) => code.toUpperCase(), ['ab-2']);
  await using _ = shop.service;
  const more = ['--on-existing', 'fail'];
  const ran = await shop.importing(['ab-1', 'ab-2', 'ab-3'], more);
  expect(ran.exitCode, ran.stderr).toBe(10);
  expect(ran.stderr).toContain('1 pending row exists in that form');
  expect(shop.doubled()).toBe(0);
});

it('a resumed run finds what others created meanwhile in the stored form', async () => {
  const shop = await shopOf((code) => code.toUpperCase(), ['ab-1']);
  await using _ = shop.service;
  const ran = await shop.importing(['ab-1', 'ab-2', 'ab-3']);
  expect(ran.exitCode, ran.stderr).toBe(10);
  shop.service.items.push({ id: 'other', code: 'AB-3', name: 'Other' });
  const resumed = await shop.world.run(['imports', 'resume', '--yes']);
  expect(JSON.parse(resumed.stdout), resumed.stderr).toMatchObject({ created: 2, existing: 1 });
  // Only the first row, which showed it.
  expect(shop.doubled()).toBe(1);
});

it('two rows that the service stores under one code are created once', async () => {
  const shop = await shopOf((code) => code.toUpperCase(), []);
  await using _ = shop.service;
  const ran = await shop.importing(['x-1', 'ab-1', 'AB-1', 'ab-2']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 3, duplicates: 1 });
  expect(shop.doubled()).toBe(0);
});

it.each<[how: string, code: string, stored: string]>([
  ['other codes', 'A-1', 'Z-9'],
  ['codes without dashes', 'A-1', 'A1'],
  ['codes without zeros', '007', '7'],
  ['codes with a prefix', 'A-1', 'ACME/A-1'],
])('a service that stores %s stops the run at its first response', async (_, code, stored) => {
  const service = await itemService((sent) => ({ body: { id: `i-${sent}`, code: stored } }));
  await using _service = service;
  const world = await freshWorld(service.target);
  await world.file('items.csv', `code,name\n${code},Bolt\nA-2,Nut\nA-3,Washer\n`);
  const ran = await world.run(['items', 'import', 'items.csv', '--yes', 'PROC_SETTLE=300ms']);
  expect(service.creates()).toBe(1);
  expect(ran).toMatchObject({ exitCode: 10 });
  expect(ran.stderr).toContain(
    `the service stores codes differently: ${code} was sent, ${stored} is stored. Change the file`,
  );
  // A script that follows the hint must not send a row with each resume.
  for (let again = 0; again < 3; again++) {
    const resumed = await world.run(['imports', 'resume', '--yes']);
    expect(resumed.exitCode, resumed.stderr).toBe(2);
    expect(resumed.stderr).toContain('imports resolve');
  }
  expect(service.creates()).toBe(1);
});

it('a response with the id of a row of the same batch makes both unconfirmed, and both are found', async () => {
  const service = await itemService((code, nth) =>
    nth % 5 === 0 ? { body: { id: `i-${nth - 1}`, code, name: `Row ${code}` } } : undefined,
  );
  await using _ = service;
  const world = await freshWorld(service.target);
  await world.file('items.csv', `code,name\n${numbered((n) => `A-${n},Row A-${n}\n`).join('')}`);
  const ran = await world.run(['items', 'import', 'items.csv', '--yes', 'PROC_SETTLE=300ms']);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ created: 24, verified: true });
  expect(service.creates()).toBe(24);
});

it('rows that were rejected are held against the list after the run', async () => {
  const service = await itemService((code) =>
    code === 'A-2' || code === 'A-4' ? { status: 400, stored: code === 'A-4' } : undefined,
  );
  await using _ = service;
  const world = await freshWorld(service.target);
  await world.file('items.csv', 'code,name\nA-1,Bolt\nA-2,Nut\nA-3,Washer\nA-4,Screw\n');
  const ran = await world.run(['items', 'import', 'items.csv', '--yes']);
  expect(ran.exitCode).toBe(8);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    created: 2,
    rejected: 2,
    rejectedButListed: [{ code: 'A-4', id: 'i-3' }],
  });
  expect(ran.stderr).toContain('rejected, but the list has it: A-4 (i-3)');
  const again = await world.run(['items', 'import', 'items.rejected.csv', '--yes']);
  expect(JSON.parse(again.stdout)).toMatchObject({ existing: 1 });
  expect(service.codes()).toEqual(['A-1', 'A-3', 'A-4']);
});

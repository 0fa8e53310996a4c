import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runHere } from '../support/in-process.ts';
import { type Lists, startReferenceService } from '../support/reference-service.ts';
import { errorOf } from '../support/run.ts';

let service: Awaited<ReturnType<typeof startReferenceService>>;
let folder: string;

beforeAll(async () => {
  service = await startReferenceService();
  folder = await mkdtemp(join(tmpdir(), 'proc-refs-'));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  service.state.lists = 'whole';
  service.writes.length = 0;
  service.reads.length = 0;
  service.gone.clear();
});

const env = () => ({
  PATH: process.env.PATH,
  HOME: folder,
  PROC_CONFIG_DIR: join(folder, 'config'),
  PROC_STATE_DIR: join(folder, 'state'),
  PROC_BASE_URL: service.baseUrl,
});
const proc = (...args: string[]) => runHere(args, env());
const lists = () => service.reads.filter((path) => /\/(orders|items|sectors)\/(\?|$)/.test(path));

type Args = readonly string[];

const PLACES = {
  order: (ref: string): Args => ['imputations', 'create', '--order', ref, '--amount', '1'],
  item: (ref: string): Args => [
    ...['requisition', 'item', 'add', 'r1', 'g1', '--item', ref, '--quantity', '1'],
  ],
  line: (ref: string): Args => [
    ...['requisition', 'create', '--title', 'T', '--group', 'name=G,delivery=pickup'],
    ...['--item', `${ref},quantity=2`],
  ],
  patch: (ref: string): Args => ['sectors', 'patch', ref, '--description', 'D'],
  delete: (ref: string): Args => ['sectors', 'delete', ref, '--yes'],
  address: (ref: string): Args => ['addresses', 'patch', ref, '--city', 'Q'],
  gone: (ref: string): Args => ['addresses', 'delete', ref, '--yes'],
  group: (ref: string): Args => ['requisition', 'group', 'add', 'r1', '--address', ref],
  pairs: (ref: string): Args => [
    ...['requisition', 'create', '--title', 'T', '--item', 'id=i,quantity=1'],
    ...['--group', `delivery=delivery,address=${ref}`],
  ],
};
type Place = keyof typeof PLACES;
/** Places whose command creates a record, and so takes `--again`. */
const CREATING: readonly Place[] = ['order', 'item', 'line', 'group', 'pairs'];

/** Place, reference, kind of list, and a part of the sent write. After a failure: error code and hint. */
const TABLE: ReadonlyArray<readonly [Place, string, Lists, string | readonly [string, RegExp?]]> = [
  ['order', 'PO-1', 'whole', '"orderId":"po-1"'],
  ['order', 'X', 'whole', ['ambiguous_reference', /id=X or code=X/]],
  ['order', 'none', 'whole', '"orderId":"none"'],
  ['order', 'key=X', 'whole', ['invalid_usage', /id=…, code=…/]],
  ['order', 'id=po-1', 'failing', '"orderId":"po-1"'],
  ['order', 'PO-1', 'failing', ['not_found', /id=…/]],
  ['order', 'code=PO-1', 'unverified', '"orderId":"po-1"'],
  ['order', 'PO-1', 'unverified', ['incomplete', /code=PO-1/]],
  ['order', 'code=none', 'unverified', ['incomplete', /doctor/]],
  ['item', 'Race', 'whole', '"itemId":"itm-1"'],
  ['item', 'id=X', 'failing', '"itemId":"X"'],
  ['item', 'name=Twin', 'whole', ['ambiguous_reference', /id=itm-4 or id=itm-5/]],
  ['item', 'code=X', 'unverified', '"itemId":"itm-3"'],
  ['line', 'id=X', 'failing', '"itemId":"X"'],
  ['line', 'name=Race', 'whole', '"itemId":"itm-1"'],
  ['line', 'code=none', 'whole', ['reference_not_found', /--new-item name=…,code=none/]],
  ['line', 'code=none', 'unverified', ['incomplete']],
  ['patch', 'ROAD', 'whole', '/sectors/sec-1'],
  ['patch', 'key=X', 'whole', '/sectors/sec-3'],
  ['patch', 'X', 'whole', ['ambiguous_reference', /id=X or key=X/]],
  ['patch', 'sec-1', 'failing', ['not_found', /id=…/]],
  ['patch', 'name=none', 'whole', ['reference_not_found']],
  ['delete', 'X', 'whole', ['ambiguous_reference']],
  ['delete', 'id=sec-1', 'failing', '/sectors/sec-1'],
  ['address', 'adr-1', 'whole', '/addresses/adr-1'],
  ['address', 'code=adr-1', 'whole', ['invalid_usage']],
  ['gone', 'id=adr-1', 'whole', '/addresses/adr-1'],
  ['group', 'id=adr-1', 'whole', '"addressId":"adr-1"'],
  ['pairs', 'adr-1', 'whole', '"addressId":"adr-1"'],
];

describe.each(TABLE)('%s %s, lists %s', (place, ref, kind, expected) => {
  it('means one record, or is refused with the ways to name a single record', async () => {
    service.state.lists = kind;
    const ran = await proc(...PLACES[place](ref), ...(CREATING.includes(place) ? ['--again'] : []));
    if (typeof expected === 'string') {
      expect(ran).toMatchObject({ exitCode: 0 });
      expect(service.writes).toHaveLength(1);
      expect(service.writes[0]!.path + service.writes[0]!.body).toContain(expected);
    } else {
      expect(service.writes).toEqual([]);
      const error = errorOf(ran);
      expect(error.code).toBe(expected[0]);
      expect(error.hint ?? '').toMatch(expected[1] ?? /^/);
    }
    if (ref.startsWith('id=')) expect(lists()).toEqual([]);
  });
});

describe('reading', () => {
  it.each([
    ['orders get id=X', { id: 'X' }],
    ['orders get code=X', { id: 'po-3' }],
    ['orders get X', 'ambiguous_reference'],
    ['orders get code=none', 'not_found'],
    ['sectors get X', 'ambiguous_reference'],
    ['sectors get key=X', { id: 'sec-3' }],
    ['sectors get none', 'not_found'],
  ])('%s', async (line, expected) => {
    const ran = await proc(...line.split(' '));
    if (typeof expected === 'string') expect(errorOf(ran).code).toBe(expected);
    else expect(JSON.parse(ran.stdout)).toMatchObject(expected);
  });

  it('an incomplete list prints its rows, and does not claim that others are missing', async () => {
    service.state.lists = 'unverified';
    expect(JSON.parse((await proc('orders', 'get', 'PO-1')).stdout)).toMatchObject({ id: 'po-1' });
    expect(errorOf(await proc('orders', 'get', 'PO-9'))).toMatchObject({ exitCode: 10 });
  });
});

it('an import stops before its first row if nothing proves what its references mean; the hint works as typed', async () => {
  service.state.lists = 'unverified';
  const file = join(folder, 'i.csv');
  await writeFile(file, 'PO,account,amount\nPO-1,a,1\nPO-2,a,2\n');
  const line = ['imputations', 'import', file, '--first-run', '--yes', '--map'];
  const { hint, ...error } = errorOf(await proc(...line, 'order=PO'));
  const details = { references: ['PO-1', 'PO-2'] };
  expect(error).toMatchObject({ code: 'catalogue_unverified', exitCode: 2, details });
  expect(service.writes).toEqual([]);
  const [, map] = /--map '(.*)'$/.exec(hint ?? '') ?? [];
  expect((await proc(...line, map!)).exitCode).toBe(0);
  expect(service.writes).toHaveLength(2);
});

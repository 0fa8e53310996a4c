import { describe, expect, it } from 'vitest';
import { examine } from '../support/doctor.ts';
import { raw } from '../support/raw-http.ts';
import { freshWorld } from '../support/run.ts';
import { behaving, startTestSandbox } from '../support/sandbox.ts';

const NAMES = ['Washer', 'bolt', 'Ángulo', 'nut', 'Zip tie', 'adapter', 'Ösen', 'screw'];

async function here(dialect: string, items: number) {
  const sandbox = await startTestSandbox(behaving(dialect));
  for (const [index, name] of NAMES.slice(0, items).entries()) {
    const body = { name, code: `C-${(index * 5) % 8}` };
    await raw(sandbox.baseUrl, 'POST', '/items/', { body });
  }
  return freshWorld({ PROC_BASE_URL: sandbox.baseUrl });
}

function both(limit: string, position: string, sort: string, dir: string) {
  return {
    ...of('orders', limit, position, sort, dir),
    ...of('items', limit, position, sort, dir),
  };
}

function of(noun: string, limit: string, position: string, sort: string, dir: string) {
  return {
    [`${noun} limit`]: limit,
    [`${noun} offset or page`]: position,
    [`${noun} sort`]: sort,
    [`${noun} direction`]: dir,
  };
}

const SORTING = {
  'orders sort': 'sort',
  'orders direction': 'dir',
  'items sort': 'sort',
  'items direction': 'dir',
};

const DIALECTS: ReadonlyArray<readonly [string, string, Readonly<Record<string, string>>]> = [
  ['the default', '', both('limit', 'offset', 'sort', 'dir')],
  [
    'other names',
    'limit=pageSize,offset=skip,sort=orderBy,dir=direction',
    both('pageSize', 'skip', 'orderBy', 'direction'),
  ],
  [
    'names that mean another thing elsewhere',
    'limit=first,offset=start,sort=order,dir=sort',
    both('first', 'start', 'order', 'sort'),
  ],
  ['an offset that is called page', 'offset=page', both('limit', 'page', 'sort', 'dir')],
  [
    'a page that is called offset',
    'page=offset,pageBase=0',
    both('limit', 'offset from 0', 'sort', 'dir'),
  ],
  ['pages from 0', 'limit=size,page=page,pageBase=0', both('size', 'page from 0', 'sort', 'dir')],
  ['pages from 1', 'limit=per_page,page=page', both('per_page', 'page from 1', 'sort', 'dir')],
  [
    'unknown names refused',
    'unknown=refuse,limit=top,offset=$skip',
    both('top', '$skip', 'sort', 'dir'),
  ],
  [
    'unknown names refused, pages',
    'unknown=refuse,page=p,pageBase=0,sort=sort_by,dir=sort_dir',
    both('limit', 'p from 0', 'sort_by', 'sort_dir'),
  ],
  ['unknown names ignored', 'unknown=ignore,limit=take', both('take', 'offset', 'sort', 'dir')],
  [
    'different names for each list',
    'orders.limit=max,orders.page=pageNo,items.limit=count,items.sort=sortField',
    {
      ...of('orders', 'max', 'pageNo from 1', 'sort', 'dir'),
      ...of('items', 'count', 'offset', 'sortField', 'dir'),
    },
  ],
  ['no paging', 'paging=none', { ...SORTING, 'orders paging': 'none' }],
  [
    'no paging, unknown names refused',
    'paging=none,unknown=refuse',
    { ...SORTING, 'orders paging': 'none' },
  ],
  ['text without case', 'collation=nocase', both('limit', 'offset', 'sort', 'dir')],
  ['text without accents', 'collation=unaccented', both('limit', 'offset', 'sort', 'dir')],
  [
    'names of sorting that nobody knows',
    'sort=columna,dir=sentido',
    {
      'orders limit': 'limit',
      'orders offset or page': 'offset',
      'items limit': 'limit',
      'items offset or page': 'offset',
    },
  ],
  ['no name that anybody knows', 'limit=l1,offset=o1,sort=s1,dir=d1', {}],
  ['no name that anybody knows, refused', 'limit=l1,offset=o1,sort=s1,dir=d1,unknown=refuse', {}],
];

describe('proc doctor claims only what is true', () => {
  it.each(DIALECTS)('%s', async (_, dialect, truth) => {
    const world = await here(dialect, 8);
    const { claims, exitCode, checks } = await examine(world.env);
    expect(claims).toEqual(truth);
    expect(exitCode).toBe(0);
    for (const { status, evidence, check } of checks) {
      if (status !== 'unknown' && check in truth) expect(evidence.length).toBeGreaterThan(0);
    }
  });

  it.each(DIALECTS)('%s, configured beforehand', async (_, dialect, truth) => {
    const words = dialect
      .split(',')
      .filter((word) => word !== '' && !/^(unknown|collation)=/.test(word))
      .join(',');
    const world = await here(dialect, 8);
    const { claims, checks } = await examine({ ...world.env, PROC_DIALECT: words });
    for (const [check, name] of Object.entries(truth)) expect(claims[check]).toBe(name);
    // If the configured dialect has other names than the candidates, doctor detects them too.
    if (dialect.startsWith('limit=l1')) expect(Object.values(claims)).toHaveLength(8);
    expect(checks.filter(({ status }) => status === 'warning')).toEqual([]);
  });
});

describe('proc doctor reports what it cannot determine', () => {
  it.each([
    ['', 0, 'empty'],
    ['unknown=refuse,limit=size', 0, 'empty'],
    ['', 1, 'single row'],
  ])('with the dialect %j and %i items', async (dialect, items, said) => {
    const world = await here(dialect, items);
    const { claims, at } = await examine(world.env);
    expect(claims).not.toHaveProperty('items limit');
    expect(claims).not.toHaveProperty('items offset or page');
    expect(at('items limit').status).toBe('unknown');
    expect(at('items limit').finding).toContain(said);
    expect(at('items sort').finding).toBe('sort: accepts the documented fields and refuses others');
  });

  it('with two and three items', async () => {
    const two = await examine((await here('page=page,pageBase=0', 2)).env);
    expect(two.claims['items limit']).toBe('limit');
    expect(two.at('items offset or page').finding).toContain('proc needs three rows');
    const three = await examine((await here('page=page,pageBase=0', 3)).env);
    expect(three.claims['items offset or page']).toBe('page from 0');
  });
});

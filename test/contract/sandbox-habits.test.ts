import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BEHAVIOURS } from '../../src/sandbox/faults/behaviour.ts';
import { type RawResponse, raw } from '../support/raw-http.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function service(habits: string) {
  const { baseUrl } = await startTestSandbox({ empty: true, habits });
  const ask = async (method: string, path: string, body?: unknown): Promise<RawResponse> =>
    raw(baseUrl, method, path, body === undefined ? {} : { body });
  return {
    ask,
    create: (code: string) => ask('POST', '/items/', { name: `Item ${code}`, code }),
    codes: async (query = '') =>
      (JSON.parse((await ask('GET', `/items/${query}`)).text) as { code: string }[]).map(
        ({ code }) => code,
      ),
  };
}

describe('the sandbox stores codes', () => {
  it.each([
    ['upper', 'ab-1', 'AB-1'],
    ['lower', 'AB-1', 'ab-1'],
    ['trim', ' AB 1 ', 'AB 1'],
    ['plain-dashes', 'AB–1', 'AB-1'],
    ['no-dashes', 'AB-1–2', 'AB12'],
    ['no-zeros', '00AB-01', 'AB-01'],
    ['nfc', 'A\u0301', 'Á'],
    ['nfd', 'Á', 'A\u0301'],
    ['nfkc', 'ﬁ①', 'fi1'],
    ['cut=3', 'AB-1', 'AB-'],
    ['upper,trim', ' ab ', 'AB'],
    ['no-dashes,cut=3', 'A-B-C-D', 'ABC'],
  ])('with %s, %j as %j', async (habits, sent, stored) => {
    const { create, codes } = await service(habits);
    expect(JSON.parse((await create(sent)).text)).toMatchObject({ code: stored });
    expect(await codes()).toEqual([stored]);
  });

  it('with unique, refuses a second one, also if it differs only before it is stored', async () => {
    const { create, codes } = await service('unique,upper');
    expect((await create('ab')).status).toBe(201);
    expect((await create('AB')).status).toBe(409);
    expect(await codes()).toEqual(['AB']);
    const nocase = await service('unique,collation=nocase');
    await nocase.create('ab');
    expect((await nocase.create('AB')).status).toBe(409);
  });

  it('with same-id, answers a second create with the first record', async () => {
    const { create, codes } = await service('same-id');
    const [first, second] = [await create('ab'), await create('ab')];
    expect(JSON.parse(second.text)).toEqual(JSON.parse(first.text));
    expect(await codes()).toEqual(['ab']);
  });

  it('with max, refuses longer ones', async () => {
    const { create } = await service('max=3');
    expect((await create('ABC')).status).toBe(201);
    expect((await create('ABCD')).status).toBe(400);
  });
});

describe('the sandbox answers', () => {
  it('a create with the id only, if it is bare', async () => {
    const { create, codes } = await service('bare');
    expect(JSON.parse((await create('A')).text)).toEqual({ id: 'itm-1' });
    expect(await codes()).toEqual(['A']);
  });

  it('with the newest record first', async () => {
    const { create, codes } = await service('newest-first');
    for (const code of ['A', 'C', 'B']) await create(code);
    expect(await codes()).toEqual(['B', 'C', 'A']);
    expect(await codes('?sort=code')).toEqual(['A', 'B', 'C']);
  });

  it('a list with new records only after the lag', async () => {
    const slow = await service('lag=500s');
    await slow.create('A');
    expect(await slow.codes()).toEqual([]);
    const fast = await service('lag=50ms');
    await fast.create('A');
    await expect.poll(() => fast.codes(), { timeout: 10_000 }).toEqual(['A']);
  });

  it.each([
    ['delete=204', 204, 404],
    ['delete=200', 200, 404],
    ['delete=202', 202, 404],
    ['delete=kept', 204, 200],
  ])('a delete as %s says', async (habits, status, after) => {
    const { ask } = await service(habits);
    const { requisitionId } = JSON.parse(
      (
        await ask('POST', '/requisitions/', {
          title: 'R',
          groups: [{ deliveryMethod: 'pickup', items: [] }],
        })
      ).text,
    );
    const groups = `/requisitions/${requisitionId}/groups`;
    const { id } = JSON.parse((await ask('POST', groups, { name: 'G' })).text);
    expect((await ask('DELETE', `${groups}/${id}`)).status).toBe(status);
    expect((await ask('GET', `${groups}/${id}/items`)).status).toBe(after);
  });

  it.each([
    ['', '?limit=', 400],
    ['empty=ignore', '?limit=', 3],
    ['empty=zero', '?limit=', 0],
    ['', '?limit=1&limit=2', 400],
    ['repeated=first', '?limit=1&limit=2', 1],
    ['repeated=last', '?limit=1&limit=2', 2],
  ])('with "%s", the list %s with %i', async (habits, query, expected) => {
    const { ask, create } = await service(habits);
    for (const code of ['A', 'B', 'C']) await create(code);
    const { status, text } = await ask('GET', `/items/${query}`);
    expect(status === 200 ? (JSON.parse(text) as unknown[]).length : status).toBe(expected);
  });
});

it('the page about the sandbox names each habit and each fault', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8');
  const words = new Set([...page.matchAll(/`([\w-]+)(?:=[^`]*)?`/g)].map(([, word]) => word));
  const names = Object.values(BEHAVIOURS).flatMap((forms) => Object.keys(forms));
  expect(names.filter((name) => !words.has(name))).toEqual([]);
});

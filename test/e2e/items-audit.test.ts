import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { startReferenceService } from '../support/reference-service.ts';
import { errorOf, freshWorld, ROOT } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

interface Item {
  readonly code: string;
  readonly name: string;
}

interface Member {
  readonly tier: 1 | 2;
  readonly group: number;
  readonly match: 'code' | 'name';
  readonly differs: string | null;
  readonly id: string;
  readonly code: string | null;
  readonly name: string | null;
}

const SHOP: readonly Item[] = [
  ...new Map(
    (
      parse(readFileSync(join(ROOT, 'examples/catalog.csv')), { columns: true }) as Record<
        string,
        string
      >[]
    ).map(({ SKU, Product }) => [SKU!, Product!]),
  ),
].map(([code, name]) => ({ code, name }));

const SPELLINGS: readonly ((code: string) => string)[] = [
  (code) => code.toLowerCase(),
  (code) => code.replaceAll('-', '–'),
  (code) => code.replaceAll('-', ' '),
  (code) => code.replaceAll('-', '_'),
  (code) => code.replace('-', ''),
];

/** Changes that turn a name into that of another article, e.g. size 38 into 50. */
const OTHERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(38|40|42|44|46|48)\b/, '50'],
  [/\b(52|54|56|58|60|62)\b/, '50'],
  [/, S$/, ', L'],
  [/, M$/, ', XL'],
  [/, L$/, ', S'],
  [/, XL$/, ', M'],
  [/Black/, 'Red'],
  [/Red/, 'azul'],
  [/Silver/, 'negro'],
  [/Yellow/, 'Blue'],
  [/Blue/, 'verde'],
  [/Front/, 'Rear'],
  [/Women's/, "Men's"],
  [/$/, ' (box of 12)'],
];

async function audited(items: readonly { code?: string; name: string }[], ...flags: string[]) {
  const sandbox = await startTestSandbox({ seed: { items: [...items] } });
  const world = await freshWorld({
    PROC_BASE_URL: sandbox.baseUrl,
    PROC_API_KEY: 'proc-sandbox-key',
  });
  const ran = await world.run(['items', 'audit', ...flags, '-o', 'json']);
  expect(ran.exitCode, ran.stderr).toBe(0);
  return { ...ran, members: JSON.parse(ran.stdout) as Member[] };
}

function groups(members: readonly Member[], tier: 1 | 2): (string | null)[][] {
  const found = Map.groupBy(
    members.filter((one) => one.tier === tier),
    ({ group }) => group,
  );
  return [...found.values()].map((group) => group.map(({ code }) => code).sort());
}

describe('items audit', () => {
  it('finds nothing of the first tier in a catalogue without duplicates', async () => {
    const { members, stderr } = await audited(SHOP);
    expect(groups(members, 1)).toEqual([]);
    expect(stderr).toContain('295 items: 0 groups (0 items) with the same code');
  });

  it('finds every other spelling of a code, and no other article', async () => {
    const twins: Item[] = [];
    const others: Item[] = [];
    for (const [index, { code, name }] of SHOP.entries()) {
      const spelling = SPELLINGS[index % SPELLINGS.length]!;
      if (spelling(code) === code) continue;
      if (index % 2 === 0) twins.push({ code: spelling(code), name: name.toUpperCase() });
      else {
        const fitting = OTHERS.filter(([pattern]) => pattern.test(name));
        const [pattern, by] = fitting[index % fitting.length]!;
        others.push({ code: spelling(code), name: name.replace(pattern, by) });
      }
    }
    expect(twins.length).toBeGreaterThan(100);
    expect(others.length).toBeGreaterThan(100);
    const { members } = await audited([...SHOP, ...twins, ...others]);
    const expected = twins.map(({ code }) => {
      const own = SHOP.find((item) => SPELLINGS.some((spelled) => spelled(item.code) === code));
      return [code, own!.code].sort();
    });
    const sorted = (all: readonly (readonly (string | null)[])[]) => all.map(String).sort();
    expect(sorted(groups(members, 1))).toEqual(sorted(expected));
    const toCheck = new Set(
      members.filter(({ tier, match }) => tier === 2 && match === 'code').map(({ code }) => code),
    );
    expect(others.filter(({ code }) => !toCheck.has(code))).toEqual([]);
  });

  it('keeps different sizes with one code apart in the first tier', async () => {
    const { members } = await audited([
      { code: 'TS-1', name: 'T-shirt, S' },
      { code: 'ts-1', name: 'T-shirt small' },
      { code: 'TS 1', name: 'T-shirt, L' },
    ]);
    expect(groups(members, 1)).toEqual([['TS-1', 'ts-1']]);
    expect(groups(members, 2)).toEqual([['TS 1', 'TS-1', 'ts-1']]);
    expect(members.at(-1)).toMatchObject({ match: 'code', differs: 'size' });
  });

  it('finds the same name under different codes, in the second tier', async () => {
    const items = [
      { code: 'A-1', name: 'Jabón líquido, 5 L' },
      { code: 'B-7', name: 'JABON LIQUIDO 5 litros' },
      { code: 'C-2', name: 'Jabón líquido, 1 L' },
      { name: 'Liquid soap' },
      { name: 'liquid  soap' },
    ];
    const { members, stderr } = await audited(items);
    expect(groups(members, 1)).toEqual([]);
    expect(groups(members, 2).map(String).sort()).toEqual([',', 'A-1,B-7']);
    expect(stderr).toContain(
      '5 items: 0 groups (0 items) with the same code, 2 groups (4 items) to check',
    );
    expect((await audited(items, '--where', 'tier=1')).members).toEqual([]);
  });

  it('exits 10 if the catalogue may be incomplete', async () => {
    await using service = await startReferenceService();
    service.state.lists = 'unverified';
    const world = await freshWorld({ PROC_BASE_URL: service.baseUrl, PROC_API_KEY: 'k' });
    const ran = await world.run(['items', 'audit', '-o', 'json']);
    expect(ran).toMatchObject({ exitCode: 10, stdout: '' });
    expect(errorOf(ran)).toMatchObject({ code: 'incomplete' });
  });
});

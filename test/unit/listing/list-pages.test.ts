import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_DIALECT } from '../../../src/config/settings.ts';
import { ProcError } from '../../../src/core/errors.ts';
import type { ListSource } from '../../../src/listing/list-pages.ts';
import { listPages } from '../../../src/listing/list-pages.ts';
import { listItems } from '../../../src/nouns/items/index.ts';

interface Service {
  readonly rows: number;
  /** Rows per page, whatever is requested. Undefined: as requested. */
  readonly fixed: number | undefined;
  readonly honoursOffset: boolean;
}

async function walk(service: Service, pageSize: number) {
  const all = Array.from({ length: service.rows }, (_, at) => ({ id: `r${at}` }));
  let requests = 0;
  const source: ListSource = {
    target: { dialect: () => DEFAULT_DIALECT },
    async read(_, { limit, offset }) {
      requests++;
      if (limit === undefined) return all;
      const from = service.honoursOffset ? Number(offset ?? 0) : 0;
      return all.slice(from, from + (service.fixed ?? Number(limit)));
    },
  };
  const pages = listPages(listItems, { limit: pageSize }, async () => source);
  const rows: unknown[] = [];
  for await (const page of pages.rows) rows.push(...page);
  return { rows, all, complete: pages.complete(), failure: pages.failure(), requests };
}

const service = fc.record({
  rows: fc.nat({ max: 60 }),
  fixed: fc.option(fc.integer({ min: 1, max: 25 }), { nil: undefined }),
  honoursOffset: fc.boolean(),
});

describe('a list to its end', () => {
  it('has every row once if the service continues, and reports it otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(service, fc.integer({ min: 1, max: 25 }), async (habits, pageSize) => {
        const walked = await walk(habits, pageSize);
        if (walked.complete) expect(walked.rows).toEqual(walked.all);
        expect(walked.complete).toBe(walked.failure === undefined);
        if (habits.honoursOffset) expect(walked.complete).toBe(true);
        expect(new Set(walked.rows.map((row) => JSON.stringify(row))).size).toBe(
          walked.rows.length,
        );
        expect(walked.requests).toBeLessThanOrEqual(habits.rows + 2);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a service that refuses to sort', () => {
  /** @param from the first request that is refused, from 1 */
  async function sorted(query: Record<string, unknown>, from: number) {
    const all = Array.from({ length: 30 }, (_, at) => ({ id: `r${at}` }));
    let requests = 0;
    const source: ListSource = {
      target: { dialect: () => DEFAULT_DIALECT },
      async read(_, { limit, offset, sort }) {
        if (++requests >= from && sort !== undefined)
          throw new ProcError('refused', 'no such parameter', { status: 400 });
        const rows = sort === undefined ? all.toReversed() : all;
        return rows.slice(Number(offset ?? 0), Number(offset ?? 0) + Number(limit));
      },
    };
    const pages = listPages(listItems, { limit: 10, ...query }, async () => source);
    const ids = new Set<unknown>();
    for await (const page of pages.rows) for (const { id } of page) ids.add(id);
    return { count: ids.size, complete: pages.complete(), isCut: pages.isCut() };
  }

  it('is not read in another order', async () => {
    for (const query of [{ stableSort: 'code' }, { sort: 'code', dir: 'asc' }]) {
      await expect(sorted(query, 1)).rejects.toMatchObject({ code: 'refused' });
    }
  });

  it.each([2, 3])('does not change the order from request %i on', async (from) => {
    expect(await sorted({ stableSort: 'code' }, from)).toMatchObject({
      complete: false,
      isCut: true,
    });
  });
});

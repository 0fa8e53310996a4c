import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dialectFor, parseDialect } from '../../../src/config/settings.ts';
import { ProcError } from '../../../src/core/errors.ts';
import { prepare } from '../../../src/http/request.ts';
import { listOrders } from '../../../src/nouns/orders/index.ts';
import { removeLine } from '../../../src/nouns/requisition/index.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { targetAt } from '../../support/target.ts';

function target(dialect = '') {
  const settings = parseDialect(dialect, 'test');
  const names = (noun: string) => dialectFor(settings, noun);
  return targetAt('https://procurement.test/api/v1', { dialect: names });
}

const orders = (query: Record<string, unknown>, dialect = '') =>
  prepare(listOrders, { query }, target(dialect)).path.replace('/api/v1/orders/', '');

describe('ids in the path', () => {
  const id = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('.', '..', '...', '%2e%2e', '%2F', 'a/..', '?', '#', ';', '//x', '\\', ' '),
    fc
      .array(fc.constantFrom('.', '/', '%', '2', 'e', 'f', 'F', '?', '#', '\\', '@', ':'), {
        maxLength: 8,
      })
      .map((parts) => parts.join('')),
  );

  it('never change the path: they are restored exactly, or refused', () => {
    fc.assert(
      fc.property(id, id, (first, second) => {
        let path: string;
        try {
          const params = { id: first, groupId: 'g', itemId: second };
          path = prepare(removeLine, { params }, target()).path;
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ProcError);
          expect((thrown as ProcError).exitCode).toBe(2);
          return;
        }
        // `URL` resolves dots as the URL standard demands.
        const url = new URL(`https://procurement.test${path}`);
        expect(url.search + url.hash).toBe('');
        const segments = url.pathname.split('/');
        expect(segments).toHaveLength(9);
        expect(segments.map(decodeURIComponent)).toEqual([
          '',
          'api',
          'v1',
          'requisitions',
          first,
          'groups',
          'g',
          'items',
          second,
        ]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('list parameters in a dialect', () => {
  it('have the default names', () => {
    expect(orders({ limit: 5, offset: 10, sort: 'code', dir: 'asc' })).toBe(
      '?limit=5&offset=10&sort=code&dir=asc',
    );
    expect(orders({})).toBe('');
  });

  it('accept other names, for a single noun too', () => {
    expect(orders({ limit: 5 }, 'limit=pageSize,items.limit=max')).toBe('?pageSize=5');
    expect(orders({ limit: 5 }, 'limit=pageSize,orders.limit=a b&c')).toBe('?a+b%26c=5');
  });

  it('become page numbers', () => {
    expect(orders({ limit: 20, offset: 0 }, 'page=p')).toBe('?limit=20&p=1');
    expect(orders({ limit: 20, offset: 0 }, 'page=p,pageBase=0')).toBe('?limit=20&p=0');
    expect(orders({ limit: 20 }, 'page=p')).toBe('?limit=20');
  });
});

describe('list names as text', () => {
  it.each<readonly [string, RegExp]>([
    ...['limit', 'limit=', '=x', 'lmit=x', 'sectors.limit=x', '__proto__=x'].map(
      (text) => [text, / is not understood$/] as const,
    ),
    ['pageBase=one', /pageBase must be a whole number/],
    ['sectorValue=code', /sectorValue must be one of id, key, name/],
  ])('%s is refused', (text, says) => {
    expect(() => parseDialect(text, 'PROC_LIST_NAMES')).toThrow(says);
    expect(() => parseDialect(text, 'PROC_LIST_NAMES')).toThrow(/^PROC_LIST_NAMES: /);
  });
});

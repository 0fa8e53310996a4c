import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawPath } from '../../../src/raw/raw-path.ts';

const BASE = 'https://procurement.example/api/v1';

describe('the path of a raw call', () => {
  it.each([
    ['/orders/', '/orders/'],
    ['orders/', '/orders/'],
    ['/orders/?limit=2&sort=code', '/orders/?limit=2&sort=code'],
    ['/items/a%20b', '/items/a%20b'],
    ['/items/{id}', '/items/%7Bid%7D'],
    ['/rubros/ñ', '/rubros/%C3%B1'],
    ['/a.b/..c/c..', '/a.b/..c/c..'],
  ])('accepts %s', (typed, sent) => {
    expect(rawPath(typed)).toBe(sent);
  });

  it.each([
    'https://evil.example/api/v1/orders/',
    'https://procurement.example/api/v2/orders/',
    'https://procurement.example/api/v11/',
    'https://procurement.example.evil.example/api/v1/orders/',
    'https://procurement.example@evil.example/api/v1/',
    '//evil.example/orders/',
    'HTTPS://EVIL.example/',
    'file:///etc/passwd',
    '/orders/../../admin',
    '/orders/..',
    '/./orders/',
    '/orders/%2e%2e/admin',
    '/orders/.%2E/admin',
    '/orders/%252e%252e/admin',
    '/orders/a%2fb',
    '/orders/a%5cb',
    '/orders/..;/admin',
    '/orders/a\\b',
    '/orders/a b',
    '/orders/\u0000',
    '/orders/%0d%0ahost',
    '/orders/%zz',
    '/orders/#top',
    `${BASE}/orders/`,
  ])('refuses %s', (typed) => {
    expect(() => rawPath(typed)).toThrow(/nothing was sent/);
  });

  it('stays below the base URL, whatever is typed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('/', '.', '%2e', '%', '2f', '?', 'a', '..', ';', '@', ':', '\\'), {
          maxLength: 12,
        }),
        (pieces) => {
          let path: string;
          try {
            path = rawPath(pieces.join(''));
          } catch {
            return;
          }
          const url = new URL(BASE + path);
          expect(url.origin).toBe('https://procurement.example');
          expect(url.pathname.startsWith('/api/v1/')).toBe(true);
        },
      ),
    );
  });
});

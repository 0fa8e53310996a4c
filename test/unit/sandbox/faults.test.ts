import { describe, expect, it, onTestFinished } from 'vitest';
import { type Draw, faultDrawer, parseFaults } from '../../../src/sandbox/faults.ts';
import { raw } from '../../support/raw-http.ts';
import { loggedSandbox } from '../../support/service.ts';

const EVERYTHING =
  'reset-after=2%,reset-before=2%,429=3%,503=1%,latency=20ms,late-commit=100ms,truncate=1%,html=1%,500=0.5%,rate=200/s,seed=7';

describe('the text of faults', () => {
  it.each([
    ['latency=4s', 4_000],
    ['latency=20', 20],
  ])('takes seconds and milliseconds: %s', (text, ms) => {
    expect(parseFaults(text).latencyMs).toBe(ms);
    expect(parseFaults('late-commit=3s').lateCommitMs).toBe(3_000);
  });

  it('is parsed completely', () => {
    expect(parseFaults(EVERYTHING)).toEqual({
      seed: 7,
      chances: {
        'reset-before': 0.02,
        '429': 0.03,
        '503': 0.01,
        'reset-after': 0.02,
        truncate: 0.01,
        html: 0.01,
        '500': 0.005,
      },
      latencyMs: 20,
      lateCommitMs: 100,
      rate: 200,
      retryAfter: 1,
    });
  });

  it.each([
    ['rest-after=2%', 'unknown fault "rest-after"', /reset-after/],
    ['boom', 'unknown fault "boom"', /Use one of: .*reset-before.*seed/],
    ['429=3', 'invalid value 429=3', /429=2%/],
    ['html=101%', 'invalid value html=101%', /html=2%/],
    ['latency=fast', 'invalid value latency=fast', /latency=20ms/],
    ['rate=0', 'invalid value rate=0', /200\/s/],
    ['seed', 'invalid value seed', /seed=7/],
  ])('%s is refused', (text, message, hint) => {
    expect(() => parseFaults(text)).toThrow(
      expect.objectContaining({
        code: 'invalid_usage',
        message: `--faults: ${message}`,
        hint: expect.stringMatching(hint),
      }),
    );
  });
});

describe('draws', () => {
  const plan = parseFaults(EVERYTHING.replace(',rate=200/s', ''));
  const requests = Array.from({ length: 2_000 }, (_, n) => Buffer.from(`{"n":${n % 1_000}}`));

  function drawAll(bodies: readonly Buffer[]): Map<string, Draw[]> {
    const draw = faultDrawer(plan);
    const draws = new Map<string, Draw[]>();
    for (const body of bodies) {
      const key = body.toString();
      draws.set(key, [...(draws.get(key) ?? []), draw('POST', '/api/v1/items/', body)]);
    }
    return draws;
  }

  it('are the same in every order', () => {
    const shuffled = requests.toSorted((a, b) =>
      a.toString().at(-2)! < b.toString().at(-2)! ? 1 : -1,
    );
    expect(drawAll(shuffled)).toEqual(drawAll(requests));
  });

  it('are about as frequent as requested, and differ when a request is repeated', () => {
    const all = [...drawAll(requests).values()].flat();
    const share = (fault: string) => all.filter((draw) => draw.fault === fault).length / all.length;
    expect(share('429')).toBeCloseTo(0.03, 1);
    expect(all.filter((draw) => draw.fault !== undefined).length / all.length).toBeCloseTo(0.1, 1);
    const repeated = [...drawAll(requests).values()].filter(
      (draws) => draws[0]!.fault !== undefined,
    );
    expect(repeated.some((draws) => draws[1]!.fault === undefined)).toBe(true);
  });

  it('a rate allows what its bucket holds, and refills over time', () => {
    let now = 0;
    const draw = faultDrawer(parseFaults('rate=10'), () => now);
    const through = () =>
      Array.from({ length: 30 }, () => draw('GET', '/', Buffer.alloc(0))).filter(
        ({ fault }) => fault === undefined,
      ).length;
    expect(through()).toBe(10);
    now += 500;
    expect(through()).toBe(5);
    expect(draw('GET', '/', Buffer.alloc(0))).toMatchObject({ fault: '429', retryAfter: 1 });
  });
});

describe('faults on the wire', () => {
  async function post(faults: string) {
    const sandbox = await loggedSandbox({ faults, empty: true });
    onTestFinished(() => sandbox.close());
    const body = { name: 'Bolt', code: 'B-1' };
    const response = await raw(sandbox.baseUrl, 'POST', '/items/', { body }).catch(
      (thrown: NodeJS.ErrnoException) => ({ status: thrown.code, headers: {} }),
    );
    return { sandbox, response, stored: () => sandbox.sql('SELECT id FROM items').length };
  }

  it.each([
    ['reset-before', 'ECONNRESET', 0],
    ['429', 429, 0],
    ['503', 503, 0],
    ['reset-after', 'ECONNRESET', 1],
    ['truncate', 'ECONNRESET', 1],
    ['html', 200, 1],
    ['500', 500, 1],
  ])('%s: the client sees %s, and %d items are stored', async (fault, seen, count) => {
    const { response, stored } = await post(`${fault}=100%`);
    expect([response.status, stored()]).toEqual([seen, count]);
    if (fault === 'html') expect(response.headers).toMatchObject({ 'content-type': 'text/html' });
    if (count === 0 && seen !== 'ECONNRESET')
      expect(response.headers).toMatchObject({ 'retry-after': '0' });
  });

  it('reset-before affects reads too', async () => {
    const { sandbox } = await post('reset-before=100%');
    const read = raw(sandbox.baseUrl, 'GET', '/items/');
    await expect(read).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('late-commit resets first and commits later', async () => {
    const { stored } = await post('reset-after=100%,late-commit=900ms');
    expect(stored()).toBe(0);
    await expect.poll(stored, { timeout: 10_000 }).toBe(1);
  });
});

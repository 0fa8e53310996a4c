import { describe, expect, it } from 'vitest';
import { type Draw, faultDrawer, parseFaults } from '../../../src/sandbox/faults.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { type RawResponse, raw } from '../../support/raw-http.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

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
  const requests = Array.from({ length: 4_000 }, (_, n) => Buffer.from(`{"n":${n % 2_000}}`));

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
  const body = { name: 'Bolt', code: 'B-1' };

  async function post(faults: string) {
    const { baseUrl, dbPath } = await startTestSandbox({ faults });
    const response = await raw(baseUrl, 'POST', '/items/', { body }).catch(
      (thrown: unknown) => thrown,
    );
    return { response: response as RawResponse & { code?: string }, baseUrl, dbPath };
  }

  async function committed(baseUrl: string): Promise<number> {
    return ((await raw(baseUrl, 'GET', '/items/')).json as unknown[]).length;
  }

  it('reset-after commits and resets the connection', async () => {
    const { response, baseUrl } = await post('reset-after=100%');
    expect(response.code).toBe('ECONNRESET');
    expect(await committed(baseUrl)).toBe(1);
  });

  it('late-commit resets first and commits later', async () => {
    const { baseUrl } = await post('reset-after=100%,late-commit=900ms');
    expect(await committed(baseUrl)).toBe(0);
    await expect.poll(() => committed(baseUrl), { timeout: 10_000 }).toBe(1);
  });

  it('reset-before commits nothing and affects reads too', async () => {
    const { response, baseUrl, dbPath } = await post('reset-before=100%');
    expect(response.code).toBe('ECONNRESET');
    await expect(raw(baseUrl, 'GET', '/items/')).rejects.toMatchObject({ code: 'ECONNRESET' });
    const database = openDatabase(dbPath, { readOnly: true });
    expect(database.prepare('SELECT * FROM items').all()).toEqual([]);
    database.close();
  });

  it.each([429, 503])('%i commits nothing and says Retry-After: 0', async (status) => {
    const { response } = await post(`${status}=100%`);
    expect([response.status, response.headers['retry-after']]).toEqual([status, '0']);
    expect(response.json).toMatchObject({ status });
  });

  it('truncate commits and cuts off the body', async () => {
    const { response, baseUrl } = await post('truncate=100%');
    expect(response.code).toBe('ECONNRESET');
    expect(await committed(baseUrl)).toBe(1);
  });

  it('html and 500 come after the commit', async () => {
    const html = await post('html=100%');
    expect([html.response.status, html.response.headers['content-type']]).toEqual([
      200,
      'text/html',
    ]);
    expect(await committed(html.baseUrl)).toBe(1);
    const failed = await post('500=100%');
    expect(failed.response.status).toBe(500);
    expect(await committed(failed.baseUrl)).toBe(1);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../support/any-character.ts';
import { atNight } from '../../support/at-night.ts';
import { type Flags, read } from './reading.ts';

const FILES = atNight ? 2_000 : 40;
const A = { code: 'A' };

async function refused(content: string, flags: Flags = {}, name = 'x.json'): Promise<string> {
  const thrown = await read(content, flags, name).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ exitCode: 2 });
  const { message, hint } = thrown as { message: string; hint?: string };
  return `${message} | ${hint}`;
}

const text = fc
  .string({
    unit: fc.oneof(anyCharacter, fc.constantFrom(...'"\\,{}[]:\n ')),
    maxLength: 9,
  })
  .map((value) => value.toWellFormed().replaceAll('\0', '0'));

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text,
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((one) => (Object.is(one, -0) ? 0 : one)),
    fc.integer(),
    fc.constantFrom(true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
})).value;

const rows = fc.array(
  fc.dictionary(fc.oneof(fc.constantFrom('code', '__proto__', 'constructor'), text), value, {
    maxKeys: 5,
  }),
  { minLength: 1, maxLength: 8 },
);

/** As text, because proc may keep a number as its exact digits. */
const written = (values: readonly unknown[]): string => JSON.stringify(values);

describe('rows come back as they were written', () => {
  it(`in ${FILES} arrays, documents and NDJSON files`, async () => {
    const form = fc.constantFrom('array', 'document', 'lines');
    await fc.assert(
      fc.asyncProperty(
        rows,
        form,
        fc.constantFrom(undefined, 1, '\t'),
        async (wanted, how, indent) => {
          const content =
            how === 'array'
              ? JSON.stringify(wanted, null, indent)
              : how === 'document'
                ? JSON.stringify(
                    { n: '[{"', a: { 'b c': wanted, '\\"': [1] }, z: {} },
                    null,
                    indent,
                  )
                : wanted.map((row) => JSON.stringify(row)).join(indent === 1 ? '\r\n\n' : '\n');
          const flags = how === 'document' ? { path: 'a.b c' } : {};
          expect(written(await read(content, flags, how === 'lines' ? 'x.jsonl' : 'x.json'))).toBe(
            written(wanted),
          );
        },
      ),
      { numRuns: FILES },
    );
  });

  it('however the file is cut into pieces', async () => {
    const wanted = Array.from({ length: 500 }, (_, index) => ({
      code: `A\\"${index}`,
      list: [1, { a: null, b: 'é😀]'.repeat(index % 31) }],
    }));
    for (const pad of ['', ' ', '\n ', '   ']) {
      const array = pad + JSON.stringify(wanted, null, pad);
      expect(await read(array)).toEqual(wanted);
      expect(await read(Buffer.from(`\ufeff${array}`, 'utf16le'))).toEqual(wanted);
      expect(
        await read(JSON.stringify({ pad, rows: wanted, pads: [pad] }), { path: 'rows' }),
      ).toEqual(wanted);
      expect(
        await read(
          wanted.map((row) => `${pad}${JSON.stringify(row)}\r\n`).join(''),
          {},
          'x.ndjson',
        ),
      ).toEqual(wanted);
    }
  });
});

function rowsIn(content: string): readonly unknown[] | undefined {
  try {
    const parsed = JSON.parse(content) as unknown[] | { rows: unknown[] };
    return Array.isArray(parsed) ? parsed : parsed.rows;
  } catch {
    return undefined;
  }
}

describe('a file with a character too many or too few', () => {
  it(`is read as JSON.parse reads it, or refused, in ${FILES} files`, async () => {
    const mutation = fc.record({
      at: fc.nat(400),
      cut: fc.nat(2),
      put: fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '\n', '1', 'x'),
      isDocument: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(rows, mutation, async (wanted, { at, cut, put, isDocument }) => {
        const text = JSON.stringify(
          isDocument ? { a: { n: 1 }, rows: wanted, z: 'z' } : wanted,
          null,
          1,
        );
        // The first character decides which format the file has.
        const place = 1 + (at % (text.length - 1));
        const content = (text.slice(0, place) + put + text.slice(place + cut)).toWellFormed();
        const found = await read(content, isDocument ? { path: 'rows' } : {}, 'x.json').catch(
          (thrown: unknown) => thrown,
        );
        if (!Array.isArray(found)) {
          expect(found).toMatchObject({ code: 'invalid_input', exitCode: 2 });
          return;
        }
        // What is wrong outside of the rows leaves them as they are.
        const values = rowsIn(content) ?? wanted;
        expect(found).toHaveLength(values.length);
        for (const [row, one] of found.entries()) {
          if (typeof one !== 'string') expect(JSON.parse(written([one]))).toEqual([values[row]]);
          else expect(one).toMatch(/duplicate field|must be a JSON object|would be rounded/);
        }
      }),
      { numRuns: 2 * FILES, endOnFailure: true },
    );
  });
});

describe('numbers, names and texts', () => {
  it('are exact', async () => {
    expect(JSON.stringify(await read('[{"a":[1.10,{"b":2.50}]}]'))).toBe(
      '[{"a":[1.10,{"b":2.50}]}]',
    );
    const line =
      '{"a":0.1,"b":1.10,"c":1e3,"d":12345678901234567890.12,"h":1e400,"e":"\\ud83d\\ude00","f":"\\\\u0000"}';
    for (const content of [`[${line}]`, `${line}\n${line}\n`]) {
      expect(JSON.stringify((await read(content))[0])).toBe(line.replace('\\ud83d\\ude00', '😀'));
    }
  });

  it('with escapes are not confused, as JSON.parse does after the first line', async () => {
    const lines = ['{"a":1,"\\\\":2}', '{"a":1,"\\n":2}', '{"a":1,"\\"":2}'];
    const found = await read(lines.join('\n'));
    expect(found.map((one) => Object.keys(one as object)[1])).toEqual(['\\', '\n', '"']);
  });

  it.each([
    ['a name twice', '{"x":{"y":1,"y":2}}', /duplicate field "y"/],
    ['no object', '7', /must be a JSON object, got 7/],
    ['65 levels', `{"n":${'['.repeat(65)}${']'.repeat(65)}}`, /nested deeper than 64/],
  ])('%s rejects the row alone', async (_, bad, says) => {
    const wanted = [A, expect.stringMatching(says), A];
    expect(await read(`[{"code":"A"},${bad},{"code":"A"}]`)).toEqual(wanted);
    expect(await read(`{"code":"A"}\n${bad}\n{"code":"A"}\n`, {}, 'x.ndjson')).toEqual(wanted);
  });
});

describe('an array that is no JSON is refused whole, with the place', () => {
  it.each([
    [
      'bad syntax',
      '[{"code":"A"},\n{"code":"B",\n  "x":}]',
      /row 2, line 3, column 7: expected a value/,
    ],
    ['NaN', '[{"code":NaN}]', /row 1, line 1.*expected a value, found "N"/],
    [
      'a missing quote',
      '[\n{"code":"A},\n{"code":"B"}]',
      /row 1, line 2: .*character 9 of the record: .*contains a line break/,
    ],
    ['two commas', '[{"code":"A"},,{}]', /row 2, line 1: .*expected a JSON value/],
    ['a comma at the end', '[{"code":"A"},\n]', /row 2, line 2: .*expected a JSON value/],
    ['a missing comma', '[{"code":"A"} {"code":"B"}]', /row 1.*expected the end, found more text/],
    ['a rounded number and bad syntax', '[{"n":1e400,},{"code":"A"}]', /row 1, line 1/],
    ['a brace too many', '[{"code":"A"}},{}]', /row 1, line 1: expected "," or "\]"/],
    ['text after it', '[{"code":"A"}]\nx', /more text follows the end/],
    ['no end', '[{"code":"A"},', /the file ends before its array is closed/],
    ['an end in a row', '[{"code":"A"},{"code"', /row 2, line 1: .*the file ends/],
    [
      'a row of more than 1 MiB',
      `[{"code":"A"},{"x":"${'x'.repeat(1 << 21)}"}]`,
      /row 2, line 1: .*is longer than 1 MiB/,
    ],
  ])('%s', async (_, content, says) => {
    expect(await refused(content)).toMatch(says);
    expect(await refused(`{"rows":${content}}`, { path: 'rows' })).toMatch(/x\.json/);
  });
});

describe('NDJSON', () => {
  it('is known by its name or by its second line, and skips blank lines', async () => {
    expect(await read('{"code":"A"}', {}, 'x.ndjson')).toEqual([A]);
    expect(await read('\ufeff{"code":"A"}\r\n\r\n{"code":"A"}\r\n', {}, 'x.json')).toEqual([A, A]);
    expect(await read('{"code":"A"}\n\n{"code":"A"}', {}, 'x')).toEqual([A, A]);
  });

  it('goes on after a broken line', async () => {
    expect(await read('{"code":}\n{"code":"A"}\n{"x":1,}\n', {}, 'x.ndjson')).toEqual([
      expect.stringMatching(/line 1: character 9 of the record: expected a value/),
      A,
      expect.stringMatching(/line 3: character 8 of the record: trailing comma/),
    ]);
  });

  it.each([
    [
      'commas after the lines',
      '{"code":"A"},\n{"code":"B"},\n',
      /line 1: a comma ends the line.*sed/,
    ],
    ['an end in a line', '{"code":"A"}\n{"code":"B', /row 2.* line 2: .*the file ends/],
    [
      'a line of more than 1 MiB',
      `{"code":"A"}\n{"x":"${'x'.repeat(1 << 21)}"}\n`,
      /line 2: is longer than 1 MiB/,
    ],
  ])('is refused because of %s', async (_, content, says) => {
    expect(await refused(content, {}, 'x.ndjson')).toMatch(says);
  });
});

describe('a document', () => {
  const LIST = '{"data":{"items":[{"code":"A"}]},"gone":[{"code":"B"},{}],"tags":["x"]}';

  it('has arrays, of which --path chooses one', async () => {
    expect(await refused(LIST)).toMatch(
      /its arrays: data\.items \(rows: 1\), gone \(rows: 2\).*--path data\.items or --path gone/,
    );
    expect(await read(LIST, { path: 'data.items' })).toEqual([A]);
    expect(await refused(LIST, { path: 'data.item' })).toMatch(
      /no array at data\.item;.*--path data\.items/,
    );
    expect(await refused(LIST, { path: 'tags' })).toMatch(/at tags an array of values/);
    expect(await refused('{"a":{"b":[]},"a.b":[]}', { path: 'a.b' })).toMatch(/no array at a\.b/);
    expect(await read('{"rows":[]}', { path: 'rows' })).toEqual([]);
    expect(await read('{"a b":{"c.d":[{"code":"A"}]}}', { path: 'a b.c.d' })).toEqual([A]);
  });

  it('may be one row with --path .', async () => {
    expect(await read('{"code":"A",\n"list":[{"x":1.50}]}', { path: '.' }, 'x.json')).toHaveLength(
      1,
    );
    expect(await refused('{"code":"A"}')).toMatch(
      /one object, not a list of rows.*\[ … \].*--path \./,
    );
    expect(await refused('{"code":"A"}', {}, 'x')).toMatch(/one object/);
    expect(await refused('{"code":"A","code":"B"}', { path: '.' })).toMatch(
      /duplicate field "code"/,
    );
  });

  it.each([
    ['columns of pandas', '{"code":{"0":"A"},"name":{"0":"x"}}', /to_json\(orient='records'\)/],
    ['columns as lists', '{"code":["A"],"name":["x"]}', /to_json\(orient='records'\)/],
    ['rows under their keys', '{"A":{"name":"x"},"B":{"name":"y"}}', /jq '\[\.\[\]\]'/],
    [
      'too many of them',
      JSON.stringify(
        Object.fromEntries(
          Array.from({ length: 50_000 }, (_, at) => [`A${at}`, { name: 'x'.repeat(20) }]),
        ),
      ),
      /too many fields.*jq/,
    ],
    ['values', '["A","B"]', /array of values.*jq/],
    ['several arrays', '[{"code":"A"}]\n[{"code":"B"}]', /several arrays.*jq -s add/],
    ['arrays of cells', '[["code","name"],["A","x"]]', /array of arrays.*jq.*pandas/],
    ['several documents', '{\n"code":"A"\n}\n{\n"code":"B"\n}', /several documents.*jq -c/],
    ['a name twice', '{"rows":[{}],"rows":[{}]}', /duplicate field "rows"/],
    ['no end', '{"rows":[{"code":"A"}', /not valid JSON/],
    ['no end after the array', '{"rows":[{"code":"A"}]', /not valid JSON: expected "," or "}"/],
    ['a wrong bracket', '{"rows":[{"code":"A"}}', /not valid JSON/],
  ])('that is no list names the tool: %s', async (_, content, says) => {
    expect(await refused(content)).toMatch(says);
  });

  it.each([
    [
      'error',
      '{"error":"unauthorized","code":"401","name":"Unauthorized"}',
      /error answer, not a list: "unauthorized"/,
    ],
    ['errors', '{"errors":[{"message":"no"}],"data":null}', /error answer/],
    ['success', '{"success":false,"message":"not today"}', /error answer, not a list: "not today"/],
    ['message', '{"message":"token expired"}', /error answer, not a list: "token expired"/],
    ['statusCode', '{"statusCode":503}', /error answer, not a list: 503/],
    ['stack', '{"stack":"Error\\n at x"}', /error answer/],
  ])('with %s is an error answer, also as one row', async (_, content, says) => {
    expect(await refused(content)).toMatch(says);
    expect(await refused(content, { path: '.' })).toMatch(says);
  });

  it.each([
    '{"rows":[{"code":"A"}],"error":null,"errors":[],"statusCode":200,"success":true,"message":"ok"}',
    '{"rows":[{"code":"A"}],"error":false,"errors":{},"status":400,"message":"1 row"}',
    '{"rows":[{"code":"A"}],"error":"200"}',
  ])('with marks that mean nothing is read: %s', async (content) => {
    expect(await read(content, { path: 'rows' })).toEqual([A]);
    expect(await refused(content)).not.toMatch(/error answer|reports an error/);
  });

  it.each([
    '{"rows":[{"code":"A"}],"error":"partial"}',
    '{"errors":[{"message":"no"}],"rows":[{"code":"A"}]}',
    '{"rows":[{"code":"A"}],"success":false}',
  ])('with a mark of an error beside its rows needs --allow-part: %s', async (content) => {
    expect(await refused(content, { path: 'rows' })).toMatch(/reports an error.*--allow-part/);
    expect(await read(content, { path: 'rows', allowPart: true })).toEqual([A]);
  });

  it.each([
    '{"rows":[{"code":"A"}],"@odata.nextLink":"https://x/?skip=5"}',
    '{"rows":[{"code":"A"}],"next":"https://x/?page=2"}',
    '{"rows":[{"code":"A"}],"_links":{"next":{"href":"https://x"}}}',
    '{"rows":[{"code":"A"}],"next":200}',
    '{"rows":[{"code":"A"}],"has_more":true}',
    '{"rows":[{"code":"A"}],"pageInfo":{"hasNextPage":true}}',
    '{"truncated":true,"rows":[{"code":"A"}]}',
    '{"rows":[{"code":"A"}],"page":1,"totalPages":3}',
    '{"rows":[{"code":"A"}],"meta":{"totalPages":2}}',
    '{"rows":[{"code":"A"}],"total":2,"per_page":1}',
    '{"meta":{"total":250,"limit":100,"offset":0},"rows":[{"code":"A"}]}',
  ])('that is a page of a longer list is refused without --allow-part: %s', async (content) => {
    expect(await refused(content, { path: 'rows' })).toMatch(/part of a longer list.*--allow-part/);
    expect(await refused(content)).toMatch(/--path rows.*--allow-part/);
    expect(await read(content, { path: 'rows', allowPart: true })).toEqual([A]);
  });

  it.each([
    '{"rows":[{"code":"A"}],"next":null,"hasMore":false,"truncated":false,"nextLink":""}',
    '{"rows":[{"code":"A"}],"page":1,"totalPages":1,"other":{"data":{"next":"x"}}}',
    '{"rows":[{"code":"A"}],"total":99.5,"currency":"USD"}',
    '{"rows":[{"code":"A"}],"total":99}',
    '{"rows":[{"code":"A"}],"total":1,"limit":100}',
    '{"rows":[{"code":"A"}],"number":0,"totalPages":1}',
  ])('without such a mark is a list: %s', async (content) => {
    expect(await read(content, { path: 'rows' })).toEqual([A]);
  });
});

it('an empty array has no rows', async () => {
  expect(await read('[]')).toEqual([]);
  expect(await read(' [\n ] \n')).toEqual([]);
});

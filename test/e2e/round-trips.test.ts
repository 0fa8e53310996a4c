import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../support/any-character.ts';
import { runHere } from '../support/in-process.ts';
import { openWorld } from '../support/run.ts';

const { env } = await openWorld({ PROC_BASE_URL: 'http://127.0.0.1:1/api/v1', PROC_RETRIES: '0' });

async function bodyOf(args: readonly string[], stdin = ''): Promise<unknown> {
  const ran = await runHere([...args, '--dry-run', '-o', 'json'], env, { stdin });
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
  return JSON.parse(ran.stdout).body;
}

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom(
    '',
    '-',
    '--',
    '--name',
    '-x',
    '=',
    '=a',
    "'",
    '"',
    '\\',
    '$(id)',
    '\n',
    '\u202e',
  ),
);
/** No argument of a process has a NUL. */
const anyText = text.filter((value) => !value.includes('\0'));

const ITEM_FLAGS = {
  name: '--name',
  code: '--code',
  description: '--description',
  unitOfMeasure: '--unit-of-measure',
  brand: '--brand',
  material: '--material',
  certification: '--certification',
  type: '--type',
  title: '--title',
} as const;

/** What is blank is refused: it usually comes from an unset variable. */
const typedText = anyText.filter((text) => text.trim() !== '');

describe('a typed value arrives unchanged', () => {
  it('any text after --flag=', async () => {
    const fields = Object.fromEntries(Object.keys(ITEM_FLAGS).map((field) => [field, typedText]));
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ...fields, name: typedText }, { requiredKeys: ['name'] }),
        async (item) => {
          const flags = Object.entries(item).map(
            ([field, value]) => `${ITEM_FLAGS[field as keyof typeof ITEM_FLAGS]}=${value}`,
          );
          expect(await bodyOf(['items', 'create', ...flags])).toEqual(item);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('the content of a file arrives unchanged', () => {
  const requisition = fc.record(
    {
      title: anyText,
      type: anyText,
      sector: anyText,
      code: anyText,
      groups: fc.array(
        fc.record(
          {
            name: anyText,
            deliveryMethod: fc.constantFrom('pickup', 'delivery'),
            addressId: anyText,
            items: fc.array(
              fc.record(
                {
                  quantity: fc.integer({ min: 1 }),
                  itemId: anyText,
                  item: fc.record({ name: anyText, brand: anyText }, { requiredKeys: ['name'] }),
                },
                { requiredKeys: ['quantity'] },
              ),
              { maxLength: 4 },
            ),
          },
          { requiredKeys: ['deliveryMethod', 'items'] },
        ),
        { minLength: 1, maxLength: 3 },
      ),
    },
    { requiredKeys: ['title', 'groups'] },
  );

  it('a requisition in any layout', async () => {
    await fc.assert(
      fc.asyncProperty(requisition, fc.constantFrom(0, 2, '\t'), async (payload, space) => {
        const args = ['requisition', 'create', '--file', '-'];
        expect(await bodyOf(args, JSON.stringify(payload, null, space))).toEqual(payload);
      }),
      { numRuns: 40 },
    );
  });

  it('any JSON in the fields without a documented type', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (value) => {
        const payload = { name: 'x', attributes: value };
        const text = JSON.stringify(payload);
        const args = ['items', 'create', '--file', '-'];
        expect(await bodyOf(args, text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 40 },
    );
  });
});

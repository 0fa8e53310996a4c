import { expect, it } from 'vitest';
import { locator } from '../../../src/import/map/locate.ts';
import { REQUISITION_IMPORT } from '../../../src/import/targets/requisition-import.ts';

const EXPRESSION =
  '[{deliveryMethod: `"pickup"`, items: lines[].{itemId: part, quantity: "the qty"}}]';

it.each([
  ['groups[0].items[1].quantity', 'lines[1]."the qty"'],
  ['groups[0].items[1].itemId', 'lines[1].part'],
  // A service may name any field.
  ['groups[0].items[1].q(', 'lines[1]'],
  ['groups[0].items[1].[a-', 'lines[1]'],
])('names the place in the record of %s', (field, path) => {
  const mapping = { fields: { groups: { jmespath: EXPRESSION } } };
  const locate = locator({ groupBy: undefined, mapping }, { kind: 'json' }, REQUISITION_IMPORT);
  const problem = { code: 'service_says', field, args: { text: 'no' } } as const;
  expect(locate(problem, { row: 1, line: 2 }).place).toEqual({ row: 1, line: 2, path });
});

import fc from 'fast-check';
import { type Group, ITEM_FIELDS, type Line } from '../../../src/compose/requisition-sheet.ts';
import type { Edit } from '../../../src/wizard/model/model.ts';

const text = fc.oneof(
  fc.constantFrom('', ' ', 'Bolt, hex', '3" pipe', '-x', "it's", 'ñandú'),
  fc.string(),
);
const answer = fc.option(text, { nil: null });
const at = fc.integer({ min: -1, max: 4 });

const item = fc.oneof(
  fc.record(
    { kind: fc.constant('known' as const), id: text, code: text, name: text },
    { requiredKeys: ['kind', 'id', 'code', 'name'] },
  ),
  fc.record({
    kind: fc.constant('new' as const),
    fields: fc.dictionary(fc.constantFrom(...ITEM_FIELDS), answer),
    more: fc.subarray([...ITEM_FIELDS]),
  }),
);

const line: fc.Arbitrary<Line> = fc.record(
  {
    item,
    text,
    quantity: fc.oneof(fc.integer({ min: 1, max: 99 }), fc.constantFrom(0, -1, 1.5, 1e21)),
    isSeparate: fc.boolean(),
    isOwnItem: fc.boolean(),
  },
  { requiredKeys: [] },
);

const group: fc.Arbitrary<Group> = fc.record(
  {
    name: answer,
    deliveryMethod: fc.constantFrom('pickup' as const, 'delivery' as const),
    address: fc.option(fc.record({ id: text, label: text }), { nil: null }),
    lines: fc.array(line, { maxLength: 4 }),
    isComplete: fc.boolean(),
    pasted: fc.array(text, { maxLength: 2 }),
    leftOut: fc.array(text, { maxLength: 2 }),
  },
  { requiredKeys: ['lines'] },
);

const heading = fc.record(
  {
    title: text,
    type: answer,
    sector: fc.option(fc.record({ value: text, label: text }), { nil: null }),
    code: answer,
  },
  { requiredKeys: [] },
);

export const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ edit: fc.constant('change' as const), change: heading }),
  fc.record({ edit: fc.constant('add-group' as const), group }),
  fc.record({
    edit: fc.constant('change-group' as const),
    group: at,
    change: group.map(({ lines: _, leftOut: __, ...rest }) => rest),
  }),
  fc.record({ edit: fc.constantFrom('duplicate-group', 'remove-group'), group: at }),
  fc.record({ edit: fc.constant('move-group' as const), group: at, to: at }),
  fc.record({
    edit: fc.constant('add-lines' as const),
    group: at,
    lines: fc.array(line, { maxLength: 3 }),
  }),
  fc.record({ edit: fc.constant('change-line' as const), group: at, line: at, change: line }),
  fc.record({
    edit: fc.constant('change-item' as const),
    group: at,
    line: at,
    change: fc.record({ fields: fc.dictionary(fc.constantFrom(...ITEM_FIELDS), answer) }),
  }),
  fc.record({ edit: fc.constantFrom('duplicate-line', 'remove-line'), group: at, line: at }),
  fc.record({ edit: fc.constant('leave-out' as const), group: at, line: at, text }),
  fc.record({
    edit: fc.constant('move-line' as const),
    group: at,
    line: at,
    toGroup: at,
    to: at,
  }),
);

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, type Sheet, sheetOf } from '../../../src/compose/requisition-sheet.ts';
import { wizardMessages } from '../../../src/compose/wizard-words.ts';
import { check } from '../../../src/core/validate.ts';
import { createRequisition } from '../../../src/nouns/requisition/index.ts';
import { draftSchema } from '../../../src/wizard/model/draft-schema.ts';
import { apply, EMPTY_SHEET } from '../../../src/wizard/model/model.ts';
import {
  nextQuestion,
  previousQuestion,
  questionFor,
} from '../../../src/wizard/model/questions.ts';
import { payloadOf } from '../../../src/wizard/model/to-payload.ts';
import { edit } from './arbitrary.ts';

const edits = fc.array(edit, { maxLength: 25 });
const sheets = edits.map((all) => all.reduce(apply, EMPTY_SHEET));

const bolt: Line = { quantity: 4, item: { kind: 'known', id: 'itm-1', code: 'B-1', name: 'Bolt' } };
const whole: Sheet = {
  title: 'Parts',
  type: null,
  sector: { value: 'brakes', label: 'Brakes' },
  code: null,
  groups: [
    {
      name: 'Plant',
      deliveryMethod: 'delivery',
      address: { id: 'adr-1' },
      lines: [bolt],
      isComplete: true,
    },
  ],
};

describe('any sequence of edits', () => {
  it('results in a payload that the contract accepts, or in problems with names', () => {
    fc.assert(
      fc.property(sheets, (sheet) => {
        const { payload, problems } = payloadOf(sheet);
        if (payload === undefined) {
          expect(problems.length).toBeGreaterThan(0);
          for (const { code, field } of problems) {
            expect(wizardMessages.problems[code]).not.toBe('');
            expect(field).toMatch(/^(title|groups(\[\d+\](\.\w+(\[\d+\](\.\w+)*)?)?)?)$/);
          }
          return;
        }
        const { issues, unknown } = check(createRequisition.body, payload);
        expect(issues).toEqual([]);
        expect(unknown).toEqual([]);
        for (const { items } of payload.groups) {
          for (const one of items)
            expect((one.itemId === undefined) !== (one.item === undefined)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('survives JSON and the validation of a draft', () => {
    fc.assert(
      fc.property(sheets, (sheet) => {
        const draft = {
          version: 1,
          created: 1,
          updated: 2,
          baseUrl: 'http://127.0.0.1:1/api/v1',
          sheet,
          attempts: [],
        };
        const stored = JSON.parse(JSON.stringify(draft));
        const parsed = draftSchema.parse(stored);
        expect(parsed).toEqual(stored);
        expect(payloadOf(parsed.sheet as Sheet)).toEqual(payloadOf(sheet));
        expect(nextQuestion(parsed.sheet as Sheet)).toEqual(nextQuestion(sheet));
      }),
      { numRuns: 300 },
    );
  });

  it('has a question for every problem, so that it can be fixed', () => {
    fc.assert(
      fc.property(sheets, (sheet) => {
        for (const { field } of payloadOf(sheet).problems) {
          if (field !== 'groups') expect(questionFor(field, sheet)).toBeDefined();
        }
      }),
    );
  });

  it('changes nothing if there is nothing to change', () => {
    fc.assert(
      fc.property(sheets, fc.constantFrom(-1, 7, 99), (sheet, at) => {
        for (const name of ['duplicate-group', 'remove-group'] as const) {
          expect(apply(sheet, { edit: name, group: at }).groups).toEqual(sheet.groups);
        }
        const place = { group: at, line: at } as const;
        expect(apply(sheet, { edit: 'move-line', ...place, toGroup: 0, to: 0 })).toBe(sheet);
        expect(apply(sheet, { edit: 'remove-line', ...place })).toEqual(sheet);
      }),
    );
  });

  it('loses no line of a list: it is open, matched, or left out', () => {
    const settle = fc.record({ line: fc.nat(3), wish: fc.constantFrom('item', 'leave', 'move') });
    const texts = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,6}$/), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(texts, fc.array(settle, { maxLength: 8 }), (all, wishes) => {
        const lines = all.map((text) => ({ text, quantity: 1 }));
        let sheet = apply(whole, { edit: 'add-lines', group: 0, lines });
        for (const { line, wish } of wishes) {
          const place = { group: 0, line: line + 1 } as const;
          const each = sheet.groups[0]!.lines[place.line];
          if (each?.text === undefined) continue;
          const item = { kind: 'new', fields: { name: each.text } } as const;
          sheet =
            wish === 'item'
              ? apply(sheet, { edit: 'change-line', ...place, change: { item, text: undefined } })
              : wish === 'leave'
                ? apply(sheet, { edit: 'leave-out', ...place, text: each.text })
                : apply(sheet, { edit: 'move-line', ...place, toGroup: 0, to: 1 });
        }
        const [group] = sheet.groups;
        const found = [
          ...group!.lines.flatMap(({ text, item }) =>
            item?.kind === 'new' ? [item.fields.name] : text === undefined ? [] : [text],
          ),
          ...(group!.leftOut ?? []),
        ];
        expect(found.sort()).toEqual([...all].sort());
      }),
    );
  });

  it('keeps every line when lines and groups move', () => {
    const lines = (sheet: Sheet) =>
      sheet.groups.flatMap((group) => group.lines.map((line) => JSON.stringify(line))).sort();
    const at = fc.integer({ min: -1, max: 5 });
    fc.assert(
      fc.property(sheets, at, at, at, at, (sheet, group, line, toGroup, to) => {
        expect(lines(apply(sheet, { edit: 'move-line', group, line, toGroup, to }))).toEqual(
          lines(sheet),
        );
        expect(lines(apply(sheet, { edit: 'move-group', group, to }))).toEqual(lines(sheet));
      }),
    );
  });
});

describe('a payload', () => {
  it('can be read back into the same sheet', () => {
    fc.assert(
      fc.property(sheets, (sheet) => {
        const { payload } = payloadOf(sheet);
        const again = payload && payloadOf(sheetOf(payload, () => undefined)).payload;
        expect(again).toEqual(payload);
      }),
      { numRuns: 500 },
    );
  });

  it('has the answers and nothing else', () => {
    expect(payloadOf(whole).payload).toEqual({
      title: 'Parts',
      sector: 'brakes',
      groups: [
        {
          name: 'Plant',
          deliveryMethod: 'delivery',
          addressId: 'adr-1',
          items: [{ quantity: 4, itemId: 'itm-1' }],
        },
      ],
    });
  });

  it('defines each code only once', () => {
    const item = { kind: 'new', fields: { name: 'Nut', code: 'N-1' } } as const;
    const sheet = apply(whole, {
      edit: 'add-lines',
      group: 0,
      lines: [
        { quantity: 1, item },
        { quantity: 2, item },
      ],
    });
    expect(payloadOf(sheet).problems).toEqual([
      { code: 'defined_twice', field: 'groups[0].items[2].item.code', group: 0, line: 2 },
    ]);
  });
});

describe('an item that is already in the group', () => {
  const twice = apply(whole, { edit: 'add-lines', group: 0, lines: [{ ...bolt, quantity: 9 }] });

  it('is a question, once its quantity is known', () => {
    expect(nextQuestion(twice)).toEqual({ ask: 'same-item', group: 0, line: 1 });
    const open = apply(twice, {
      edit: 'change-line',
      group: 0,
      line: 1,
      change: { quantity: undefined },
    });
    expect(nextQuestion(open)).toEqual({ ask: 'quantity', group: 0, line: 1 });
  });

  it('is no question if intended: a copy, an earlier requisition, two lines by choice', () => {
    const copied = apply(whole, { edit: 'duplicate-line', group: 0, line: 0 });
    expect(nextQuestion(copied)).toEqual({ ask: 'review' });
    const { payload } = payloadOf(copied);
    expect(nextQuestion(sheetOf(payload!, () => undefined))).toEqual({ ask: 'review' });
    const change = { isSeparate: true };
    const chosen = apply(twice, { edit: 'change-line', group: 0, line: 1, change });
    expect(nextQuestion(chosen)).toEqual({ ask: 'review' });
  });

  it('is no question in another group', () => {
    const group = { ...whole.groups[0]!, name: 'Depot' };
    expect(nextQuestion(apply(whole, { edit: 'add-group', group }))).toEqual({ ask: 'review' });
  });
});

describe('the next question', () => {
  it('is no address for a pickup', () => {
    const [plant] = whole.groups;
    const pickup = { ...plant!, deliveryMethod: 'pickup' as const, address: undefined };
    const sheet = { ...whole, groups: [{ ...pickup, lines: [] }] };
    expect(nextQuestion(sheet)).toEqual({ ask: 'first-line', group: 0 });
    expect(previousQuestion(sheet, nextQuestion(sheet))).toEqual({ ask: 'delivery', group: 0 });
    expect(nextQuestion({ ...whole, groups: [pickup] })).toEqual({ ask: 'review' });
  });

  it('asks in order, with the review last', () => {
    const asked: string[] = [];
    let sheet: Sheet = EMPTY_SHEET;
    for (;;) {
      const question = nextQuestion(sheet);
      asked.push(question.ask);
      if (question.ask === 'review') break;
      switch (question.ask) {
        case 'title':
          sheet = apply(sheet, { edit: 'change', change: { title: 'Parts' } });
          break;
        case 'type':
        case 'sector':
        case 'code':
          sheet = apply(sheet, { edit: 'change', change: { [question.ask]: null } });
          break;
        case 'group':
          sheet = apply(sheet, { edit: 'add-group' });
          break;
        case 'group-name':
          sheet = apply(sheet, { edit: 'change-group', group: 0, change: { name: null } });
          break;
        case 'delivery':
          sheet = apply(sheet, {
            edit: 'change-group',
            group: 0,
            change: { deliveryMethod: 'delivery' },
          });
          break;
        case 'address':
          sheet = apply(sheet, { edit: 'change-group', group: 0, change: { address: null } });
          break;
        case 'first-line':
          sheet = apply(sheet, { edit: 'add-lines', group: 0, lines: [{}] });
          break;
        case 'item':
          sheet = apply(sheet, {
            edit: 'change-line',
            group: 0,
            line: 0,
            change: { item: { kind: 'new', fields: {} } },
          });
          break;
        case 'item-field':
          sheet = apply(sheet, {
            edit: 'change-item',
            group: 0,
            line: 0,
            change: { fields: { [question.field]: 'x' } },
          });
          break;
        case 'more-fields':
          sheet = apply(sheet, {
            edit: 'change-item',
            group: 0,
            line: 0,
            change: { more: ['brand'] },
          });
          break;
        case 'quantity':
          sheet = apply(sheet, { edit: 'change-line', group: 0, line: 0, change: { quantity: 1 } });
          break;
        case 'more-lines':
          sheet = apply(sheet, { edit: 'change-group', group: 0, change: { isComplete: true } });
          break;
      }
    }
    expect(asked.join(' ')).toBe(
      'title type sector code group group-name delivery address first-line item item-field item-field item-field more-fields item-field quantity more-lines review',
    );
  });

  it.each([
    ['title', { ask: 'title' }],
    ['groups[0].addressId', { ask: 'address', group: 0 }],
    ['groups.0.items.0.quantity', { ask: 'quantity', group: 0, line: 0 }],
    ['/groups/0/items/0/itemId', { ask: 'item', group: 0, line: 0 }],
    ['body.groups.0.deliveryMethod', { ask: 'delivery', group: 0 }],
    ['groups[0].items', { ask: 'more-lines', group: 0 }],
    ['groups[9].name', undefined],
    ['constructor', undefined],
  ])('returns to the field that the service rejected: %s', (field, question) => {
    expect(questionFor(field, whole)).toEqual(question);
  });
});

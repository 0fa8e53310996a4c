import type { Sheet } from '../../src/compose/requisition-sheet.ts';
import { DOWN, type Steps } from './wizard.ts';

/** Answers for a title and a first group with pickup. The other fields stay empty. */
export const heading = (title: string): Steps => [
  ['Title of the requisition', `${title}\r`],
  ['Type (empty for none)', '\r'],
  ['Sector', '\r'],
  ['Your code for', '\r'],
  ['Name of group 1', 'Plant\r'],
  ['How is it delivered?', `${DOWN}\r`],
];

export const pasted = (list: string): Steps => [
  ['What goes into "Plant"?', `${DOWN}\r`],
  ['Paste or type a list', `${list}\r\r`],
];

/** Adds no more lines, and sends the requisition. */
export const done: Steps = [
  ['Anything else for "Plant"?', `${DOWN}${DOWN}\r`],
  ['What now?', '\r'],
];

/** A requisition with one group (pickup) and one new item without a code. */
export const sheetOf = (quantity: number): Sheet => ({
  title: 'Parts',
  type: null,
  sector: null,
  code: null,
  groups: [
    {
      name: 'Plant',
      deliveryMethod: 'pickup',
      address: null,
      lines: [
        {
          quantity,
          item: { kind: 'new', fields: { name: 'Nut', code: null, unitOfMeasure: null } },
        },
      ],
      isComplete: true,
    },
  ],
});

import { expect, it } from 'vitest';
import { type RowTransition, RowWriter } from '../../../src/import/ledger/rows/row-writer.ts';
import { stagedRows } from '../../../src/import/ledger/rows/run-rows.ts';
import { noCounts, type RowState } from '../../../src/import/ledger/rows/states.ts';
import { TRANSITIONS } from '../../../src/import/ledger/rows/transitions.ts';
import { SCHEMA } from '../../../src/import/ledger/run-file-tables.ts';
import { IN_MEMORY, openDatabase } from '../../../src/store/open-database.ts';

const STATES = Object.keys(noCounts()) as RowState[];

const OF_ONE_ROW: readonly RowTransition[] = [
  'collapse',
  'refuse',
  'inherit',
  'recall',
  'answer',
  'reconcile',
  'compare',
  'resolve',
  'repair',
  'withdraw',
];

/** A journal's tables with a row in each state; gives the states of all rows afterwards. */
function rows() {
  const database = openDatabase(IN_MEMORY);
  database.exec(SCHEMA);
  const insert = database.prepare('INSERT INTO main.rows (row, state, sent_at) VALUES (?, ?, 1)');
  for (const [at, state] of STATES.entries()) insert.run(at + 1, state);
  const states = () =>
    database
      .prepare('SELECT state FROM rows ORDER BY row')
      .all()
      .map(({ state }) => state as RowState);
  return { writer: new RowWriter(stagedRows(database)), database, states };
}

it.each(OF_ONE_ROW)('%s results in the states of the table, and no other', (transition) => {
  const { from, to } = TRANSITIONS[transition];
  for (const target of to) {
    const { writer, states } = rows();
    for (const [at, state] of STATES.entries()) {
      const isAllowed = (from as readonly RowState[]).includes(state);
      expect(writer.apply(at + 1, transition, target as never)).toBe(isAllowed);
    }
    expect(states()).toEqual(
      STATES.map((state) => ((from as readonly RowState[]).includes(state) ? target : state)),
    );
  }
});

it.each(OF_ONE_ROW)('%s leads to the states of the table, and no other', (transition) => {
  const { writer, states } = rows();
  const [from] = TRANSITIONS[transition].from;
  const row = STATES.indexOf(from) + 1;
  const targets: readonly RowState[] = TRANSITIONS[transition].to;
  for (const state of STATES.filter((one) => !targets.includes(one))) {
    expect(() => writer.apply(row, transition, state as never)).toThrow(
      `does not lead to the state ${state}`,
    );
  }
  expect(states()).toEqual(STATES);
});

it('changes of many rows at once result in the states of the table too', () => {
  const { writer, database, states } = rows();
  const last = STATES.length;
  database.exec("UPDATE main.rows SET status = 404 WHERE state = 'rejected'");
  writer.markSending().run(7, 0, last);
  expect(states()).toEqual(STATES.map((state) => (state === 'pending' ? 'sending' : state)));
  const made = STATES.map((_, at) => [at + 1, `itm-${at}`]);
  expect(writer.markCreated().run(JSON.stringify(made)).changes).toBe(2);
  expect(states().filter((state) => state === 'created')).toHaveLength(3);
  expect(writer.doubt('; perhaps')).toBe(1);
  expect(states().filter((state) => state === 'rejected')).toEqual([]);
  expect(writer.interrupt('cut off')).toBe(0);
  expect(writer.reopen()).toBe(2);
  expect(writer.exist('true', "'itm-9'")).toBe(0);
});

import { expect, it } from 'vitest';
import { Queries, SCHEMA } from '../../../src/import/store/run-database.ts';
import {
  noCounts,
  type RowState,
  type RowTransition,
  RowWriter,
  TRANSITIONS,
} from '../../../src/import/store/transitions.ts';
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
  'withdraw',
];

/** A journal with one row in each state, and a function that returns the current states. */
function rows() {
  const database = openDatabase(IN_MEMORY);
  database.exec(SCHEMA);
  const insert = database.prepare('INSERT INTO rows (row, state, sent_at) VALUES (?, ?, 1)');
  for (const [at, state] of STATES.entries()) insert.run(at + 1, state);
  const states = () =>
    database
      .prepare('SELECT state FROM rows ORDER BY row')
      .all()
      .map(({ state }) => state as RowState);
  return { writer: new RowWriter(new Queries(database)), database, states };
}

it.each(OF_ONE_ROW)('%s changes rows only from the states in the table', (transition) => {
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

it.each(OF_ONE_ROW)('%s refuses a state to which the table does not lead', (transition) => {
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

it('changes of many rows at once follow the table too', () => {
  const { writer, states } = rows();
  const last = STATES.length;
  writer.markSending().run(7, 0, last);
  expect(states()).toEqual(STATES.map((state) => (state === 'pending' ? 'sending' : state)));
  const made = STATES.map((_, at) => [at + 1, `itm-${at}`]);
  expect(writer.markCreated().run(JSON.stringify(made)).changes).toBe(2);
  expect(states().filter((state) => state === 'created')).toHaveLength(3);
  expect(writer.interrupt()).toBe(0);
  expect(writer.reopen()).toBe(1);
  expect(writer.exist('exist', 'catalogue c')).toBe(0);
});

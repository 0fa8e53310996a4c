import { command } from '../../core/command.ts';
import { listOrders } from '../../nouns/orders/index.ts';
import { LOCAL_CODES } from '../../nouns/shared/exit-code-sets.ts';

export const status = command({
  path: ['status'],
  changes: 'local',
  prints: 'record',
  shape: ({ z, textOrNull, numberOrNull, nextSteps, record }) =>
    record(
      z.looseObject({
        profile: textOrNull,
        environment: textOrNull,
        baseUrl: z.string(),
        orders: z.nullable(
          z.looseObject({
            count: z.number(),
            since: textOrNull,
            new: numberOrNull,
            changed: numberOrNull,
            gone: numberOrNull,
            changes: z.array(
              z.looseObject({ change: z.string(), id: textOrNull, code: textOrNull }),
            ),
            days: z.number(),
            statuses: z.record(z.string(), z.number()),
            undated: z.number(),
          }),
        ),
        unconfirmed: z.nullable(
          z.array(z.looseObject({ id: z.string(), at: z.string(), what: z.string() })),
        ),
        imports: z.nullable(
          z.array(
            z.looseObject({
              run: z.string(),
              state: z.string(),
              source: textOrNull,
              next: nextSteps,
            }),
          ),
        ),
        drafts: z.nullable(
          z.array(z.looseObject({ id: z.string(), title: textOrNull, updated: z.string() })),
        ),
        problems: z.array(
          z.looseObject({ part: z.string(), code: z.string(), message: z.string() }),
        ),
        next: nextSteps,
      }),
      'What could not be read is null, and problems says why. since: when the last proc status --seen ended. statuses: how many orders of the last days, or without a date, have each status.',
    ),
  summary: 'Show the target and what needs you, each with its command',
  description:
    'Shows orders that changed since the last look, pending and rejected orders of the last 30 days, unconfirmed writes, unfinished imports and drafts. Reads the orders once, for at most 5 seconds. If the service does not answer, status says so and exits 0.',
  flags: {
    seen: {
      kind: 'boolean',
      doc: 'remember the orders as they are now: the next status shows only later changes',
    },
  },
  examples: [
    { run: 'proc status', doc: 'what needs you now' },
    { run: 'proc status --seen', doc: 'also remember the orders as seen' },
    { run: 'proc status -o json', doc: 'the same as data, with the commands to run next' },
  ],
  exitCodes: LOCAL_CODES,
  endpoints: [listOrders],
  defaultDeadlineMs: 5_000,
  needs: ['io', 'lookup', 'store', 'self'],
  async plan({ flags }, ports) {
    const { lookAround } = await import('./look-around.ts');
    return {
      would: () => lookAround(false, ports),
      apply: () => lookAround(flags.seen, ports),
    };
  },
});

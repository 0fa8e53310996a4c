import { command } from '../../core/command.ts';
import { type ErrorInit, ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { inShell } from '../../core/text/typed.ts';
import { phrase } from '../../messages/writes.ts';
import { getAddress, patchAddress } from '../../nouns/addresses/index.ts';
import { getSector, patchSector } from '../../nouns/sectors/index.ts';
import { WRITE_CODES } from '../../nouns/shared/exit-code-sets.ts';
import { patchRecord } from '../../nouns/shared/send-patch.ts';
import { type Entry, resolveHint, subjectOf } from '../entry.ts';
import { findEntry } from '../find-entry.ts';
import { ENTRY } from './entry-flags.ts';

const PATCHES = [
  { patch: patchSector, read: getSector },
  { patch: patchAddress, read: getAddress },
];

export const undo = command({
  path: ['history', 'undo'],
  changes: 'service',
  prints: 'record',
  shape: ({ z, record }) => record(z.looseObject({}), 'The record as the service returns it.'),
  summary: 'Undo a change of a sector or an address',
  description:
    'Restores the values that history recorded before the patch. Shows what changes, and asks; in a script, add --yes. Only a patch can be undone: the service cannot delete what was created, or create again what was deleted.',
  args: ENTRY,
  examples: [
    {
      run: 'proc history undo last --dry-run',
      doc: 'the last change; show the request, send nothing',
    },
    { run: 'proc history undo h-5n8rwt --yes', doc: 'in a script' },
  ],
  exitCodes: WRITE_CODES,
  endpoints: [patchSector, patchAddress, getSector, getAddress],
  needs: ['io', 'api', 'lookup', 'store', 'self'],
  async run({ args }, ports) {
    const entry = await findEntry(
      ports,
      args.id,
      ({ endpoint, state }) =>
        state === 'done' && PATCHES.some(({ patch }) => patch.id === endpoint),
    );
    const { patch, read, id, body } = undoOf(entry);
    await mustBeTarget(entry, ports);
    const what = (name: string) =>
      phrase('undoPatch', Object.keys(body).join(', '), name, entry.id);
    return patchRecord(
      ports,
      {
        ...{ read, patch, id, body, what, isComposed: true },
        seen: (now) => warnOfLaterChange(entry, now, ports),
        alreadySo: `The record already has the values from before ${entry.id}. Nothing was sent.`,
      },
      ({ value }) => ({ kind: 'record', value }),
    );
  },
});

function undoOf(entry: Entry) {
  const { id, method, state, payload, before } = entry;
  const show = `proc history show ${inShell(id)}`;
  const refuse = (why: string, hint: ErrorInit['hint']): never => {
    throw new ProcError('invalid_usage', `${id} cannot be undone: ${why}`, { hint });
  };
  if (state === 'unknown') return refuse('its outcome is unknown', resolveHint(entry));
  if (state === 'rejected' || state === 'not-applied') {
    return refuse('it had no effect', `See it: ${show}`);
  }
  if (method === 'POST') {
    return refuse('it is a create, and only a patch can be undone', `See it: ${show}`);
  }
  if (method === 'DELETE') {
    const last = `See the deleted record: ${show} -q before`;
    return refuse('it is a delete, and the service cannot create the record again', last);
  }
  const found = PATCHES.find(({ patch }) => patch.id === entry.endpoint);
  if (found === undefined) return refuse('it was sent with proc api', `See it: ${show}`);
  if (before === undefined || !isObject(payload)) {
    return refuse('history has no previous value', `See it: ${show}`);
  }
  const fields = Object.keys(payload);
  const unknown = fields.filter((field) => before[field] === undefined || before[field] === null);
  if (unknown.length > 0) {
    const had = 'the service did not return the previous value of';
    return refuse(`${had} ${unknown.join(', ')}`, `See what is known: ${show} -q before`);
  }
  const body: Row = Object.fromEntries(fields.map((field) => [field, before[field]]));
  return { ...found, id: subjectOf(entry)!, body };
}

async function mustBeTarget(entry: Entry, ports: Ports<'api' | 'store'>): Promise<void> {
  if ((await ports.store.scope()).ownershipOf(entry) === 'ours') return;
  const { profile, environment, organization, baseUrl } = entry;
  const flags = [
    ...(profile === undefined ? [] : ['-p', inShell(profile)]),
    ...(environment === undefined ? [] : ['-e', inShell(environment)]),
  ].join(' ');
  throw new ProcError(
    'invalid_usage',
    `${entry.id} was sent to ${organization}, which is not the current target`,
    {
      hint:
        flags === ''
          ? `Select its target: ${baseUrl}`
          : `Select its target: proc history undo ${inShell(entry.id)} ${flags}`,
    },
  );
}

/** An undo also overwrites what others have changed since, so proc warns first. */
function warnOfLaterChange({ id, payload }: Entry, now: Row, { io }: Ports<'io'>): void {
  const sent = payload as Row;
  const others = Object.keys(sent).filter(
    (field) =>
      now[field] !== undefined && JSON.stringify(now[field]) !== JSON.stringify(sent[field]),
  );
  if (others.length === 0) return;
  io.say({
    kind: 'warning',
    text: `${id} is not the last change of these fields: ${others.join(', ')}`,
  });
}

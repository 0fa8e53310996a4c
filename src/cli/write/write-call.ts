import { call } from '../../client/call.ts';
import { nounOf } from '../../core/endpoint.ts';
import { isSignalled, ProcError } from '../../core/errors.ts';
import { isObject } from '../../core/is-object.ts';
import type { AskPort, IoPort, SelfPort, StorePort, Written } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { idText } from '../../core/service/same-value.ts';
import { targetFlags } from '../../core/text/typed.ts';
import { HISTORY } from '../../history/store.ts';
import { writerOf } from '../../history/written-by.ts';
import { sentByRun } from '../../import/store/sent-before.ts';
import type { ListSource } from '../../listing/list-reader.ts';
import { findRows } from '../../listing/search-codes.ts';
import { createItem, listItems } from '../../nouns/items/index.ts';
import type { Destination } from '../wire/destination.ts';
import { recordedWrite, type Write } from './recorded-write.ts';

export interface WritePorts {
  readonly self: SelfPort;
  readonly io: IoPort;
  readonly ask: AskPort;
  readonly store: StorePort;
  readonly destination: Destination;
  onWritten(written: Written): void;
}

export async function writeCall(write: Write, ports: WritePorts): Promise<unknown> {
  const { self, io, ask, store, destination } = ports;
  const client = await destination.clientPorts(write.target);
  return recordedWrite(
    write,
    (onOutcome) => call(write.spec, write.input, { ...client, onOutcome }),
    {
      again: self.flags.again || write.intent.again === true,
      targetFlags: targetFlags(self.flags),
      clock: self.clock,
      writer: writerOf(self.env, io.terminal),
      say: io.say,
      history: () => store.open(HISTORY),
      scope: store.scope,
      sentByRun: async (draft) => {
        const sentRows = (await store.open(HISTORY)).sentRows(await store.scope());
        return (await sentRows.any()) ? sentByRun(draft, sentRows) : undefined;
      },
      heldBy: (one, id) => heldBy(one, id, ports),
      onWritten: ports.onWritten,
      tell:
        io.terminal.stderrIsTerminal && !self.flags.quiet
          ? async ({ input, intent }, created) => {
              const text = writtenText(intent.what, { created, body: input.body });
              io.say({ kind: 'notice', tone: 'done', text });
            }
          : undefined,
      confirm: io.terminal.interactive ? (question) => ask.confirm(question, false) : undefined,
    },
  );
}

async function heldBy(
  { spec, input, intent, target }: Write,
  id: string,
  { self, io, store, destination }: WritePorts,
): Promise<string | undefined> {
  // Ids of lines and groups may be unique only within their requisition.
  if (spec.method !== 'POST' || spec.path.includes('{')) return undefined;
  const scope = await store.scope();
  const history = await store.open(HISTORY);
  const entry = await history.creatorOf(scope, spec.id, id);
  const noun = nounOf(spec);
  const [row] = await history.sentRows(scope).creators(noun, [id]);
  if (entry === undefined && row === undefined) return undefined;
  if (spec.id === createItem.id) {
    const payload = entry === undefined ? undefined : (await history.get(entry))?.payload;
    const code = row?.code ?? (payload as { code?: string } | undefined)?.code;
    const wasLookedUp = !self.flags.again && intent.again !== true;
    // The list did not have this code before the write, so the earlier record was gone: the service was reset.
    if (code === (input.body as { code?: string }).code && wasLookedUp) return undefined;
    const read = (_: unknown, query: Row) =>
      destination.callAt(target, listItems, { query }) as Promise<readonly Row[]>;
    if (code !== undefined && !(await isShown(id, code, { target, read }, io.say)))
      return undefined;
  }
  return row === undefined ? `the command ${entry}` : `row ${row.row} of run ${row.run}`;
}

/** Whether the list has the record. True if the list does not prove the contrary. */
async function isShown(
  id: string,
  code: string,
  source: ListSource,
  say: IoPort['say'],
): Promise<boolean> {
  try {
    const { rows, isProved } = await findRows(
      { spec: listItems, field: 'code', value: code },
      source,
      say,
    );
    return !isProved || rows.some((row) => idText(row.id) === id);
  } catch (thrown) {
    if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
    return true;
  }
}

/** Verb of a write → its form once the write is done: `create` → `Created`. */
const DONE: Readonly<Record<string, string>> = {
  create: 'Created',
  add: 'Added',
  delete: 'Deleted',
  change: 'Changed',
  restore: 'Restored',
};

/** `id` has the title behind it: several requisitions may have the same title. */
function requisitionText(id: string, groups: number, items: number): string {
  return `Created requisition ${id} (${counted(groups, 'group')}, ${counted(items, 'item')})`;
}

interface WriteResult {
  readonly created: string | undefined;
  readonly body: unknown;
}

/** What a write has done: `Created item "Bolt": itm-1`. */
export function writtenText(what: string, { created, body }: WriteResult): string {
  if (created !== undefined && isObject(body) && Array.isArray(body.groups)) {
    const items = body.groups.flatMap((group: unknown) =>
      isObject(group) && Array.isArray(group.items) ? (group.items as unknown[]) : [],
    );
    const title = typeof body.title === 'string' ? ` "${body.title}"` : '';
    return requisitionText(`${created}${title}`, body.groups.length, items.length);
  }
  const [, verb = '', rest = ''] = /^(\S+)(.*)$/s.exec(what) ?? [];
  const done = DONE[verb];
  // The text of a raw call begins with its HTTP method, which is not in `DONE`.
  const sentence = done === undefined ? `${what}: OK` : `${done}${rest}`;
  return created === undefined ? sentence : `${sentence}: ${created}`;
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

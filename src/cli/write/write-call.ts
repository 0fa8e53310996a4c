import { call } from '../../client/call.ts';
import type { AskPort, IoPort, SelfPort, StorePort, Written } from '../../core/ports.ts';
import { targetFlags } from '../../core/text/typed.ts';
import { HISTORY } from '../../history/store.ts';
import { writerOf } from '../../history/written-by.ts';
import { sentByRun } from '../../import/ledger/sent/sent-by-run.ts';
import { writtenText } from '../../messages/written.ts';
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
        return sentRows.any() ? sentByRun(draft, sentRows) : undefined;
      },
      lang: io.lang,
      onWritten: ports.onWritten,
      tell: io.terminal.stderrIsTerminal
        ? async ({ input, intent }, created) => {
            const text = writtenText(intent.what, { created, body: input.body }, await io.lang());
            io.say({ kind: 'notice', tone: 'done', text });
          }
        : undefined,
      confirm: io.terminal.interactive ? (question) => ask.confirm(question, false) : undefined,
    },
  );
}

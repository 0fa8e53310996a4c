import type { Connection } from '../../core/service/sender.ts';
import type { PreparedRequest } from '../request.ts';
import { dispatchOptions } from '../send-once.ts';
import type { RequestControl, ResponseHandler } from './connection-slot.ts';
import type { Transport } from './transport.ts';

const OPEN_ARRAY = 0x5b;
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Fetches a list as the last request of a connection that sent writes. The response to a write is never a
 * list. So if the next response is a list, no extra response came before it (docs/internals/protocol.md,
 * "Connections out of step").
 *
 * @returns false if nothing was sent, e.g. because the connection is in use
 */
export function askWhetherInStep(
  connection: Connection,
  list: PreparedRequest,
  { transport, timeoutMs }: { readonly transport: Transport; readonly timeoutMs: number },
  onResult: (isInStep: boolean) => void,
): boolean {
  return transport.dispatcher.ask(
    connection,
    dispatchOptions(list),
    new ListProbe(timeoutMs, onResult),
  );
}

/** Reads only until it is clear whether the response is a list. */
class ListProbe implements ResponseHandler {
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #onResult: ((isInStep: boolean) => void) | undefined;
  #control: RequestControl | undefined;
  #status = 0;

  constructor(timeoutMs: number, onResult: (isInStep: boolean) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onResult = onResult;
  }

  onRequestStart(control: RequestControl, connection: Connection): void {
    // The connection to check has ended, and undici has opened a new one. A response on the new connection
    // would prove nothing.
    if (connection.responses === 0) {
      control.abort(new Error('another connection'));
      this.#finish(false);
      return;
    }
    this.#control = control;
    this.#timer = setTimeout(() => this.#finish(false), this.#timeoutMs);
  }

  onResponseStart(_: unknown, status: number): void {
    this.#status = status;
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    const first = chunk.find((byte) => !SPACE.has(byte));
    if (first !== undefined) this.#finish(this.#status === 200 && first === OPEN_ARRAY);
  }

  onResponseEnd(): void {
    this.#finish(false);
  }

  onResponseError(): void {
    this.#finish(false);
  }

  #finish(isInStep: boolean): void {
    const onResult = this.#onResult;
    if (onResult === undefined) return;
    this.#onResult = undefined;
    clearTimeout(this.#timer);
    onResult(isInStep);
    // The rest of the list may be long. Abort later, because undici is reading now.
    setImmediate(() => this.#control?.abort(new Error('enough read')));
  }
}

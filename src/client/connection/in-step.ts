import type { Dispatcher } from 'undici';
import type { Connection } from '../../core/service/sender.ts';
import type { PreparedRequest } from '../request.ts';
import { dispatchOptions } from '../send.ts';
import type { AnswerHandler } from './lane.ts';
import type { Transport } from './transport.ts';

const OPEN_ARRAY = 0x5b;
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/**
 * Finds out whether all answers that came on a connection so far were those of their requests. A list is
 * asked for as the last thing: answers come in order, and no write is answered with a list, so if the
 * next answer is one, no answer too many came before it.
 *
 * @returns false where the connection is not idle: then nothing is asked
 */
export function askWhetherInStep(
  connection: Connection,
  list: PreparedRequest,
  transport: Transport,
  timeoutMs: number,
  onTold: (isInStep: boolean) => void,
): boolean {
  return transport.dispatcher.ask(
    connection,
    dispatchOptions(list),
    new Question(timeoutMs, onTold),
  );
}

/** Reads no more of the answer than tells that it is a list. */
class Question implements AnswerHandler {
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  #onTold: ((isInStep: boolean) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;

  constructor(timeoutMs: number, onTold: (isInStep: boolean) => void) {
    this.#timeoutMs = timeoutMs;
    this.#onTold = onTold;
  }

  onRequestStart(controller: Dispatcher.DispatchController, connection: Connection): void {
    // The connection ended meanwhile, and this is another one: it says nothing of the first.
    if (connection.answers === 0) {
      controller.abort(new Error('another connection'));
      this.#tell(false);
      return;
    }
    this.#controller = controller;
    this.#timer = setTimeout(() => this.#tell(false), this.#timeoutMs);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    const first = chunk.find((byte) => !SPACE.has(byte));
    if (first !== undefined) this.#tell(this.#status === 200 && first === OPEN_ARRAY);
  }

  onResponseEnd(): void {
    this.#tell(false);
  }

  onResponseError(): void {
    this.#tell(false);
  }

  #tell(isInStep: boolean): void {
    const onTold = this.#onTold;
    if (onTold === undefined) return;
    this.#onTold = undefined;
    clearTimeout(this.#timer);
    onTold(isInStep);
    // The rest of the list may be long. undici is just reading from the connection.
    setImmediate(() => this.#controller?.abort(new Error('enough read')));
  }
}

import type { ServerResponse } from 'node:http';
import { type Reply, rawReply, refusal, send } from '../server/http.ts';
import { Problem } from '../server/problem.ts';
import type { StepName } from './behaviour.ts';

/** How long a response waits for a second response to swap with. After that it is sent normally. */
const SWAP_MS = 50;
const LATE_MS = 3;

interface HeldResponse {
  readonly outgoing: ServerResponse;
  readonly requestId: string;
  readonly reply: Reply;
}

/** Sends responses that do not match their requests, like a faulty proxy. */
export class OutOfStep {
  #waiting: (HeldResponse & { readonly timer: NodeJS.Timeout }) | undefined;

  send(step: StepName, outgoing: ServerResponse, requestId: string, reply: Reply): void {
    if (step === 'swap') {
      this.#swap({ outgoing, requestId, reply });
      return;
    }
    const { socket } = outgoing;
    const more = (text: string, isLast: boolean) => {
      if (socket?.writable !== true) return;
      if (isLast) socket.end(text);
      else socket.write(text);
    };
    outgoing.once('finish', () => {
      if (step === 'dup') more(rawReply(requestId, reply, 'keep-alive'), false);
      else if (reply.status < 300) {
        const busy = { ...refusal(new Problem(503, 'The service is busy')), retryAfter: 0 };
        setTimeout(() => more(rawReply(requestId, busy, 'close'), true), Math.random() * LATE_MS);
      }
    });
    send(outgoing, requestId, reply);
  }

  /** @returns false, and sends nothing, if no other response waits */
  swapped(outgoing: ServerResponse, requestId: string, reply: Reply): boolean {
    const other = this.#waiting;
    if (other === undefined) return false;
    this.#waiting = undefined;
    clearTimeout(other.timer);
    send(outgoing, other.requestId, other.reply);
    send(other.outgoing, requestId, reply);
    return true;
  }

  #swap(response: HeldResponse): void {
    const { outgoing, requestId, reply } = response;
    if (this.swapped(outgoing, requestId, reply)) return;
    const timer = setTimeout(() => {
      this.#waiting = undefined;
      send(outgoing, requestId, reply);
    }, SWAP_MS);
    this.#waiting = { ...response, timer };
  }
}

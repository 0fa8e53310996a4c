import type { IncomingHttpHeaders } from 'node:http';
import { systemCode } from '../../core/errors.ts';
import type { RequestControl, ResponseHandler } from './connection-slot.ts';
import type { Transport } from './transport.ts';

/**
 * Codes of errors for an unknown certificate authority. Another certificate store may have this authority.
 */
const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

export function isUnknownAuthority(code: string | undefined): boolean {
  return code !== undefined && UNKNOWN_AUTHORITY.has(code);
}

/**
 * Changes to another transport if a certificate has an unknown authority. Nothing of the request has left
 * before such an error.
 *
 * @param change opens the other transport; called once
 */
export function changingIfUntrusted(first: Transport, change: () => Promise<Transport>): Transport {
  let current = first;
  let changed: Promise<Transport> | undefined;
  return {
    dispatcher: {
      dispatch(request, handler, use) {
        if (current !== first) {
          current.dispatcher.dispatch(request, handler, use);
          return;
        }
        const attempt = new FirstAttempt(handler, () => {
          changed ??= change();
          changed.then(
            (other) => {
              current = other;
              return other.dispatcher.dispatch(request, handler, use);
            },
            (thrown: Error) => handler.onResponseError(undefined, thrown),
          );
        });
        first.dispatcher.dispatch(request, attempt, use);
      },
    },
    async close() {
      const other = await changed?.catch(() => undefined);
      await Promise.all([first.close(), other?.close()]);
    },
  };
}

class FirstAttempt implements ResponseHandler {
  readonly #handler: ResponseHandler;
  readonly #onUntrusted: () => void;
  #isStarted = false;

  constructor(handler: ResponseHandler, onUntrusted: () => void) {
    this.#handler = handler;
    this.#onUntrusted = onUntrusted;
  }

  onRequestStart(control: RequestControl): void {
    this.#isStarted = true;
    this.#handler.onRequestStart(control);
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#handler.onResponseStart(undefined, status, headers);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#handler.onResponseData(undefined, chunk);
  }

  onResponseEnd(): void {
    this.#handler.onResponseEnd();
  }

  onResponseError(_: unknown, error: Error): void {
    if (!this.#isStarted && isUnknownAuthority(systemCode(error))) this.#onUntrusted();
    else this.#handler.onResponseError(undefined, error);
  }
}

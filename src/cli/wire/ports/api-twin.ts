import { prepare } from '../../../client/request.ts';
import type { AnyInput, EndpointSpec } from '../../../core/endpoint.ts';
import type { ApiPort, SelfPort, Terminal, WriteIntent } from '../../../core/ports.ts';
import type { Row } from '../../../core/result.ts';
import { Previewed } from '../../../core/result.ts';
import type { Destination } from '../destination.ts';
import { lazyPages } from '../lazy-pages.ts';
import { curl, dryRun, type Placeholders } from '../preview.ts';
import { withoutKey } from '../without-key.ts';

interface TwinOptions {
  readonly self: SelfPort;
  readonly terminal: Terminal;
  readonly destination: Destination;
  /** Unresolved parts of what is shown. */
  readonly placeholders: Placeholders;
}

/** Requests that are shown instead: `--dry-run` and `--curl`. */
export function createApiTwin(options: TwinOptions): ApiPort {
  const { self, terminal, destination, placeholders } = options;
  const { target } = destination;

  async function callAny(
    spec: EndpointSpec,
    input: AnyInput,
    intent?: WriteIntent,
  ): Promise<never> {
    const request = prepare(spec, input, await target());
    if (self.flags.curl) throw new Previewed(curl(request, placeholders));
    const isReviewed = terminal.interactive && intent?.review !== undefined;
    if (isReviewed) await intent.review();
    throw new Previewed(dryRun(request, isReviewed, placeholders));
  }

  return {
    isPreview: true,
    target: async () => withoutKey(await target()),
    callAny,
    call: callAny as ApiPort['call'],
    callAt: destination.callAt as ApiPort['callAt'],
    pages: (spec, query) =>
      lazyPages(async () => {
        const { listPages } = await import('../../../listing/list-pages.ts');
        const read = (list: EndpointSpec, part: Row) =>
          callAny(list, { query: part }) as Promise<readonly Row[]>;
        return listPages(spec, query, async () => ({ target: await target(), read }));
      }),
    async sender(connections, dialect) {
      const { openSender } = await import('../open-sender.ts');
      return openSender(destination, self, connections, dialect);
    },
    confirm: async () => undefined,
    ensureAskable: async () => undefined,
    noteWritten: () => undefined,
  };
}

import type { Context } from '../../context.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';
import type { Result, Row } from '../../core/result.ts';
import { textOf } from '../../core/text/raw-number.ts';
import { type Each, eachId } from './each-id.ts';
import type { ListedKind } from './references/look-up-references.ts';
import { rowsMeant } from './references/references.ts';

interface EachListed extends Pick<Each, 'refs' | 'columns'> {
  readonly list: EndpointSpec;
  readonly kind: ListedKind;
  /** What else to do if no record matches a reference. */
  readonly hint: (ref: string) => string;
}

/** Shows records of a list, because the service has no request for a single one. */
export function showEach(ctx: Context, { list, kind, hint, ...each }: EachListed): Promise<Result> {
  const found = new Map<string, Row>();
  const resolve = async (refs: readonly string[]) => {
    const meant = await rowsMeant(ctx, kind, refs, hint);
    return (ref: string) => {
      const row = meant(ref);
      const id = textOf(row.id) ?? '';
      found.set(id, row);
      return id;
    };
  };
  const reading = { ...each, reads: list, resolve };
  return eachId(ctx, reading, async (id, record) => record(found.get(id)!));
}

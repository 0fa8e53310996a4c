import type { EndpointSpec } from '../core/endpoint.ts';
import type { TargetFields } from './import-fields.ts';

/**
 * What bulk import must know of a noun: plain data, so that the engine knows none by name. A noun
 * that cannot be listed leaves `listing` out; what is in doubt there stays in doubt.
 */
export interface ImportTarget {
  /** As on the command line: `items`. */
  readonly noun: string;
  /** What one row is called, and several. */
  readonly one: string;
  readonly many: string;
  /** Sends one row. Its response names the field that carries the id (`created`). */
  readonly create: EndpointSpec;
  /** What columns can be mapped to. */
  readonly fields: TargetFields;
  /** Field of the body by which a row is recognised again: `code`. */
  readonly keyField: string;
  /** Where what was created can be seen. */
  readonly listing?: {
    /** Rows carry `id`, the key field and the name field. */
    readonly endpoint: EndpointSpec;
    /** Value of `sort` that orders by the key field. */
    readonly sort: string;
    readonly idField: string;
    /** Recognises rows without a key where the user asks for it (`--no-code name`). */
    readonly nameField: string;
  };
}

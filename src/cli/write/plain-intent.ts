import type { EndpointSpec } from '../../core/endpoint.ts';
import type { WriteIntent } from '../../core/ports.ts';

/** What a write is called where its command says no more. */
export function plainIntent(spec: EndpointSpec): WriteIntent {
  const weight = spec.method === 'DELETE' ? 'delete' : spec.method === 'PATCH' ? 'patch' : 'create';
  return { what: `${spec.method} ${spec.path}`, weight };
}

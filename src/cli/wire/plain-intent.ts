import type { WriteIntent } from '../../core/command.ts';
import type { EndpointSpec } from '../../core/endpoint.ts';

/** What a write is called where its command says no more. */
export function plainIntent(spec: EndpointSpec): WriteIntent {
  const weight = spec.method === 'DELETE' ? 'delete' : spec.method === 'PATCH' ? 'patch' : 'create';
  return { what: `${spec.method} ${spec.path}`, weight };
}

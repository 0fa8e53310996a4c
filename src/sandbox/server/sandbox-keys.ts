import { PUBLISHED_KEYS } from '../../core/service/hiding.ts';

export interface SandboxKey {
  readonly organizationId: string;
  readonly apiKey: string;
  /** A bearer token in the form of an unsigned JWT. */
  readonly token: string;
}

const [FIRST_KEY, SECOND_KEY] = PUBLISHED_KEYS as [string, string];

/** The keys of the two organizations. They are public, and valid only for sandboxes. */
export const SANDBOX_KEYS: readonly [SandboxKey, SandboxKey] = [
  {
    organizationId: 'org-1',
    apiKey: FIRST_KEY,
    token: 'eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJvcmdhbml6YXRpb24iOiJvcmctMSJ9.sandbox',
  },
  {
    organizationId: 'zz-org-2',
    apiKey: SECOND_KEY,
    token: 'eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJvcmdhbml6YXRpb24iOiJ6ei1vcmctMiJ9.sandbox',
  },
];

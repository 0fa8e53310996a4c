import { DEFAULT_DIALECT } from '../../src/config/settings.ts';
import { Secret } from '../../src/core/secret.ts';
import type { KeyedTarget } from '../../src/core/service.ts';

/** A target that no profile has. */
export function targetAt(baseUrl: string, more: Partial<KeyedTarget> = {}): KeyedTarget {
  return {
    ...{ profile: undefined, environment: undefined, credentialProfile: undefined },
    ...{ baseUrl, readOnly: undefined, isProtected: false, dialect: () => DEFAULT_DIALECT },
    credential: { scheme: 'api-key', secret: new Secret('a-secret-key') },
    ...more,
  };
}

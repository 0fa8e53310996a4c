import { messageOf } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import { type KeyPlace, removeFromKeychain } from '../credential/keychain.ts';

/** Removes keys that no environment uses any more. If a key stays in the keychain, only warns. */
export async function removeOrWarn(
  places: readonly KeyPlace[],
  { io, self }: Ports<'io' | 'self'>,
): Promise<void> {
  for (const place of places) {
    try {
      await removeFromKeychain(place, self.env);
    } catch (thrown) {
      const text = `the key of ${place.profile}/${place.environment} is still in the keyring: ${messageOf(thrown)}`;
      io.say({ kind: 'warning', text });
    }
  }
}

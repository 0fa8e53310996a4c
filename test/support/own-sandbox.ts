import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { inFrontOf, type Ways } from './dialects.ts';

export type OwnOptions = SandboxOptions & Ways;

/** A sandbox in this process; with a dialect or habits, behind a service that has them. */
export async function startOwnSandbox({
  dialect,
  habits,
  onRequest,
  ...options
}: OwnOptions = {}): Promise<Sandbox> {
  const isPlain = !dialect && !habits;
  const sandbox = await startSandbox({ ...options, ...(isPlain ? { onRequest } : {}) });
  return isPlain ? sandbox : inFrontOf(sandbox, { dialect, habits }, onRequest);
}

import { ProcError } from '../../core/errors.ts';
import type { Ports, WriteIntent } from '../../core/ports.ts';
import { placeName, type Target } from '../../core/service-target.ts';
import { targetFlags } from '../../core/text/typed.ts';
import { HISTORY } from '../../history/store.ts';
import { writerOf } from '../../history/written-by.ts';
import { phrase } from '../../messages/writes.ts';
import {
  contradictionOf,
  keepTraits,
  rehearsedFor,
  type Traits,
} from '../../rehearsal/kept-traits.ts';
import { type Check, problem, skipped, warning } from '../check.ts';
import { rehearse } from './rehearse.ts';
import { MOST_RECORDS, specimenLines, specimens } from './specimens.ts';
import { traitChecks } from './trait-checks.ts';

const INTENT: WriteIntent = {
  what: phrase('rehearse', String(MOST_RECORDS)),
  weight: 'bulk',
  irreversible: true,
};

/**
 * Call it before any request.
 *
 * @throws ProcError `confirmation_required` in a protected environment off a terminal, where nobody can type the
 *   name of its profile; `invalid_usage` if the traits would belong to no environment
 */
export async function checkRehearsal({
  io,
  api,
  self,
}: Ports<'io' | 'api' | 'self'>): Promise<void> {
  const target = await api.target();
  const { profile, environment, isProtected, isOtherAddress } = target;
  const flags = targetFlags(self.flags);
  if (profile === undefined || environment === undefined) {
    throw new ProcError(
      'invalid_usage',
      `${placeName(target)} belongs to no profile, so there is no environment to rehearse`,
      { hint: 'Add a profile first: proc setup' },
    );
  }
  if (isOtherAddress) {
    throw new ProcError(
      'invalid_usage',
      `PROC_BASE_URL is not the address of ${profile} · ${environment}, so its rehearsal would say nothing`,
      { hint: `Unset PROC_BASE_URL, then run: proc doctor --rehearse${flags}` },
    );
  }
  if (isProtected && !io.terminal.interactive && !api.isPreview) {
    throw new ProcError(
      'confirmation_required',
      `${placeName(target)} is protected: it is rehearsed only on a terminal, where the name of its profile is typed; nothing was sent`,
      { hint: 'Rehearse another environment of the profile: its traits count here too' },
    );
  }
  if (!api.isPreview) await api.ensureAskable(INTENT);
}

/** @param dialect the names of the list parameters that were detected */
export async function rehearsalChecks(
  dialect: Target['dialect'] | undefined,
  ports: Ports<'io' | 'api' | 'store' | 'self'>,
): Promise<readonly Check[]> {
  const { io, api, store, self } = ports;
  const chosen = specimens(self.clock.random);
  const lines = specimenLines(chosen);
  const target = await api.target();
  const place = placeName(target);
  if (api.isPreview) {
    return [
      {
        ...skipped('rehearsal', `would create ${MOST_RECORDS} records on ${place}`),
        evidence: lines,
      },
    ];
  }
  const shown = lines.map((line) => `  ${line}`).join('\n');
  io.say({ kind: 'notice', text: `The rehearsal creates on ${place}:\n${shown}` });
  await api.confirm(INTENT);
  const found = await rehearse(chosen, {
    sender: await api.sender(1, dialect),
    history: await store.open(HISTORY),
    scope: await store.scope(),
    writer: writerOf(self.env, io.terminal),
    clock: self.clock,
    signal: self.signal,
    say: io.say,
  });
  const traits: Traits = {
    profile: target.profile!,
    environment: target.environment!,
    baseUrl: target.baseUrl,
    at: new Date(self.clock.now()).toISOString(),
    ...found,
  };
  keepTraits(self.env, traits);
  const flags = targetFlags(self.flags);
  api.noteWritten({
    what: `rehearsal: ${traits.left.length} records created`,
    see: `proc history list${flags}`,
  });
  return traitChecks(traits, self.clock.now());
}

/** The traits that imports and creates expect of this environment; empty if nothing was rehearsed. */
export async function knownTraits(ports: Ports<'api' | 'self'>): Promise<readonly Check[]> {
  try {
    const target = await ports.api.target();
    const rehearsed = await rehearsedFor(ports);
    if (rehearsed !== undefined) return traitChecks(rehearsed, ports.self.clock.now());
    const contradiction = contradictionOf(ports.self.env, target);
    if (contradiction === undefined) return [];
    const { environment, at, why } = contradiction;
    const flags = targetFlags(ports.self.flags);
    return [
      warning(
        'rehearsal',
        `the rehearsal on ${environment} (${at}) does not hold here: ${why}`,
        `Rehearse again: proc doctor --rehearse${flags}`,
      ),
    ];
  } catch (thrown) {
    if (thrown instanceof ProcError && thrown.code === 'config_unreadable') {
      return [problem('rehearsal', thrown)];
    }
    throw thrown;
  }
}

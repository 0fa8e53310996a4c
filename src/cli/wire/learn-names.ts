import { dialectFor, parseDialect } from '../../client/dialect.ts';
import type { Ports } from '../../core/ports.ts';
import type { Target } from '../../core/service-target.ts';
import { isUsable } from '../../doctor/dialect/finding.ts';
import { dialectWith, storeDialect } from '../../doctor/dialect/keep-dialect.ts';
import { agrees } from '../../doctor/dialect/learn-dialect.ts';
import { learnLists } from '../../doctor/dialect/learn-lists.ts';
import { openSettings } from '../../settings/read/open-settings.ts';
import { select } from '../../settings/read/select-target.ts';
import type { Destination } from './destination.ts';
import { openSender } from './open-sender.ts';

/**
 * Detects the parameter names after the service has refused a list, and stores them in the environment.
 *
 * @returns undefined if there are no better names than those in use
 */
export async function learnNames(
  destination: Destination,
  { io, self }: Ports<'io' | 'self'>,
): Promise<Target['dialect'] | undefined> {
  const { clock, signal } = self;
  const sender = await openSender(destination, self, 1);
  const findings = await learnLists({ sender, clock, signal });
  const isNew = [...findings].some(([noun, found]) => {
    const dialect = sender.target.dialect(noun);
    return found.some((finding) => isUsable(finding) && !agrees(dialect, finding));
  });
  if (!isNew) return undefined;
  const selection = select(openSettings(self).sources());
  const text = dialectWith({ self }, selection, findings);
  const stored = await storeDialect({ self }, selection, findings);
  const isKept = stored.kind === 'stored' && !self.flags.dryRun && !self.flags.curl;
  const where = isKept
    ? `stored for ${stored.place}: ${text}`
    : `to keep them, run proc doctor or set PROC_DIALECT='${text}'`;
  io.say({
    kind: 'notice',
    text: `the service has other names for the list parameters; ${where}`,
  });
  const settings = parseDialect(text, 'the detected dialect');
  return (noun) => dialectFor(settings, noun);
}

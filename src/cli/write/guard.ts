import { declined, ProcError } from '../../core/errors.ts';
import type { GlobalFlags } from '../../core/global-flags.ts';
import type { Env, Say, WriteIntent } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { requireWritable } from '../../core/service/read-only.ts';
import { placeName, type Target } from '../../core/service-target.ts';
import { capital } from '../../core/text/listed.ts';
import { typedAgain } from '../../core/text/typed.ts';
import { needsConfirmation } from '../../terminal/confirm-change.ts';

export interface Asking {
  readonly interactive: boolean;
  confirm(question: string): Promise<boolean>;
  typed(question: string, expected: string): Promise<boolean>;
  /** Shows the record that is to be deleted. */
  show(record: Row): Promise<void>;
}

export interface GuardPorts {
  readonly globals: Pick<GlobalFlags, 'yes' | 'env'>;
  readonly env: Env;
  readonly typed: readonly string[];
  readonly say: Say;
  asking(): Promise<Asking>;
}

/**
 * Refuses a write to a read-only target, and asks if the write needs confirmation. Every write passes
 * here.
 *
 * @throws ProcError `read_only`, `confirmation_required` or `declined`, before anything is sent
 */
export async function guard(intent: WriteIntent, target: Target, ports: GuardPorts): Promise<void> {
  requireWritable(target, intent.what);
  if (intent.isConfirmed === true) return;
  if (target.isProtected) {
    ports.say({
      kind: 'notice',
      tone: 'protected',
      text: `▸ ${placeName(target)}`,
    });
  }
  if (!needsConsent(intent, target)) return;
  const asking = await ports.asking();
  if (!asking.interactive) return consentByFlags(intent, target, ports);
  const mustType = target.isProtected && (intent.weight === 'delete' || intent.weight === 'bulk');
  // For a patch, `before` has already been shown, next to the new values.
  if (intent.before !== undefined && intent.weight === 'delete') await asking.show(intent.before);
  await intent.review?.();

  const what = intent.what;
  const where = placeName(target);
  const name = target.profile ?? new URL(target.baseUrl).host;
  const agreed = mustType
    ? await asking.typed(`${capital(what)} on ${where}. Type ${name} to confirm:`, name)
    : ports.globals.yes || (await asking.confirm(`${capital(what)} on ${where}?`));
  if (!agreed) {
    throw declined(intent.weight);
  }
}

/** Fails before the first read if `guard` would later refuse the write without asking. */
export async function ensureAskable(
  intent: WriteIntent,
  target: Target,
  ports: GuardPorts,
): Promise<void> {
  requireWritable(target, intent.what);
  if (!needsConsent(intent, target)) return;
  if (!(await ports.asking()).interactive) consentByFlags(intent, target, ports);
}

function needsConsent(intent: WriteIntent, target: Target): boolean {
  return (
    target.isProtected ||
    intent.irreversible === true ||
    intent.isComposed === true ||
    intent.weight === 'bulk'
  );
}

/**
 * Without a terminal, `--yes` replaces the question. A protected target also needs a named
 * environment.
 */
function consentByFlags(intent: WriteIntent, target: Target, ports: GuardPorts): void {
  const named = ports.globals.env ?? ports.env.PROC_ENV;
  const isUnnamed = target.isProtected && (named === undefined || named === '');
  const naming = isUnnamed ? ['--env', target.environment ?? 'ENV'] : [];
  if (!ports.globals.yes) {
    throw new ProcError(
      'confirmation_required',
      needsConfirmation(`${intent.what} on ${placeName(target)}`),
      adding(['--yes', ...naming], ports.typed),
    );
  }
  if (naming.length === 0) return;
  throw new ProcError(
    'confirmation_required',
    `${placeName(target)} is protected: name the environment as well, with --env or PROC_ENV; nothing was sent`,
    adding(naming, ports.typed),
  );
}

function adding(
  flags: readonly string[],
  typed: readonly string[],
): { readonly hint: string; readonly details: { readonly command: string } } {
  const command = typedAgain(typed, flags);
  return { hint: `Add ${flags.join(' ')}: ${command}`, details: { command } };
}

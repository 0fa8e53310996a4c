import { ProcError } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { NO_APPROVALS } from '../../core/service/approval-rule.ts';
import { personsIn } from '../../settings/credential/approvers.ts';
import { readConfig } from '../../settings/read/file.ts';
import type { Approval } from '../ledger/facts.ts';
import type { Journal } from '../ledger/journal.ts';
import { sealedOf } from './canonical-form.ts';
import { byImporter, judge } from './require-approvals.ts';
import { check, principalsOf } from './ssh-keygen.ts';
import { subjectOf, validityOf } from './statement.ts';

/** An approval of a run, as far as this machine can tell. */
export interface SignedApproval {
  /** The persons whom the file of approvers lists with the key. Empty if proc cannot tell. */
  readonly principals: readonly string[];
  /** `ED25519 SHA256:…`. Undefined if proc could not verify the approval. */
  readonly key: string | undefined;
  /** ms */
  readonly approved: number | undefined;
  /** ms */
  readonly expires: number | undefined;
  /**
   * Whether the approval counts, or why not. `own`: by the person who imports. `unknown`: this
   * machine lacks the settings of the environment, or ssh-keygen.
   */
  readonly counts: 'yes' | 'own' | 'expired' | 'invalid' | 'unknown';
  /** Why the approval does not count, as the end of a sentence, e.g. `is by alice, who imports`. */
  readonly problem?: string;
}

/**
 * Only for display. Works even if this machine lacks the settings of the environment.
 *
 * @param at when approvals must be valid. By default, the time when sending began. If it has not
 *   begun, or if rows are to be sent again, the default is `now`
 */
export async function signedApprovals(
  journal: Journal,
  now: number,
  env: Env,
  at = journal.get('resent') === true ? now : (journal.get('firstSentAt') ?? now),
): Promise<readonly SignedApproval[]> {
  const approvals = journal.get('approvals') ?? [];
  if (approvals.length === 0) return [];
  const context = contextOf(journal, at, env);
  const signed: SignedApproval[] = [];
  for (const approval of approvals) signed.push(await one(approval, context));
  return signed;
}

/**
 * `persons` is the number of persons whose approvals are valid now, as far as this machine can
 * tell.
 */
export async function approvalsNow(
  journal: Journal,
  now: number,
  env: Env,
): Promise<{ readonly persons: number; readonly newest: SignedApproval | undefined }> {
  const signed = await signedApprovals(journal, now, env, now);
  const valid = signed.filter(
    ({ counts, expires = 0 }) => ['yes', 'unknown'].includes(counts) && expires > now,
  );
  const persons = settingsOf(journal, env)?.persons;
  const signers = valid.map(({ principals, key }) =>
    key === undefined ? undefined : (persons?.of({ principals, key }) ?? key),
  );
  return { persons: new Set(signers).size, newest: signed.at(-1) };
}

type Context = ReturnType<typeof contextOf>;

function contextOf(journal: Journal, at: number, env: Env) {
  const { header } = journal;
  const counted = journal.get('approvedBy') ?? [];
  const settings = settingsOf(journal, env);
  const subject = () => subjectOf(header, sealedOf(journal), journal.sealed.counts());
  return { at, env, counted, settings, subject };
}

/** Undefined if the settings on this machine do not say who may approve and who imports. */
function settingsOf({ header: { profile, environment } }: Journal, env: Env) {
  try {
    const { approvers, signer } =
      readConfig(env).profiles?.[profile ?? '']?.environments[environment ?? ''] ?? {};
    if (approvers === undefined || signer === undefined) return undefined;
    const persons = personsIn(approvers);
    const importer = persons.named(signer);
    const rule = { ...NO_APPROVALS, approvers, signer };
    return importer === undefined ? undefined : { rule, persons, importer };
  } catch {
    return undefined;
  }
}

async function one(approval: Approval, context: Context): Promise<SignedApproval> {
  const { statement, signature } = approval;
  const { at, env, counted, settings } = context;
  const times = { approved: undefined, expires: undefined, ...validityOf(statement) };
  const isExpired = times.expires !== undefined && times.expires <= at;
  const began = counted.find((other) => other.signature === signature);
  if (began !== undefined) {
    return { principals: began.principals, key: began.key, ...times, counts: 'yes' };
  }
  try {
    const checked = await check(statement, signature, env);
    if (!checked.isValid) return { principals: [], key: undefined, ...times, counts: 'invalid' };
    const { key } = checked;
    if (settings === undefined) {
      return { principals: [], key, ...times, counts: isExpired ? 'expired' : 'unknown' };
    }
    const { rule, persons, importer } = settings;
    const { principals } = await principalsOf(signature, rule.approvers, at, env);
    const said = { principals, key, ...times };
    if (persons.of({ principals, key }) === importer) {
      return { ...said, counts: 'own', problem: byImporter(rule) };
    }
    if (isExpired) return { ...said, counts: 'expired' };
    const judged = await judge(approval, context.subject(), { rule, persons }, at, env);
    return 'problem' in judged
      ? { ...said, counts: 'invalid', problem: judged.problem }
      : { ...said, counts: 'yes' };
  } catch (thrown) {
    // proc can show the approvals without ssh-keygen.
    if (!(thrown instanceof ProcError)) throw thrown;
    return { principals: [], key: undefined, ...times, counts: isExpired ? 'expired' : 'unknown' };
  }
}

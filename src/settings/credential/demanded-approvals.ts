import { type ApprovalRule, NO_APPROVALS } from '../../core/service/approval-rule.ts';
import { inShell } from '../../core/text/typed.ts';
import type { KnownEnvironment, Selection, Sources } from '../read/select-target.ts';
import { withoutProject } from './credential.ts';

/**
 * The approvals that the selected environment demands. They are demanded at another address too
 * (`PROC_BASE_URL`) if the user named the environment. A project file cannot lower them by selecting another
 * environment of the same address.
 */
export function approvalsOf(sources: Sources, selection: Selection): ApprovalRule {
  const selected = ofEnvironment(selection.known);
  const own = withoutProject(sources, selection)?.known;
  if (own?.url.origin !== selection.url.value.origin) return selected;
  const mine = ofEnvironment(own);
  return mine.required > selected.required ? mine : selected;
}

function ofEnvironment(known: KnownEnvironment | undefined): ApprovalRule {
  if (known?.settings === undefined) return NO_APPROVALS;
  const { profile, environment, settings } = known;
  const { approvals = 0, approvers, signer } = settings;
  return {
    required: approvals,
    approvers,
    signer,
    place: `${profile}/${environment}`,
    set: `proc profile set ${inShell(profile)} -e ${inShell(environment)}`,
  };
}

import { type ApprovalRule, NO_APPROVALS } from '../../core/service/approval-rule.ts';
import { inShell } from '../../core/text/typed.ts';
import {
  type KnownEnvironment,
  ruledBy,
  type Selection,
  type Sources,
} from '../read/select-target.ts';

/**
 * Of the environments that {@link ruledBy} finds, the one with most approvals decides. So a project
 * file cannot lower the number by selecting another environment with the same address.
 */
export function approvalsOf(sources: Sources, selection: Selection): ApprovalRule {
  return ruledBy(sources, selection)
    .map(ofEnvironment)
    .reduce((most, one) => (one.required > most.required ? one : most), NO_APPROVALS);
}

function ofEnvironment(known: KnownEnvironment): ApprovalRule {
  if (known.settings === undefined) return NO_APPROVALS;
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

/** The approvals that an environment demands before an import may send rows. */
export interface ApprovalRule {
  /** Number of approvals by different persons; 0: none. */
  readonly required: number;
  /** The file with the keys of approvers, in the form of ssh's `allowed_signers`. */
  readonly approvers: string | undefined;
  /**
   * The person who imports, as named in the file of approvers. The approval of the signer does not count.
   */
  readonly signer: string | undefined;
  /** The environment that demands approvals: `acme/production`. Empty if there is no rule. */
  readonly place: string;
  /** The start of the command that changes the rule. */
  readonly set: string;
}

export const NO_APPROVALS: ApprovalRule = {
  required: 0,
  approvers: undefined,
  signer: undefined,
  place: '',
  set: '',
};

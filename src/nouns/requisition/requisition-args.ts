export const GROUP = {
  doc: 'id of the group',
  hint: 'The service does not list groups. To see those that were added from here: proc history list --noun requisition. To add one: proc requisition group add REQUISITION -o id',
} as const;

export const REQUISITION = {
  doc: 'id of the requisition; or code, history entry or "last" of one that was sent from here',
  hint: 'To list those that were sent from here: proc requisition list',
} as const;

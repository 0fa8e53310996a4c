export const GROUP = {
  doc: 'id of the group; known ones: proc requisition show REQUISITION',
  hint: 'The service does not list groups. To see the groups added from this machine: proc requisition show REQUISITION. To add one: proc requisition group add REQUISITION -o id',
} as const;

export const REQUISITION = {
  doc: 'id of the requisition',
  hint: 'The service does not list requisitions. To list those that were sent from here: proc requisition list',
} as const;

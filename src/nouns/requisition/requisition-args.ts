export const GROUP = { doc: 'id of the group' } as const;

export const REQUISITION = { doc: 'id of the requisition' } as const;

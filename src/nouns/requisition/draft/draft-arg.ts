export const DRAFT = {
  id: { doc: 'id of the draft, e.g. d-7k3mqd', from: 'proc requisition draft list' },
} as const;

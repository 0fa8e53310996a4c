export const DRAFT = {
  id: { doc: 'id of the draft, such as d-7k3mqd', from: 'proc requisition draft list' },
} as const;

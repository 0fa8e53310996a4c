/**
 * Copied by hand: what docs/service-contract.md says that it leaves open ("not shown"). Section and first
 * words of each statement. test/contract/gaps.md answers them in this order.
 */
export const API_GAPS: ReadonlyArray<readonly [section: string, words: string]> = [
  ['§2', 'fields of a stored requisition beyond the identifier returned at creation'],
  ['§2', 'fields of a stored group beyond id, name, deliveryMethod'],
  [
    '§2',
    'required fields of item creation, the type of attributes, the fields of a stored item beyond id, name, code',
  ],
  ['§2', 'required fields of an address and the allowed values of addressType'],
  ['§2', 'allowed values of an order’s status and any further order fields'],
  ['§2', 'required fields of an imputation, the type and format of createdAt and updatedAt'],
  ['§3', 'states of orders, requisitions, groups and imputations'],
  ['§3', 'transitions'],
  ['§4', 'query parameters of the list operations: names, purpose and whether required'],
  ['§4', 'success status codes other than 201 on requisition creation'],
  ['§4', 'response bodies of the DELETE operations'],
  ['§4', 'whether update bodies accept a subset of their fields'],
  ['§4', 'body shape for adding a new, not yet existing, item to a group'],
  [
    '§4',
    'retrieval, update and deletion of a requisition as a whole, creation and update of orders, retrieval or listing of imputations, retrieval or update of a single item, creation of sectors and addresses, listing of addresses',
  ],
  ['§5', 'how a bearer token is obtained and its claims'],
  ['§6', 'events'],
  ['§7', 'shape of the error response body'],
  ['§7', 'error statuses of the other operations'],
  ['§8', 'rate limits and maximum payload sizes'],
  ['§9', 'deprecation and compatibility policy'],
];

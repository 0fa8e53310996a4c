import * as z from 'zod/mini';
import { endpoint } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';
import { text } from '../shared/response-fields.ts';

const addressRow = z.looseObject({
  id: text,
  city: text,
  country: text,
  formattedAddress: text,
});

const NAMES = ['id'];
const PARAMS = { id: 'the address' } as const;

export const getAddress = endpoint({
  id: 'addresses.get',
  method: 'GET',
  path: '/addresses/{id}',
  params: PARAMS,
  response: { kind: 'record', schema: addressRow, identifiedBy: NAMES },
  doc: { summary: 'Show an address of the organization.', source: '§4 row 15, §2 Address' },
});

export const patchAddress = endpoint({
  id: 'addresses.patch',
  method: 'PATCH',
  path: '/addresses/{id}',
  params: PARAMS,
  body: z.object({
    addressType: z.optional(z.string()),
    city: z.optional(z.string()),
    country: z.optional(z.string()),
    formattedAddress: z.optional(z.string()),
    latitude: z.optional(z.number()),
    longitude: z.optional(z.number()),
    name: z.optional(z.string()),
    placeId: z.optional(z.string()),
    postalCode: z.optional(z.string()),
    state: z.optional(z.string()),
    street: z.optional(z.string()),
    streetNumber: z.optional(z.string()),
  }),
  response: { kind: 'record', schema: addressRow, identifiedBy: NAMES },
  doc: {
    summary: 'Change fields of an address; only the fields given are sent.',
    source: '§4 row 16, §2 Address',
    fields: {
      addressType: 'kind of address; values are not documented',
      city: 'city',
      country: 'country',
      formattedAddress: 'address as one line of text',
      latitude: 'degrees, positive north',
      longitude: 'degrees, positive east',
      name: 'name',
      placeId: 'id of the place in a map service',
      postalCode: 'postal code',
      state: 'state or province',
      street: 'street',
      streetNumber: 'number in the street',
    },
  },
});

export const deleteAddress = endpoint({
  id: 'addresses.delete',
  method: 'DELETE',
  path: '/addresses/{id}',
  params: PARAMS,
  response: { kind: 'none' },
  doc: {
    summary: 'Delete an address. The contract has no way to create it again.',
    source: '§4 row 17',
  },
});

/** The argument of commands for several addresses. */
export const ADDRESSES = {
  ids: { doc: 'ids of addresses; - for stdin', variadic: true },
} as const;

export const ADDRESS_COLUMNS: readonly Column[] = [
  { key: 'id', header: 'ID' },
  { key: 'formattedAddress', header: 'ADDRESS' },
  { key: 'city', header: 'CITY' },
  { key: 'country', header: 'COUNTRY' },
];

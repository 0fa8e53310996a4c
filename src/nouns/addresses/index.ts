import * as z from 'zod/mini';
import { endpoint, text, texts } from '../../core/endpoint.ts';
import type { Column } from '../../core/result.ts';

const addressRow = z.looseObject({
  id: text,
  city: text,
  country: text,
  formattedAddress: text,
});

const NAMES = ['id'];

export const getAddress = endpoint({
  id: 'addresses.get',
  method: 'GET',
  path: '/addresses/{id}',
  response: { kind: 'record', schema: addressRow, identifiedBy: NAMES },
});

export const patchAddress = endpoint({
  id: 'addresses.patch',
  method: 'PATCH',
  path: '/addresses/{id}',
  body: z.object({
    ...texts('addressType', 'city', 'country', 'formattedAddress'),
    latitude: z.optional(z.number()),
    longitude: z.optional(z.number()),
    ...texts('name', 'placeId', 'postalCode', 'state', 'street', 'streetNumber'),
  }),
  response: { kind: 'record', schema: addressRow, identifiedBy: NAMES },
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
});

export const deleteAddress = endpoint({
  id: 'addresses.delete',
  method: 'DELETE',
  path: '/addresses/{id}',
  response: { kind: 'none' },
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

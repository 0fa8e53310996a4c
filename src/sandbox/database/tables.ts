/**
 * Marks a file as a sandbox database (`PRAGMA application_id`). proc never changes another
 * program's database.
 */
export const APPLICATION_ID = 0x70726f63;

/** Incremented with every change of the tables below (`PRAGMA user_version`). */
export const SCHEMA_VERSION = 2;

export const TABLES = [
  'lines',
  'groups',
  'requisitions',
  'imputations',
  'items',
  'orders',
  'sectors',
  'addresses',
  'organizations',
] as const;

export type Table = (typeof TABLES)[number];

/**
 * Tables have the names of nouns, and columns the names of API fields, so that plain SQL can check
 * the data. The id of the database is new after each reset. AUTOINCREMENT never reuses a number, so ids stay unique after deletes.
 */
export const SCHEMA = `
CREATE TABLE database (id TEXT NOT NULL);
INSERT INTO database VALUES (lower(hex(randomblob(8))));
CREATE TABLE organizations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE TABLE addresses (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, organizationId TEXT NOT NULL,
  addressType TEXT, city TEXT, country TEXT, formattedAddress TEXT, latitude REAL, longitude REAL,
  name TEXT, placeId TEXT, postalCode TEXT, state TEXT, street TEXT, streetNumber TEXT,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE TABLE sectors (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, organizationId TEXT NOT NULL,
  key TEXT, name TEXT, description TEXT,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE TABLE orders (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, organizationId TEXT NOT NULL,
  code TEXT, status TEXT, amount REAL, currency TEXT, title TEXT,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE TABLE items (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, organizationId TEXT NOT NULL,
  name TEXT, code TEXT, description TEXT, unitOfMeasure TEXT, brand TEXT, material TEXT,
  certification TEXT, type TEXT, title TEXT, attributes TEXT,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE INDEX items_by_code ON items (organizationId, code);
CREATE INDEX items_by_name ON items (organizationId, name);
CREATE TABLE imputations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, organizationId TEXT NOT NULL,
  reference TEXT, account TEXT, amount REAL, contractId TEXT, orderId TEXT, currency TEXT,
  notes TEXT, createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE TABLE requisitions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, organizationId TEXT NOT NULL,
  title TEXT NOT NULL, type TEXT, sector TEXT, code TEXT,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE TABLE groups (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, organizationId TEXT NOT NULL,
  requisitionId TEXT NOT NULL, name TEXT, deliveryMethod TEXT NOT NULL, addressId TEXT,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE INDEX groups_by_requisition ON groups (requisitionId);
CREATE TABLE lines (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, organizationId TEXT NOT NULL,
  groupId TEXT NOT NULL, quantity INTEGER NOT NULL, itemId TEXT NOT NULL,
  createdAt TEXT NOT NULL, updatedAt TEXT NOT NULL
);
CREATE INDEX lines_by_group ON lines (groupId);
`;

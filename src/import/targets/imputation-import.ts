import { createImputation } from '../../nouns/imputations/index.ts';
import { headersIn, type ImportTarget } from './import-target.ts';

/**
 * Imputations (docs/service-contract.md §2 Imputation, §4 row 10). The service cannot list them:
 * only the ledger of this machine knows what was sent.
 */
export const IMPUTATION_IMPORT: ImportTarget = {
  noun: 'imputations',
  one: 'imputation',
  many: 'imputations',
  create: createImputation,
  keyField: 'reference',
  codeFields: ['account', 'contractId'],
  needed: [
    {
      fields: ['amount'],
      problem: 'imputation_without_amount',
      finding: 'missing_amounts',
    },
    {
      fields: ['order', 'orderId', 'contractId'],
      problem: 'imputation_without_order',
    },
  ],
  isChecked: true,
  references: [
    { field: 'orderId', to: 'order', like: 'order' },
    { field: 'order', into: 'orderId', to: 'order' },
  ],
  against: { reference: 'order', amount: 'amount', currency: 'currency' },
  fields: {
    fields: [
      {
        name: 'reference',
        kind: 'string',
        synonyms: headersIn(`
          Ref | Referencia | Invoice | Invoice No. | Factura | Nro. de factura | Referenz | Beleg
          Belegnummer | Beleg-Nr. | Rechnung | Rechnungsnummer | Rechnungs-Nr. | Reference
          Referenznummer | Belegnr. | Document Number | XBLNR | BELNR`),
      },
      {
        name: 'account',
        kind: 'string',
        synonyms: headersIn(`
          Account Code | Account No. | Cuenta | Cuenta contable | GL Account | Konto | Sachkonto
          Kontonummer | Konto-Nr. | Kostenstelle | HKONT | SAKNR | G/L Account | Cost Center
          Centro de costo`),
      },
      {
        name: 'amount',
        kind: 'number',
        currency: 'currency',
        synonyms: headersIn(`
          Total | Value | Importe | Monto | Valor | Net Amount | Importe neto | Monto total | Betrag
          Nettobetrag | Wert | Summe | Betrag in Belegwährung | Netto | WRBTR | DMBTR
          Amount in Document Currency | Amount in Doc. Curr. | NETWR`),
      },
      {
        name: 'contractId',
        kind: 'string',
        synonyms: ['Contract', 'Contrato', 'Vertrag', 'Kontrakt'],
      },
      { name: 'orderId', kind: 'string', synonyms: [] },
      {
        name: 'order',
        kind: 'string',
        synonyms: headersIn(`
          PO | PO No. | PO Number | PO Code | Purchase Order | Order No. | Order Code
          Orden de compra | OC | Orden | Pedido | Nro. de pedido | Código de pedido | Bestellung
          Bestellnummer | Bestell-Nr. | Einkaufsbeleg | Purchasing Document | EBELN`),
      },
      {
        name: 'currency',
        kind: 'string',
        synonyms: headersIn(`
          Ccy | Curr. | Moneda | Divisa | Währung | Waehrung | WAERS | Belegwährung`),
      },
      {
        name: 'notes',
        kind: 'string',
        synonyms: headersIn(`
          Note | Comment | Notas | Observaciones | Bemerkung | Bemerkungen | Notiz | Positionstext
          SGTXT`),
      },
      { name: 'createdAt', kind: 'any', synonyms: [] },
      { name: 'updatedAt', kind: 'any', synonyms: [] },
    ],
  },
};

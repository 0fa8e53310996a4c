import { createItem, listItems } from '../../nouns/items/index.ts';
import { headersIn, type ImportTarget, type TargetFields } from './import-target.ts';

/** Headers of SAP exports for the name of an item. */
export const MATERIAL_TEXTS = `
  Material Description | Material Desc. | Material Text | Material Name | Short Text
  Materialkurztext | Materialbezeichnung | Materialtext | Kurztext | MAKTX | Texto breve
  Texto breve de material | Texto breve material | Descripción de material
  Descripción del material | Descripción material | Nombre del material`;

/**
 * Synonyms are usual headers of English and Spanish exports. The contract (docs/service-contract.md
 * §2 Item) does not say which fields are required.
 */
export const ITEM_IMPORT_FIELDS: TargetFields = {
  fields: [
    {
      name: 'name',
      kind: 'string',
      synonyms: headersIn(`
        Item | Item Name | Product | Product Name | Part Name | Article | Article Name | Nombre
        Nombre del ítem | Nombre del artículo | Nombre del producto | Nombre producto
        Nombre artículo | Producto | Artículo | Ítem | Denominación | ${MATERIAL_TEXTS}
        Bezeichnung | Artikelbezeichnung | Artikelname | Artikeltext | Produktname | Benennung
        Materialkurzbezeichnung | Bezeichnung 1 | Kurzbezeichnung`),
      orCode: {
        field: 'code',
        headers: ['Item', 'Product', 'Article', 'Producto', 'Artículo', 'Ítem'],
      },
      // Many exports have only a code and a description: the description is then the name.
      instead: 'description',
    },
    {
      name: 'code',
      kind: 'string',
      synonyms: headersIn(`
        SKU | SKU Code | Item Code | Item No. | Item Number | Item ID | Product Code | Product No.
        Product Number | Part | Part No. | Part Number | Part Code | P/N | Material No.
        Material Number | Material Code | Article No. | Article Number | Article Code | Stock Code
        Catalog No. | Catalog Number | Código | Cód. | Código SKU | Código de artículo
        Código artículo | Código de producto | Código producto | Código de ítem | Código ítem
        Código del ítem | Código de material | Código material | Código interno | Cód. artículo
        Cód. producto | Nro. de parte | N° de parte | Nº de parte | Número de parte
        Nro. de artículo | Número de artículo | Nro. parte | Clave | Artikelnummer | Artikel-Nr.
        Art.-Nr. | Materialnummer | Material-Nr. | Mat.-Nr. | Teilenummer | Sachnummer
        Produktnummer | Bestellnummer | MATNR | Material Nr. | Artikelcode | Material-ID | Art.Nr.
        Artikel | Art-Nr | Ident-Nr. | BISMT`),
    },
    {
      name: 'description',
      kind: 'string',
      synonyms: headersIn(`
        Desc | Item Description | Product Description | Part Description | Long Description
        Details | Descripción | Descrip. | Descripción del artículo | Descripción artículo
        Descripción del producto | Descripción producto | Descripción del ítem | Descripción larga
        Descripción ampliada | Detalle | Beschreibung | Langtext | Zusatztext | Bestelltext
        Artikelbeschreibung | Produktbeschreibung`),
    },
    {
      name: 'unitOfMeasure',
      kind: 'string',
      synonyms: headersIn(`
        UoM | UM | U.M. | Unit | Units | Base Unit | Measure Unit | Unit Measure | Unidad | Unidades
        Unidad de medida | Unidad medida | Un. medida | U. de medida | UdM | U. medida | Medida
        Unid. | Mengeneinheit | Basismengeneinheit | ME | BME | Einheit | MEINS
        Base Unit of Measure | BUn | Basis-ME | Lager-ME | Mengen-Einheit | Bestellmengeneinheit`),
    },
    {
      name: 'brand',
      kind: 'string',
      synonyms: headersIn(`
        Brand Name | Manufacturer | Mfr | Make | Maker | Marca | Fabricante | Nombre de marca
        Marke | Hersteller | Fabrikat | Herstellername | Lieferant Marke | MFRNR`),
    },
    {
      name: 'material',
      kind: 'string',
      synonyms: headersIn(`
        Materials | Material Type | Materiales | Tipo de material | Tipo material | Werkstoff
        WRKST`),
      besides: { code: 'code', headers: headersIn(MATERIAL_TEXTS) },
    },
    {
      name: 'certification',
      kind: 'string',
      synonyms: headersIn(`
        Certifications | Certificate | Cert. | Certificación | Certificaciones | Certificado | Norma
        Zertifikat | Zertifizierung | DIN-Norm`),
    },
    {
      name: 'type',
      kind: 'string',
      synonyms: headersIn(`
        Item Type | Product Type | Category | Item Category | Product Category | Class | Family
        Tipo | Tipo de ítem | Tipo de artículo | Tipo de producto | Categoría | Clase | Familia
        Rubro | Warengruppe | Artikelgruppe | Materialart | Material Group | Matl Group | MATKL
        Produktgruppe | Kategorie | MTART`),
    },
    { name: 'title', kind: 'string', synonyms: ['Título'] },
    { name: 'attributes', kind: 'any', synonyms: ['Attribute', 'Atributos', 'Atributo'] },
  ],
};

/** Items (docs/service-contract.md §2 Item, §4 rows 8 and 9). */
export const ITEM_IMPORT: ImportTarget = {
  noun: 'items',
  one: 'item',
  many: 'items',
  create: createItem,
  fields: ITEM_IMPORT_FIELDS,
  keyField: 'code',
  needed: [
    {
      fields: ['name'],
      problem: 'item_without_name',
      finding: 'unmapped_name',
    },
  ],
  listing: { endpoint: listItems, sort: 'code', idField: 'id', nameField: 'name' },
};

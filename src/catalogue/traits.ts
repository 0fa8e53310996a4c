/** The properties that tell articles with almost the same name apart. */
const TRAITS = ['number', 'size', 'colour', 'material', 'pack', 'side', 'letter'] as const;

export type Trait = (typeof TRAITS)[number];

/** Each line has words that mean the same, in English and Spanish, without accents. */
const WORDS: Readonly<Record<Exclude<Trait, 'number' | 'letter'>, string>> = {
  size: `
    xs
    s small chico chica pequeno pequena
    m medium mediano mediana
    l large grande
    xl
    xxl
    xxxl
    mini
    maxi
    short corto corta
    long largo larga
    wide ancho ancha
    narrow estrecho estrecha angosto angosta
    thin fino fina delgado delgada
    thick grueso gruesa
    light liviano liviana ligero ligera
    heavy pesado pesada`,
  colour: `
    black negro negra negros negras
    white blanco blanca blancos blancas
    red rojo roja rojos rojas
    blue azul azules
    green verde verdes
    yellow amarillo amarilla
    orange naranja anaranjado anaranjada
    grey gray gris grises
    silver plateado plateada
    gold golden dorado dorada
    brown marron cafe castano
    pink rosa rosado rosada
    purple violet violeta morado morada purpura lila
    beige
    ivory marfil
    turquoise turquesa
    navy
    cyan celeste
    magenta
    multi multicolor multicolour multicolored
    transparent clear transparente claro clara incoloro
    dark oscuro oscura
    matt matte mate
    gloss glossy brillante brillo`,
  material: `
    steel acero
    stainless inoxidable inox
    galvanized galvanised galvanizado galvanizada zincado zincada
    iron hierro
    aluminium aluminum aluminio
    brass laton
    bronze bronce
    copper cobre
    zinc cinc
    nickel niquel
    chrome cromo cromado cromada
    titanium titanio
    lead plomo
    tin estano
    carbon carbono
    plastic plastico plastica
    nylon
    pvc
    abs
    ptfe teflon
    polyethylene polietileno pe hdpe ldpe
    polypropylene polipropileno pp
    polyester poliester
    acrylic acrilico acrilica
    polycarbonate policarbonato
    rubber goma caucho hule
    silicone silicona
    latex
    nitrile nitrilo
    vinyl vinilo
    neoprene neopreno
    foam espuma
    wood wooden madera
    mdf
    bamboo bambu
    cork corcho
    glass vidrio cristal
    ceramic ceramica ceramico
    porcelain porcelana
    concrete hormigon concreto
    stone piedra
    marble marmol
    granite granito
    leather cuero piel
    cotton algodon
    wool lana
    linen lino
    silk seda
    felt fieltro
    denim
    spandex lycra
    paper papel
    cardboard carton`,
  pack: `
    box caja cajas boxes
    case
    pack packs package paquete paquetes
    set sets juego juegos
    kit kits
    pair pairs par pares
    dozen docena docenas
    each unit unidad unidades units piece pieces pieza piezas pcs pza pzas ea
    single individual
    bag bags bolsa bolsas sack saco sacos
    bottle bottles botella botellas
    can cans lata latas
    jar frasco frascos
    roll rolls rollo rollos
    reel spool bobina carrete
    sheet sheets hoja hojas
    ream resma resmas
    tube tubes tubo tubos
    drum tambor barril
    bucket pail balde cubeta
    pallet palet tarima
    bundle atado fardo
    refill recambio repuesto`,
  side: `
    left izquierdo izquierda
    right derecho derecha
    front delantero delantera frontal
    rear back trasero trasera posterior
    upper top superior
    lower bottom inferior
    inner internal interior interno interna
    outer external exterior externo externa
    male macho
    female hembra
    men mens man hombre hombres caballero
    women womens woman mujer mujeres dama
    kids kid child children boys girls nino nina ninos ninas infantil`,
};

const UNITS: Readonly<Record<string, string>> = {
  mm: 'mm milimetro milimetros millimeter millimeters millimetre millimetres',
  cm: 'cm centimetro centimetros centimeter centimeters centimetre centimetres',
  m: 'm mt mts metro metros meter meters metre metres',
  km: 'km',
  in: 'in inch inches pulgada pulgadas pulg',
  ft: 'ft foot feet pie pies',
  mg: 'mg',
  g: 'g gr grs gramo gramos gram grams',
  kg: 'kg kgs kilo kilos kilogramo kilogramos kilogram kilograms',
  lb: 'lb lbs libra libras pound pounds',
  oz: 'oz onza onzas ounce ounces',
  ml: 'ml mililitro mililitros milliliter milliliters',
  cl: 'cl',
  l: 'l lt lts litro litros liter liters litre litres',
  gal: 'gal galon galones gallon gallons',
  w: 'w watt watts vatio vatios',
  kw: 'kw',
  v: 'v volt volts voltio voltios',
  ah: 'ah',
  mah: 'mah',
  hz: 'hz',
  gb: 'gb',
  tb: 'tb',
  bar: 'bar bares',
  psi: 'psi',
  pcs: 'pcs pieces piece piezas pieza unidades unidad units unit uds ud pza pzas pc',
  pack: 'pack packs pk',
  pair: 'pair pairs par pares',
};

interface Meaning {
  readonly word: string;
  readonly trait: Trait;
}

const MEANINGS = new Map<string, Meaning>(
  Object.entries(WORDS).flatMap(([trait, lines]) =>
    lines
      .trim()
      .split('\n')
      .flatMap((line) => {
        const words = line.trim().split(' ');
        return words.map((one) => [one, { word: words[0]!, trait: trait as Trait }] as const);
      }),
  ),
);

const UNIT_OF = new Map(
  Object.entries(UNITS).flatMap(([unit, words]) =>
    words.split(' ').map((word) => [word, unit] as const),
  ),
);

const MULTIPLE_SIZES: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(?:extra|x)[ -]+(?:large|grande)\b/g, 'xl'],
  [/\b(?:extra|x)[ -]+(?:small|chic[oa]|pequen[oa])\b/g, 'xs'],
  [/\b2[ -]?xl\b/g, 'xxl'],
  [/\b3[ -]?xl\b/g, 'xxxl'],
];

const ROMAN = /^(?:ii|iii|iv|vi|vii|viii|ix)$/;

/** A name, split so that spelling makes no difference. */
export interface NameParts {
  /** Equal for names with the same words in any order; empty if the name has no word. */
  readonly key: string;
  /** Words that belong to no trait. */
  readonly words: readonly string[];
  /** By trait, sorted; a trait that the name does not mention is missing. */
  readonly traits: Readonly<Partial<Record<Trait, string>>>;
}

export function partsOf(name: string): NameParts {
  const words: string[] = [];
  const found = new Map<Trait, string[]>();
  const tokens: string[] = [];
  for (const token of plain(name).match(TOKEN) ?? []) {
    const meaning = meaningOf(token);
    tokens.push(meaning?.word ?? token);
    if (meaning === undefined) words.push(token);
    else found.set(meaning.trait, [...(found.get(meaning.trait) ?? []), meaning.word]);
  }
  const traits = [...found].map(([trait, all]) => [trait, all.sort().join(' ')] as const);
  return { key: tokens.sort().join(' '), words, traits: Object.fromEntries(traits) };
}

/** Letters and digits; a point or slash between digits belongs to the number. */
const TOKEN = /[\p{L}\p{N}]+(?:(?<=\p{N})[./](?=\p{N})[\p{L}\p{N}]+)*%?/gu;

function plain(name: string): string {
  let text = name
    .normalize('NFKC')
    .replace(/[\u2044\u2215]/g, '/')
    .normalize('NFD')
    .replace(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/×/g, 'x')
    // The s of men's is not a size.
    .replace(/(?<=\p{L})['’´`]s\b/gu, 's')
    .replace(/(?<=\d),(?=\d)/g, '.')
    .replace(/(?<=\d)\s*(?:["″”]|'')/g, 'in ')
    .replace(/(?<=\d)\s*x\s*(?=\d)/g, 'x');
  for (const [pattern, size] of MULTIPLE_SIZES) text = text.replace(pattern, size);
  return text.replace(
    /(\d)[ -]*(\p{L}+)(?![\p{L}\p{N}])/gu,
    (whole, digit: string, word: string) => {
      const unit = UNIT_OF.get(word);
      return unit === undefined ? whole : `${digit}${unit}`;
    },
  );
}

function meaningOf(token: string): Meaning | undefined {
  const known = MEANINGS.get(token);
  if (known !== undefined) return known;
  if (/\p{N}/u.test(token) || ROMAN.test(token)) return { word: token, trait: 'number' };
  return token.length === 1 ? { word: token, trait: 'letter' } : undefined;
}

/**
 * The traits in which names differ. A trait that only some names mention counts too: a box of 12
 * screws is not a screw. Empty names are ignored.
 */
export function conflicts(names: readonly Omit<NameParts, 'words'>[]): readonly Trait[] {
  const said = names.filter(({ key }) => key !== '');
  return TRAITS.filter((trait) => new Set(said.map(({ traits }) => traits[trait])).size > 1);
}

import { inShell } from '../core/text/typed.ts';
/** The wizard in English; `wizard-es.ts` says the same. */
export const en = {
  welcome:
    'A new requisition, step by step. Every answer is kept at once: Ctrl-C leaves, and the next time you can go on.',
  resume: {
    question: 'There are drafts. Go on with one?',
    draft: (title: string, age: string) => `${title}, ${age}`,
    inDoubt: (draft: string) => `${draft}; was sent, and nobody knows whether it arrived`,
    fresh: 'No, begin a new one',
    untitled: 'without a title',
    /** `place` is a group, or a group and an item. */
    at: (place: string) => `This is about ${place}.`,
  },
  sending: 'Sending it.',
  kept: (id: string) => `Kept as draft ${id}. To go on: proc requisition draft edit ${inShell(id)}`,
  forked: (old: string, id: string) =>
    `Another wizard has changed draft ${old}; this one goes on as ${id}`,
  heading: {
    title: 'Title of the requisition',
    titleNeeded: 'A title is needed.',
    type: 'Type (empty for none)',
    sector: 'Sector',
    sectorTyped: 'Sector: id, key or name (empty for none)',
    noSector: 'No sector',
    code: 'Your own code for it (empty for none)',
    /** Added where an answer is there already. */
    orNone: (question: string) =>
      `${question.replace(/ \(empty for none\)$/, '')} (Enter keeps it, "-" for none)`,
  },
  group: {
    name: (number: string) => `Name of group ${number}, for instance a place (empty for none)`,
    delivery: 'How does it get there?',
    pickup: 'It is picked up',
    deliver: 'It is delivered',
    address: 'Delivery address',
    addressId: 'Address: id or alias (empty for none)',
    noneKnown:
      'The service cannot list its addresses, and none was used from here yet. Type an id if you have one, or leave it empty.',
    otherAddress: 'Another address, by its id',
    noAddress: 'Without an address',
    isAt: (address: string) => `The address is: ${address}`,
    unknownAddress: (id: string) => `The service knows no address "${id}".`,
    untitled: (number: string) => `group ${number}`,
  },
  lines: {
    first: (group: string) => `What goes into ${group}?`,
    more: (group: string) => `Anything else for ${group}?`,
    search: 'Look for an item',
    paste: 'Paste a list',
    done: 'That is all for this group',
    change: 'Change what is here',
    item: 'Item (type a part of its code or name)',
    itemFor: (text: string) => `Item for "${text}" (type a part of its code or name)`,
    define: 'Define a new item',
    defineAs: (name: string) => `Define "${name}" as a new item`,
    typed: (code: string) => `The item with the code ${code}`,
    nothing: 'None, go back',
    reading: 'Reading the catalogue.',
    quantity: (item: string) => `How many of ${item}?`,
    quantityMissing: 'A quantity is needed: a whole number above 0, such as 4.',
    quantityWrong: (typed: string) =>
      `"${typed}" is not a whole number above 0, and the service takes nothing else.`,
    pasteHere:
      'Paste or type the list, one item a line, such as "12 x AR-5381", "AR-5381;12" or columns of a spreadsheet. An empty line or Ctrl-D ends it:',
    openList: {
      question: (group: string, count: string, last: string) =>
        `A list for ${group} was not ended (lines: ${count}, the last one "${last}"). What about it?`,
      take: 'Take these lines',
      goOn: 'Go on with the list',
      discard: 'Throw these lines away',
    },
    pasted: (sure: string, open: string) => `Found at once: ${sure}. To be settled: ${open}.`,
    pastedNothing: 'There was no line in it.',
    doubtful: (text: string) => `Which item is meant by "${text}"?`,
    leaveOut: 'Leave this line out',
    /** The lines follow, one each. */
    leftOut: 'Not ordered, as you left it out:',
    searchFor: 'Look for it in the catalogue',
  },
  same: {
    question: (item: string, old: string, now: string, group: string) =>
      `${item} is in ${group} already (${old}), and now it comes with ${now}. What is meant?`,
    add: (sum: string) => `Both together: ${sum}`,
    replace: (now: string) => `The new quantity: ${now}`,
    leave: (old: string) => `Leave it as it was: ${old}`,
    separate: (old: string, now: string) => `Two lines, of ${old} and of ${now}`,
    forAll: (count: string) => `The same for the other lines of this kind (${count})?`,
  },
  twice: {
    question: (name: string) =>
      `"${name}" is new and has no code, and two lines would define it: two items that nobody can delete. What is meant?`,
    together: (sum: string, group: string) => `One line for both: ${sum}, in ${group}`,
    codes: 'Two items: give each a code of its own',
    two: (name: string) => `Two items, both called "${name}", without codes`,
  },
  failed: {
    refused: 'The service did not take it:',
    unreachable: 'The service could not be reached:',
    broken: 'The service did not work:',
    notSent: 'It was not sent:',
    kept: (id: string) =>
      `Nothing is lost: draft ${id} holds every answer. Try again now, or later: proc requisition draft edit ${inShell(id)}`,
    tryAgain: 'Try again?',
    tryingAgain: 'Trying again.',
  },
  item: {
    name: 'Name of the new item',
    nameNeeded: 'A new item needs a name.',
    code: 'Its code (empty for none)',
    unitOfMeasure: 'Unit of measure, for instance EA or KG (empty for none)',
    more: 'Further details? Choose those that you want to give',
    description: 'Description (empty for none)',
    brand: 'Brand (empty for none)',
    material: 'Material (empty for none)',
    certification: 'Certification (empty for none)',
    type: 'Type of item (empty for none)',
    exists: (code: string, item: string) =>
      `The code ${code} exists already: ${item}. Take that item instead?`,
    resolved: (code: string) =>
      `The item ${code} exists by now: it is referred to, not defined again.`,
    taken: (code: string) =>
      `The code ${code} belongs to an item of the catalogue with another name, or to several. Which item does the line order?`,
    take: (item: string) => `Order ${item}`,
    otherCode: 'Give the new item another code',
    unnamed: 'new item',
  },
  fields: {
    description: 'description',
    brand: 'brand',
    material: 'material',
    certification: 'certification',
    type: 'type of item',
  },
  again: {
    leftOut: (fields: string) =>
      `The questions know the fields of the contract only. Left out: ${fields}`,
    intro: (title: string) => `Ordering again: ${title}`,
    gone: (item: string) => `The catalogue no longer has ${item}, which was ordered then.`,
    isNew: (item: string) =>
      `The catalogue does not have ${item}, which was a new item then: it is defined again.`,
    quantities: 'Which quantities change?',
    quantity: (item: string) => `How many of ${item}? (0 leaves it out)`,
    numberMissing: 'A whole number is needed, such as 4; 0 leaves the item out.',
    notNumber: (typed: string) => `"${typed}" is not a whole number.`,
  },
  review: {
    heading: 'Your requisition',
    question: 'What now?',
    submit: 'Send it',
    fix: (problem: string) => `Put right: ${problem}`,
    title: 'Change the title',
    type: 'Change the type',
    sector: 'Change the sector',
    code: 'Change the code',
    group: (group: string, lines: string) => `Change ${group} (lines: ${lines})`,
    addGroup: 'Add a group',
    save: 'Save it to a file',
    leave: 'Keep it as a draft and leave',
    labels: { title: 'Title', type: 'Type', sector: 'Sector', code: 'Code' },
    columns: { position: '#', code: 'CODE', item: 'ITEM', quantity: 'QUANTITY' },
    pickup: 'picked up',
    delivery: 'delivered',
    isNew: (name: string) => `${name} (new)`,
    open: 'not settled yet',
  },
  problems: {
    title_missing: 'the title is missing',
    no_groups: 'there is no group',
    delivery_missing: 'how it gets there is missing',
    no_lines: 'a group holds no item',
    list_open: 'a list was not ended',
    item_missing: 'an item is not settled',
    name_missing: 'a new item has no name',
    quantity_invalid: 'a quantity is missing',
    defined_twice: 'a new item is defined twice, with one code',
    defined_again: 'a new item without a code would be defined twice',
  },
  menu: {
    group: (group: string) => `What about ${group}?`,
    line: (line: string) => `What about ${line}?`,
    back: 'Go back',
    name: 'Change its name',
    delivery: 'Change how it gets there',
    address: 'Change the address',
    duplicate: 'Make a copy',
    move: 'Move it',
    remove: 'Take it out',
    quantity: 'Change the quantity',
    item: 'Take another item',
    details: 'Change the details of the new item',
    before: (other: string) => `Before ${other}`,
    last: 'To the end',
    toGroup: (group: string) => `Into ${group}`,
    where: 'Where to?',
    whichField: 'Which detail?',
  },
  save: {
    file: 'File name',
    exists: (file: string) => `${file} exists. Replace it?`,
    saved: (file: string) => `Saved: ${file}`,
  },
  consent: {
    unknown: (id: string, age: string) =>
      `This was sent ${age} and nobody knows whether it arrived (${id}). If it did, sending it again orders twice, and no command takes a requisition back. Look first: proc history show ${inShell(id)}`,
    type: (word: string) => `To send it all the same, type ${word}:`,
    word: 'TWICE',
    refused: (word: string) => `Not sent. It is only sent after ${word} was typed.`,
    created: (requisition: string, age: string) =>
      `This was created ${age} as ${requisition}; it is not sent again.`,
    changed: {
      told: (requisition: string, age: string, id: string) =>
        `This draft was sent ${age} and created ${requisition}, and it was changed since: ${requisition} is without these changes. See what was created: proc history show ${inShell(id)}`,
      question: 'What shall become of the changed draft?',
      keep: 'Keep it, send nothing',
      another: 'Send it as another requisition',
      discard: (requisition: string) => `Throw the draft away: ${requisition} is enough`,
    },
  },
  teach: {
    file: 'What was sent, as a file:',
    command: 'The same as one command:',
    again: '(--again, as proc refuses to create the same twice within a day)',
  },
  discard: (title: string) => `Throw away the draft "${title}"?`,
};

export type WizardMessages = typeof en;

// What services are asked for, in shares of a hundred requests. The figures are those of the page.

/** @type {Readonly<Record<string, Readonly<Record<string, number>>>>} */
export const MIXES = {
  '95 % reads': {
    item: 40,
    'not modified': 15,
    list: 20,
    filtered: 10,
    include: 7,
    search: 3,
    create: 2,
    patch: 2,
    delete: 1,
  },
  '80 % reads': {
    item: 35,
    'not modified': 10,
    list: 15,
    filtered: 10,
    include: 7,
    search: 3,
    create: 6,
    patch: 8,
    'conditional patch': 2,
    action: 2,
    delete: 2,
  },
  '40 % reads': {
    item: 25,
    list: 10,
    filtered: 5,
    create: 25,
    patch: 20,
    'conditional patch': 5,
    'batch of 10': 5,
    delete: 5,
  },
}

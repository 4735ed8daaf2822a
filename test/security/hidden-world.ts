import {
  createRouter,
  field,
  hash,
  type Middleware,
  model,
  type Policy,
  type Router,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { failOnFault } from '../http/service.ts'

/** The secret that no response may contain, as long as the wrong guess. */
export const secret = 'k7Q2x9'
export const wrongGuess = 'z0Y1w8'

const unseen = {
  qzhidden: field(z.string().optional(), { hidden: true }),
  qzpassed: field(z.string().optional(), { writeOnly: true }),
  qzmapped: z.string().optional(),
  qznested: field(z.object({ key: z.string() }).optional(), { hidden: true }),
  qzmarked: field(z.array(z.string()).optional(), { hidden: true }),
  qzamount: field(z.number().optional(), { hidden: true }),
}

class Writer extends model('writer', {
  name: z.string(),
  open: z.boolean().default(true),
  ...unseen,
  works: toMany('work', { inverse: 'writer' }),
  hash: hash(),
}) {}

class Work extends model('work', {
  title: z.string(),
  ...unseen,
  writer: toOne('writer'),
  editor: toOne('writer', { optional: true }),
  helpers: toMany('writer'),
  hash: hash(),
}) {}

/** Without a hash: its ETag is made from the JSON text. */
class Note extends model('note', { text: z.string(), ...unseen, work: toOne('work') }) {}

export const onlyOpen: Middleware = {
  query: { getItem: (query) => query.where('open').equal(true) },
}

export interface World {
  /** The value of every hidden member. */
  readonly value: string
  /**
   * The name of the hidden writer, who edits and helps with a work; undefined for a world without
   * it.
   */
  readonly ghost: string | undefined
}

export async function worldOf(
  store: Store,
  { value, ghost }: World,
  more: Middleware = {},
  policy: Policy = rest(),
): Promise<Router> {
  const router = createRouter({
    policy,
    basePath: '/api',
    store,
    security: { cursorSecret: 'the same in every world, and long enough for nobody to guess it' },
    onError: failOnFault,
  })
  const strip = { hides: ['qzmapped'] } as const
  router
    .prepare(Writer)
    .use(onlyOpen)
    .map((writer) => writer, strip)
  router
    .prepare(Work)
    .use(more)
    .map((work) => work, strip)
  router.prepare(Note).map((note) => note, strip)
  const members = (value: string) => ({
    qzhidden: value,
    qzpassed: value,
    qzmapped: value,
    qznested: { key: value },
    qzmarked: [value],
    qzamount: value.charCodeAt(0),
  })
  await router.load(Writer, [
    { id: 'w1', name: 'Mary', ...members(value) },
    { id: 'w2', name: 'Bram', ...members('a') },
    ...(ghost === undefined ? [] : [{ id: 'w9', name: ghost, open: false, ...members('g') }]),
  ])
  const haunted =
    ghost === undefined
      ? { editor: null, helpers: ['w2'] }
      : { editor: 'w9', helpers: ['w2', 'w9'] }
  await router.load(Work, [
    { id: 'k1', title: 'One', writer: 'w1', ...haunted, ...members(value) },
    { id: 'k2', title: 'Two', writer: 'w2', editor: 'w1', helpers: ['w1'], ...members('a') },
    ...(ghost === undefined
      ? []
      : [{ id: 'k9', title: 'Ghostly', writer: 'w9', helpers: [], ...members('m') }]),
  ])
  if (ghost === undefined)
    await router.load(Work, [{ id: 'k9', title: 'Ghostly', writer: 'w2', ...members('m') }])
  await router.load(Note, [
    { id: 'n1', text: 'Note one', work: 'k1', ...members(value) },
    { id: 'n2', text: 'Note two', work: 'k2', ...members('a') },
  ])
  return router
}

export const hiddenNames = ['qzhidden', 'qzpassed', 'qzmapped', 'qznested', 'qzmarked', 'qzamount']
/** As long as existing names, so that only the name differs. */
export const absent = 'qzabsent'

const fullWidth = (name: string) =>
  name.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))

/** Spellings of a field name. */
export const forms: Readonly<Record<string, (name: string) => string>> = {
  f: (name) => name,
  F: (name) => name.toUpperCase(),
  'first letter': (name) => `Q${name.slice(1)}`,
  't1.f': (name) => `t1.${name}`,
  'model.f': (name) => `work.${name}`,
  'plural.f': (name) => `works.${name}`,
  'rel.f': (name) => `writer.${name}`,
  'optional rel.f': (name) => `editor.${name}`,
  'rel.inverse.f': (name) => `writer.works.${name}`,
  'to-many.f': (name) => `helpers.${name}`,
  'f.sub': (name) => `${name}.key`,
  'rel.f.sub': (name) => `writer.${name}.key`,
  'f.id': (name) => `${name}.id`,
  'f.length': (name) => `${name}.length`,
  'f.0': (name) => `${name}.0`,
  'f->>x': (name) => `${name}->>key`,
  'f->$.x': (name) => `${name}->'$.key'`,
  'f::text': (name) => `${name}::text`,
  $f: (name) => `$${name}`,
  '$.f': (name) => `$.${name}`,
  'f[0]': (name) => `${name}[0]`,
  '"f"': (name) => `"${name}"`,
  '`f`': (name) => `\`${name}\``,
  "'f'": (name) => `'${name}'`,
  '["f"]': (name) => `["${name}"]`,
  ' f': (name) => ` ${name}`,
  'f ': (name) => `${name} `,
  'f NUL': (name) => `${name}\0`,
  '.f': (name) => `.${name}`,
  'f.': (name) => `${name}.`,
  'f..key': (name) => `${name}..key`,
  '-f': (name) => `-${name}`,
  '--f': (name) => `--${name}`,
  'hidden.f': (name) => `hidden.${name}`,
  'title.f': (name) => `title.${name}`,
  '__proto__.f': (name) => `__proto__.${name}`,
  'full width': fullWidth,
  'one letter full width': (name) => name.slice(0, -1) + fullWidth(name.slice(-1)),
  'soft hyphen': (name) => `${name.slice(0, 3)}\u00ad${name.slice(3)}`,
  'f combined': (name) => `${name}\u0301`,
  '%-encoded twice': (name) => name.replace('q', '%71'),
  'f as g': (name) => `${name} as title`,
  'f,title': (name) => `${name},title`,
  'title,f': (name) => `title,${name}`,
}

export const plainForms = ['f', 'rel.f', 'f.sub']

export const operators = [
  undefined,
  ...[
    'eq',
    'ne',
    'gt',
    'gte',
    'lt',
    'lte',
    'in',
    'nin',
    'isNull',
    'contains',
    'startsWith',
    'endsWith',
    'like',
    'iequals',
    'icontains',
    'istartsWith',
  ],
  ...['any', 'all', 'between', 'regex', '$ne'],
]

const encode = encodeURIComponent
const raw = (text: string) =>
  text.replaceAll('\0', '%00').replaceAll(' ', '%20').replaceAll('#', '%23')

/** Every position in a request to an item that takes a field name. */
export function itemPlaces(spelled: string): readonly string[] {
  return [
    `fields[works]=${encode(spelled)}`,
    `fields[writers]=${encode(spelled)}&include=writer`,
    `include=${encode(spelled)}`,
    `filter[${encode(spelled)}]=x`,
    `sort=${encode(spelled)}`,
    `${encode(spelled)}=x`,
  ]
}

/** Every position in a request to a list that takes a field name. */
export function places(spelled: string, guess: string): readonly string[] {
  const filters = operators.flatMap((operator) => {
    const suffix = operator === undefined ? '' : `[${operator}]`
    return [`filter[${encode(spelled)}]${suffix}=${guess}`]
  })
  const expressions = operators
    .filter((operator) => operator !== undefined)
    .flatMap((operator) => [
      `${operator}(${spelled},'${guess}')`,
      `not(${operator}(${spelled},'${guess}'))`,
      `or(eq(title,'One'),${operator}(${spelled},'${guess}'))`,
      `and(not(or(${operator}(${spelled},'${guess}'),eq(title,'x'))),eq(id,'k1'))`,
    ])
  return [
    ...filters,
    `filter%5B${encode(spelled)}%5D%5Beq%5D=${guess}`,
    `filter[${raw(spelled)}]=${guess}`,
    `filter[${encode(spelled)}][]=${guess}`,
    `filter[][${encode(spelled)}]=${guess}`,
    `filter[eq][${encode(spelled)}]=${guess}`,
    `filter[or][${encode(spelled)}]=${guess}`,
    `filter[${encode(spelled)}][eq][]=${guess}`,
    `filter[title][${encode(spelled)}]=${guess}`,
    ...expressions.map((expression) => `filter=${encode(expression)}`),
    `sort=${encode(spelled)}`,
    `sort=-${encode(spelled)}`,
    `sort=title,${encode(spelled)}`,
    `fields[works]=${encode(spelled)}`,
    `fields[works]=title,${encode(spelled)}`,
    `fields[writers]=${encode(spelled)}&include=writer`,
    `fields[${encode(spelled)}]=title`,
    `include=${encode(spelled)}`,
    `include=writer.${encode(spelled)}`,
    `include=writer.works&sortIncluded[writer.works]=${encode(spelled)}`,
    `include=writer.works&filterIncluded[writer.works][${encode(spelled)}]=${guess}`,
    `include=writer.works&filterIncluded[writer.works][${encode(spelled)}][gte]=${guess}`,
    `include=writer.works&filterIncluded[writer.works]=${encode(`not(eq(${spelled},'${guess}'))`)}`,
    `include=writer.works&filterIncluded[writer.${encode(spelled)}][title]=${guess}`,
    `include=writer.works&pageIncluded[${encode(spelled)}][size]=1`,
    `page[${encode(spelled)}]=${guess}`,
    `${encode(spelled)}=${guess}`,
    `${encode(spelled)}[eq]=${guess}`,
    `withCount=true&filter[${encode(spelled)}]=${guess}`,
    `page[size]=1&sort=${encode(spelled)}&filter[${encode(spelled)}][gte]=${guess}`,
  ]
}

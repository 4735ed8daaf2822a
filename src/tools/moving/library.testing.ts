import {
  createRouter,
  field,
  file,
  hash,
  list,
  model,
  type Router,
  struct,
  toMany,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import type { MovableStore } from './move-options.ts'

/** Models with all that is hard to copy: circles, hidden members, files inside values. */
export class Writer extends model('writer', {
  name: z.string(),
  mentor: toOne<Writer>('writer', { optional: true, onDelete: 'set-null' }),
  favorite: toOne<Novel>('novel', { optional: true, onDelete: 'set-null' }),
}) {}

export class Novel extends model('novel', {
  title: field(z.string(), { unique: true, wire: 'name' }),
  publishedAt: z.iso.datetime({ offset: true }).optional(),
  code: z.uuid().optional(),
  facts: z.record(z.string(), z.unknown()).optional(),
  cost: field(z.number().nullable(), { hidden: true }),
  scans: list(struct({ page: z.int(), image: file({ maxBytes: 10_000_000 }) })),
  author: toOne<Writer>('writer', { onDelete: 'restrict' }),
  similar: toMany<Novel>('novel'),
  text: file({ maxBytes: 500_000_000 }),
  hash: hash(),
}) {}

/** Each needs the other: such items can only be written together. */
class Company extends model('company', {
  name: z.string(),
  boss: toOne<Person>('person', { onDelete: 'restrict' }),
}) {}

class Person extends model('person', {
  name: z.string(),
  employer: toOne<Company>('company', { onDelete: 'restrict' }),
  friend: toOne<Person>('person', { optional: true, onDelete: 'set-null' }),
}) {}

export const models = [Novel, Writer, Company, Person]

export function libraryOf({ store, blobs }: MovableStore): Router {
  const router = createRouter({ policy: rest(), store, ...(blobs && { blobs }) })
  for (const each of models) router.prepare(each)
  return router
}

/** Puts items and files into a store that does not check relations. */
export async function fillLibrary(router: Router): Promise<void> {
  await router.load(Writer, [
    { id: 'a', name: 'Ada', mentor: 'z', favorite: 'n2' },
    { id: 'z', name: 'Zoe' },
  ])
  await router.load(Novel, [
    {
      id: 'n1',
      title: 'One',
      cost: null,
      publishedAt: '2024-01-01T01:00:00+02:00',
      code: 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
      facts: { z: 1, a: { y: null, b: [1.5, 'x'] } },
      scans: [
        { page: 1, image: null },
        { page: 2, image: null },
      ],
      author: 'a',
      similar: ['n3', 'n2'],
    },
    {
      id: 'n2',
      title: 'Two',
      publishedAt: '2024-12-31T23:59:59.9999997Z',
      cost: 2.5,
      scans: [],
      author: 'z',
      similar: ['n1', 'n2'],
    },
    { id: 'n3', title: 'Three', cost: 3, scans: [], author: 'z' },
  ])
  await router.load(Company, [
    { id: 'acme', name: 'Acme', boss: 'p2' },
    { id: 'solo', name: 'Solo', boss: 'p0' },
  ])
  await router.load(Person, [
    { id: 'p0', name: 'Own boss', employer: 'solo' },
    { id: 'p1', name: 'One', employer: 'acme', friend: 'p2' },
    { id: 'p2', name: 'Two', employer: 'acme' },
  ])
  const text = { bytes: Buffer.from('Once upon a time'), contentType: 'text/plain' }
  await router.loadResource(Novel, { id: 'n1', path: 'text' }, { ...text, fileName: 'one.txt' })
  const scan = { bytes: Buffer.from([1, 2, 3, 255]), contentType: 'application/x-scan' }
  await router.loadResource(Novel, { id: 'n1', path: 'scans/1/image' }, scan)
}

const addresses = ['/writers', '/novels', '/companies', '/people']

/** What clients get of all items, without versions. */
export async function responsesOf(router: Router): Promise<unknown> {
  const documents: unknown[] = []
  for (const address of addresses) {
    const response = await router.handle(new Request(`http://localhost${address}?limit=100`))
    const text = (await response.text()).replaceAll(/,"hash":"[\w-]{43}"/g, '')
    documents.push(JSON.parse(text))
  }
  return documents
}

/** The items of an asynchronous source, as an array. */
export async function arrayOf<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}

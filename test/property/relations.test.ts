import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openStore, storeKinds } from '../http/service.ts'
import type { Client } from '../spec/support/document-client.ts'
import {
  type Change,
  type Kind,
  kinds,
  Library,
  type Linkage,
  type Links,
  type Match,
  relations,
  type Write,
} from './library/library.ts'
import { observeItem, observeLists, observeWritten, Tags, type World } from './library/observe.ts'
import { expectDone, send } from './library/send.ts'
import { libraryOn } from './library/service.ts'

const numRuns = Math.ceil(Number(process.env.FUZZ_RUNS ?? 300) / 30)
const timeout = 120_000 + numRuns * 4_000

type Command = fc.AsyncCommand<World, Client>

/** A write; what it is answered with and what comes of it are as the library says. */
class Do implements Command {
  readonly #write: Write

  constructor(write: Write) {
    this.#write = write
  }
  check = () => true
  toString = () => JSON.stringify(this.#write)
  async run(world: World, api: Client): Promise<void> {
    const after = new Library(world.library)
    const refused = after.attempt(this.#write)
    const answer = await send(world, api, this.#write)
    if (refused.length > 0) {
      // Faults of several kinds have a general status.
      const statuses = new Set(refused).size > 1 ? [...refused, 400] : refused
      expect(statuses, answer.text).toContain(answer.status)
    } else {
      world.library = after
      expectDone(world, this.#write, answer)
    }
    await observeLists(world, api)
    await observeWritten(world, api, this.#write)
  }
}

/** A look at everything, also at what no write was about. */
class Look implements Command {
  check = () => true
  toString = () => 'look'
  async run(world: World, api: Client): Promise<void> {
    for (const kind of kinds) for (const id of ids) await observeItem(world, api, kind, id)
  }
}

const ids = ['1', '2', '3']
const someId = fc.constantFrom(...ids)
const target = fc.oneof({ weight: 24, arbitrary: someId }, { weight: 1, arbitrary: fc.constant('404') })
const many = fc.array(target, { maxLength: 3 })
const someName = fc.constantFrom('a', 'b', 'é')
const match = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Match>('none') },
  { weight: 3, arbitrary: fc.constantFrom<Match>('current', 'current', 'any', 'stale') },
)

function linkageOf(kind: Kind, relation: string): fc.Arbitrary<Linkage> {
  return relations[kind][relation]!.holds === 'one' ? fc.option(target, { freq: 4 }) : many
}

/** What is required, and one or two relations more: each can be a reason to be refused. */
function linksOf(kind: Kind, required: readonly string[]): fc.Arbitrary<Links> {
  const all = Object.fromEntries(Object.keys(relations[kind]).map((name) => [name, linkageOf(kind, name)]))
  return fc
    .tuple(fc.record(all), fc.subarray(Object.keys(all), { maxLength: Math.min(2, Object.keys(all).length) }))
    .map(([links, chosen]) =>
      Object.fromEntries(Object.entries(links).filter(([name]) => chosen.includes(name) || required.includes(name))),
    )
}

const needed: Readonly<Record<Kind, readonly string[]>> = { author: [], book: ['author'], genre: [], review: ['book'] }
const kind = fc.constantFrom<Kind>('author', 'book', 'book', 'genre', 'genre', 'review')

const created = kind.chain((kind) =>
  fc
    .tuple(someId, someName, linksOf(kind, needed[kind]))
    .map(([id, name, links]): Write => ({ op: 'create', kind, id, name, links })),
)
const updated = kind.chain((kind) =>
  fc
    .tuple(someId, fc.option(someName, { nil: undefined }), linksOf(kind, []), match)
    .map(([id, name, links, match]): Write => ({ op: 'update', kind, id, name, links, match })),
)
const removed = fc.tuple(kind, someId, match).map(([kind, id, match]): Write => ({ op: 'remove', kind, id, match }))
const related = kind.chain((kind) =>
  fc
    .constantFrom(...Object.keys(relations[kind]))
    .chain((relation) =>
      fc
        .tuple(someId, fc.constantFrom<Change>('add', 'replace', 'remove'), linkageOf(kind, relation), match)
        .map(([id, change, linkage, match]): Write => ({ op: 'relate', kind, id, relation, change, linkage, match })),
    ),
)
/** Deletions are rare, so that there is something left to relate. */
const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: created },
  { weight: 5, arbitrary: updated },
  { weight: 1, arbitrary: removed },
  { weight: 8, arbitrary: related },
)

/** Something to begin with, so that relations find what they lead to. */
const beginning: readonly Write[] = [
  { op: 'create', kind: 'author', id: '1', name: 'a', links: {} },
  { op: 'create', kind: 'author', id: '2', name: 'b', links: {} },
  { op: 'create', kind: 'genre', id: '1', name: 'a', links: {} },
  { op: 'create', kind: 'genre', id: '2', name: 'b', links: { parent: '1' } },
  { op: 'create', kind: 'book', id: '1', name: 'a', links: { author: '1', editor: '2', genres: ['2', '1'] } },
  { op: 'create', kind: 'book', id: '2', name: 'b', links: { author: '2', genres: ['1'] } },
  { op: 'create', kind: 'review', id: '1', name: 'a', links: { book: '1' } },
]

describe.each(storeKinds)('relations under JSON:API, held against a plain map, on the %s store', (storeKind) => {
  test(
    'RE14: both sides, what is related and included, statuses and tags are as the map says after every write',
    async () => {
      const commands = [write.map((one) => new Do(one)), fc.constant(new Look())]
      await fc.assert(
        fc.asyncProperty(fc.commands(commands, { size: 'max', maxCommands: 60 }), async (sequence) => {
          const { store, dispose } = await openStore(storeKind)
          const faults: unknown[] = []
          try {
            await fc.asyncModelRun(async () => {
              const model: World = { library: new Library(), tags: new Tags() }
              const real = libraryOn(store, (error) => faults.push(error))
              for (const one of beginning) {
                expect(model.library.attempt(one)).toEqual([])
                expect((await send(model, real, one)).status).toBe(201)
              }
              return { model, real }
            }, sequence)
            expect(faults).toEqual([])
          } finally {
            await dispose()
          }
        }),
        { numRuns },
      )
    },
    timeout,
  )
})

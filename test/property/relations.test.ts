import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openStore, storeKinds } from '../http/service.ts'
import type { Client } from '../spec/support/document-client.ts'
import {
  attemptAll,
  doable,
  expectRefused,
  expectResults,
  sendBatch,
  withGivenIds,
} from './library/batch.ts'
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

/** Sends a write; its response and its effect have to match the library. */
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
    const response = await send(world, api, this.#write)
    if (refused.length > 0) {
      // Errors with several statuses have a general status.
      const statuses = new Set(refused).size > 1 ? [...refused, 400] : refused
      expect(statuses, response.text).toContain(response.status)
    } else {
      world.library = after
      expectDone(world, this.#write, response)
    }
    await observeLists(world, api)
    await observeWritten(world, api, this.#write)
  }
}

/** Several writes in one request: all of them succeed, or none. */
class DoAll implements Command {
  readonly #writes: readonly Write[]
  readonly #isThinned: boolean

  /**
   * @param isThinned whether writes that cannot be done are left out: of several, one nearly always
   * is refused
   */
  constructor(writes: readonly Write[], isThinned: boolean) {
    this.#writes = writes
    this.#isThinned = isThinned
  }
  check = () => true
  toString = () =>
    `${this.#isThinned ? 'what can be done of ' : ''}batch ${JSON.stringify(this.#writes)}`
  async run(world: World, api: Client): Promise<void> {
    const writes = this.#isThinned ? doable(world, this.#writes) : this.#writes
    if (writes.length === 0) return
    const outcome = attemptAll(world, writes)
    const response = await sendBatch(world, api, writes)
    if (outcome.kind === 'refused') expectRefused(outcome, response)
    else {
      expectResults(writes, response)
      const done = attemptAll(world, withGivenIds(writes, response))
      expect(done.kind).toBe('done')
      if (done.kind === 'done') world.library = done.library
    }
    await observeLists(world, api)
  }
}

/** Checks everything, also items that no write changed. */
class Look implements Command {
  check = () => true
  toString = () => 'look'
  async run(world: World, api: Client): Promise<void> {
    for (const kind of kinds) for (const id of ids) await observeItem(world, api, kind, id)
  }
}

const ids = ['1', '2', '3']
const someId = fc.constantFrom(...ids)
const target = fc.oneof(
  { weight: 24, arbitrary: someId },
  { weight: 1, arbitrary: fc.constant('404') },
)
const many = fc.array(target, { maxLength: 3 })
const someName = fc.constantFrom('a', 'b', 'é')
const match = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Match>('none') },
  { weight: 3, arbitrary: fc.constantFrom<Match>('current', 'current', 'any', 'stale') },
)

function linkageOf(kind: Kind, relation: string): fc.Arbitrary<Linkage> {
  return relations[kind][relation]!.holds === 'one' ? fc.option(target, { freq: 4 }) : many
}

/** The required relation, and one or two more: each can be a reason for a refusal. */
function linksOf(kind: Kind, required: readonly string[]): fc.Arbitrary<Links> {
  const all = Object.fromEntries(
    Object.keys(relations[kind]).map((name) => [name, linkageOf(kind, name)]),
  )
  return fc
    .tuple(
      fc.record(all),
      fc.subarray(Object.keys(all), { maxLength: Math.min(2, Object.keys(all).length) }),
    )
    .map(([links, chosen]) =>
      Object.fromEntries(
        Object.entries(links).filter(([name]) => chosen.includes(name) || required.includes(name)),
      ),
    )
}

const needed: Readonly<Record<Kind, readonly string[]>> = {
  author: [],
  book: ['author'],
  genre: [],
  review: ['book'],
}
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
const removed = fc
  .tuple(kind, someId, match)
  .map(([kind, id, match]): Write => ({ op: 'remove', kind, id, match }))
const related = kind.chain((kind) =>
  fc.constantFrom(...Object.keys(relations[kind])).chain((relation) =>
    fc
      .tuple(
        someId,
        fc.constantFrom<Change>('add', 'replace', 'remove'),
        linkageOf(kind, relation),
        match,
      )
      .map(
        ([id, change, linkage, match]): Write => ({
          op: 'relate',
          kind,
          id,
          relation,
          change,
          linkage,
          match,
        }),
      ),
  ),
)
/** Deletions are rare, so that items are left to relate. */
const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: created },
  { weight: 5, arbitrary: updated },
  { weight: 1, arbitrary: removed },
  { weight: 8, arbitrary: related },
)

/** A few writes; the first ones may add resources with local ids. */
const batch: fc.Arbitrary<readonly Write[]> = fc
  .tuple(
    fc.uniqueArray(
      kind.map(
        (kind): Write => ({
          op: 'create',
          kind,
          id: `lid-${kind}`,
          name: 'l',
          links: Object.fromEntries(needed[kind].map((name) => [name, '1'])),
        }),
      ),
      { maxLength: 2, selector: ({ id }) => id },
    ),
    fc.array(fc.tuple(write, fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 4 }),
  )
  .map(([added, writes]) => [
    ...added,
    ...writes.map(([write, asOwner, asTarget]) => localWrite(write, added, asOwner, asTarget)),
  ])

/**
 * The write, changed to name a resource that the batch adds, where it adds one of the right type.
 */
function localWrite(
  write: Write,
  added: readonly Write[],
  asOwner: boolean,
  asTarget: boolean,
): Write {
  const has = (kind: Kind) => added.some((entry) => entry.kind === kind)
  const owner = asOwner && write.op !== 'create' && has(write.kind) ? `lid-${write.kind}` : write.id
  const swap = (relation: string, linkage: Linkage): Linkage => {
    const { to } = relations[write.kind][relation]!
    if (!asTarget || !has(to)) return linkage
    return Array.isArray(linkage) ? [...linkage.slice(1), `lid-${to}`] : `lid-${to}`
  }
  if (write.op === 'remove') return { ...write, id: owner }
  if (write.op === 'relate') {
    // A single identifier to add is no to-many linkage: its lid would be read as that of a new
    // resource.
    const isLinkage = Array.isArray(write.linkage) || write.change === 'replace'
    return {
      ...write,
      id: owner,
      linkage: isLinkage ? swap(write.relation, write.linkage) : write.linkage,
    }
  }
  const links = Object.fromEntries(
    Object.entries(write.links).map(([name, one]) => [name, swap(name, one)]),
  )
  return { ...write, id: owner, links }
}

/** Initial items, so that relations have targets. */
const beginning: readonly Write[] = [
  { op: 'create', kind: 'author', id: '1', name: 'a', links: {} },
  { op: 'create', kind: 'author', id: '2', name: 'b', links: {} },
  { op: 'create', kind: 'genre', id: '1', name: 'a', links: {} },
  { op: 'create', kind: 'genre', id: '2', name: 'b', links: { parent: '1' } },
  {
    op: 'create',
    kind: 'book',
    id: '1',
    name: 'a',
    links: { author: '1', editor: '2', genres: ['2', '1'] },
  },
  { op: 'create', kind: 'book', id: '2', name: 'b', links: { author: '2', genres: ['1'] } },
  { op: 'create', kind: 'review', id: '1', name: 'a', links: { book: '1' } },
]

describe.each(storeKinds)(
  'relations under JSON:API, compared with a plain map, on the %s store',
  (storeKind) => {
    test(
      'RE14, AO10: both sides, related and included items, statuses and ETags are as the map says after every write and batch',
      async () => {
        const commands = [
          write.map((entry) => new Do(entry)),
          write.map((entry) => new Do(entry)),
          fc.tuple(batch, fc.boolean()).map(([writes, isThinned]) => new DoAll(writes, isThinned)),
          fc.constant(new Look()),
        ]
        await fc.assert(
          fc.asyncProperty(
            fc.commands(commands, { size: 'max', maxCommands: 60 }),
            async (sequence) => {
              const { store, dispose } = await openStore(storeKind)
              const reportedErrors: unknown[] = []
              try {
                await fc.asyncModelRun(async () => {
                  const model: World = { library: new Library(), tags: new Tags() }
                  const real = libraryOn(store, (error) => reportedErrors.push(error))
                  for (const entry of beginning) {
                    expect(model.library.attempt(entry)).toEqual([])
                    expect((await send(model, real, entry)).status).toBe(201)
                  }
                  return { model, real }
                }, sequence)
                expect(reportedErrors).toEqual([])
              } finally {
                await dispose()
              }
            },
          ),
          { numRuns },
        )
      },
      timeout,
    )
  },
)

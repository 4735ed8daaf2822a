import { describe, expect, it } from 'vitest'
import { Versions } from '../../reliability/conditional/versions.mjs'
import type { Answer, Client } from '../../reliability/harness/client.mjs'
import { Check } from '../../reliability/writers/check.mjs'
import type { Entry } from '../../reliability/writers/writers.mjs'
import {
  accountIds,
  attachmentOf,
  entryAt,
  sha256,
  stateAfter,
} from '../../reliability/writers/writes.mjs'

interface Stored {
  id: string
  number: number
  step: number
  account: string
  tags: (string | undefined)[]
  attachment: null | { size: number; hash: string }
}

interface World {
  entries: Stored[]
  accounts: { id: string; entryCount: number; total: number }[]
  /** By the id of a tag; else as the entries say. */
  joined: Map<string, Stored[]>
  files: Map<string, Buffer>
}

/** What a service has whose clients were acknowledged so many writes of each entry. */
function worldOf(entries: readonly Entry[]): World {
  const files = new Map<string, Buffer>()
  const stored = entries.map(({ number, writes }) => {
    const { step, upload } = stateAfter(writes)
    const bytes = attachmentOf(number, upload)
    if (upload > 0) files.set(`e${number}`, bytes)
    const attachment = { size: bytes.length, hash: sha256(bytes).digest('hex') }
    return {
      id: `e${number}`,
      ...entryAt(number, step),
      attachment: upload > 0 ? attachment : null,
    } as Stored
  })
  const accounts = accountIds.map((id) => {
    const own = stored.filter(({ account }) => account === id)
    return { id, entryCount: own.length, total: own.reduce((sum, { number }) => sum + number, 0) }
  })
  return { entries: stored, accounts, joined: new Map(), files }
}

/** A service that has this. */
const clientOf =
  ({ entries, accounts, joined, files }: World): Client =>
  async ({ path }) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    const tag = searchParams.get('filter[tags]')
    const [, , id] = pathname.split('/')
    const list = tag
      ? (joined.get(tag) ?? entries.filter(({ tags }) => tags.includes(tag)))
      : entries
    const body =
      id === undefined
        ? JSON.stringify(pathname === '/accounts' ? { accounts } : { entries: list })
        : files.get(id)
    return { status: 200, headers: {}, body: Buffer.from(body ?? '') } satisfies Answer
  }

const known: readonly Entry[] = [1, 2, 3, 4, 5, 6].map((number) => ({
  number,
  id: `e${number}`,
  writes: number - 1 || 1,
  isPending: false,
}))

async function faultsOf(plant: (world: World) => void, entries = known): Promise<string[]> {
  const world = worldOf(known)
  plant(world)
  const faults: string[] = []
  const check = new Check(clientOf(world), (fault) => faults.push(fault))
  await check.check(entries, entries)
  return [...new Set(faults)]
}

describe('the check of a service that was killed', () => {
  it('finds nothing where all is there, also a write whose response was lost', async () => {
    expect(await faultsOf(() => {})).toEqual([])
    const pending = known.map((entry) => ({ ...entry, writes: entry.writes - 1, isPending: true }))
    expect(await faultsOf(() => {}, pending)).toEqual([])
  })

  it.each<[string, string, (world: World) => unknown]>([
    ['lost', 'an item that is gone', ({ entries }) => entries.pop()],
    ['lost', 'a change that is gone', ({ entries }) => Object.assign(entries[4]!, entryAt(5, 0))],
    [
      'lost',
      'a file that is gone',
      ({ entries }) => Object.assign(entries[5]!, { attachment: null }),
    ],
    ['twice', 'an item that was made twice', ({ entries }) => entries.push(entries[0]!)],
    ['half-applied', 'a tag of before', ({ entries }) => entries[0]!.tags.pop()],
    [
      'half-applied',
      'an account of before',
      ({ entries }) => Object.assign(entries[2]!, { account: 'account-x' }),
    ],
    [
      'half-applied',
      'a change that nobody sent',
      ({ entries }) => Object.assign(entries[0]!, entryAt(1, 2)),
    ],
    ['half-applied', 'a join row that is missing', ({ joined }) => joined.set('tag-1', [])],
    ['half-applied', 'a rollup of before', ({ accounts }) => accounts[1]!.total--],
    ['half-applied', 'a file with a gap', ({ files }) => files.set('e6', Buffer.alloc(10))],
  ])('finds as %s: %s', async (fault, _, plant) => {
    expect(await faultsOf(plant)).toContain(fault)
  })
})

describe('the check of versions', () => {
  it('accepts one chain', () => {
    const versions = new Versions('a')
    versions.add('b', 'c')
    versions.add('a', 'b')
    expect([versions.areOneChain('c'), versions.twice]).toEqual([true, 0])
  })

  it('finds two winners, a write that was lost, and a version from nowhere', () => {
    const versions = new Versions('a')
    versions.add('a', 'b')
    versions.add('a', 'c')
    expect([versions.areOneChain('c'), versions.twice]).toEqual([false, 1])
    const lost = new Versions('a')
    lost.add('a', 'b')
    expect([lost.areOneChain('a'), lost.areOneChain('z'), lost.areOneChain('b')]).toEqual([
      false,
      false,
      true,
    ])
  })
})

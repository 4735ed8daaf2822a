import fc from 'fast-check'
import {
  type ItemValues,
  type ModelName,
  mapState,
  relations,
  ruledRollups,
  type WorldState,
  withoutDangling,
} from './state.ts'
import type { MatrixCaller } from './visible.ts'

export const idsOf: Readonly<Record<ModelName, readonly string[]>> = {
  team: ['te1', 'te2', 'te3'],
  person: ['p1', 'p2', 'p3', 'p4'],
  talk: ['t1', 't2', 't3', 't4', 't5'],
  comment: ['c1', 'c2', 'c3', 'c4', 'c5'],
  track: ['k1', 'k2'],
  vault: ['v1'],
}

/** Values of members, few enough that items share them. */
export const valuesOf: Readonly<Record<ModelName, Readonly<Record<string, readonly unknown[]>>>> = {
  team: {
    title: ['A', 'B', 'C', 'Ä'],
    open: [true, false],
    motto: ['ask', 'dig'],
    budget: ['1.50', '20.00', '3.00'],
  },
  person: {
    name: ['Ann', 'Bob', 'Cy'],
    active: [true, true, false],
    email: ['a@x.org', 'b@x.org'],
    nick: ['ace', 'bee', 'cat'],
    address: [{ city: 'Rome' }, { city: 'Oslo', zip: '1' }],
    joined: ['2024-01-01T00:00:00Z', '2024-06-01T00:00:00.5Z'],
    level: [1, 2, 3],
    hostedCount: [0, 1, 2],
    hostedCodes: [0, 1],
    lastLabel: ['web', 'db'],
  },
  talk: {
    title: ['Dawn', 'Noon', 'Dusk'],
    status: ['draft', 'accepted'],
    score: [1, 5],
    notes: ['calm', 'bold'],
    fee: ['9.50', '10.00', '100.00'],
    startsAt: ['2024-05-01T10:00:00Z', '2024-05-02T10:00:00Z'],
    tags: [[], ['x'], ['x', 'y']],
    place: [{ room: 'open air' }, { room: 'cellar', floor: 1 }],
    slot: ['s1', 's2', 's3', 's4'],
    rank: [0, 1, 2],
    // Nobody sets them; filters name them.
    memo: ['calm: p1 10 2024-05-01', 'bold: p2 100 2024-05-02'],
    bill: ['p1 10 2024-05-01', 'p2 9.5 2024-05-01'],
    rating: [1, 2, 2.5],
    best: [1, 2, 3],
    commentCount: [0, 1, 2],
    praise: ['Dawn: 2', 'Noon: 1.5'],
  },
  comment: { text: ['yes', 'no'], internal: [true, false], stars: [1, 2, 3] },
  track: { label: ['web', 'db'], code: [0, 1] },
  vault: { word: ['gold', 'salt'] },
}

/** Members that the service computes, and that no item has before it is stored. */
export const derivedMembers: ReadonlySet<string> = new Set([
  'talk.memo',
  'talk.bill',
  'talk.praise',
  'person.hostedCount',
  'person.hostedCodes',
  'person.lastLabel',
  ...ruledRollups,
])

const required: Readonly<Record<ModelName, readonly string[]>> = {
  team: ['title'],
  person: ['name'],
  talk: ['title'],
  comment: ['text'],
  track: ['label'],
  vault: ['word'],
}

/** Sets of members that no two items of a tenant have in common. */
export const uniqueSets: readonly (readonly [ModelName, readonly string[]])[] = [
  ['team', ['title']],
  ['person', ['nick']],
  ['talk', ['slot']],
  ['track', ['label', 'code']],
]

const tenants = ['a', 'b'] as const

/** Members of an item, without its id. */
export function membersArbitrary(name: ModelName): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.entries(valuesOf[name]).map(
    ([member, all]) => [member, fc.constantFrom(...all)] as const,
  )
  const related = Object.entries(relations[name]).map(([member, { target, isMany }]) => {
    const id = fc.constantFrom(...idsOf[target])
    return [member, isMany ? fc.uniqueArray(id, { maxLength: 4 }) : fc.option(id, { freq: 5 })]
  })
  return fc.record(Object.fromEntries([...values, ...related]), {
    requiredKeys: [...required[name]],
  })
}

const bytes = fc.option(fc.constantFrom('one', 'two, and longer'), { freq: 2 })

function itemArbitrary(name: ModelName, id: string): fc.Arbitrary<ItemValues> {
  return fc
    .tuple(
      membersArbitrary(name),
      fc.constantFrom(...tenants),
      bytes,
      bytes,
      fc.option(fc.constantFrom('hush', 'psst')),
    )
    .map(([members, tenant, first, second, secret]) => ({
      id,
      ...Object.fromEntries(
        Object.entries(members).filter(([member]) => !derivedMembers.has(`${name}.${member}`)),
      ),
      tenant,
      ...(name === 'person' && { photo: first, badge: second, ...(secret && { secret }) }),
      ...(name === 'talk' && { slides: first }),
    }))
}

export interface DataOptions {
  readonly hasTenants: boolean
  /** Relations may lead to items of another tenant, which no service writes. */
  readonly crossesTenants: boolean
}

export function stateArbitrary({
  hasTenants,
  crossesTenants,
}: DataOptions): fc.Arbitrary<WorldState> {
  const models = Object.fromEntries(
    (Object.keys(idsOf) as ModelName[]).map((name) => [
      name,
      fc
        .tuple(
          ...idsOf[name].map((id) =>
            fc.option(itemArbitrary(name, id), { freq: 8, nil: undefined }),
          ),
        )
        .map((items) => new Map(items.flatMap((item) => (item ? [[item.id, item] as const] : [])))),
    ]),
  ) as unknown as { [Name in ModelName]: fc.Arbitrary<ReadonlyMap<string, ItemValues>> }
  return fc.record(models).map((state) => {
    const complete = mapState(state, (name, { tenant, ...item }) => ({
      ...item,
      ...defaults[name],
      ...item,
      ...(hasTenants && { tenant }),
    }))
    const unique = withoutTwice(complete)
    // A rule of talks looks at their comments, and the twin lacks those of another tenant.
    const isWithin = (name: ModelName) => !crossesTenants || name === 'comment'
    return withoutDangling(withinTenants(withoutDangling(unique), isWithin))
  })
}

/** What a schema fills in, so that the computation of what is visible need not know it. */
const defaults: Readonly<Record<ModelName, Record<string, unknown>>> = {
  team: { open: false },
  person: { active: true },
  talk: { status: 'draft', tags: [], rank: 0, reviewers: [], sponsors: [] },
  comment: { internal: false },
  track: { code: 0, zone: 'here' },
  vault: {},
}

function withoutTwice(state: WorldState): WorldState {
  const taken = new Set<string>()
  return mapState(state, (name, item) => {
    for (const [model, members] of uniqueSets) {
      if (model !== name || members.some((member) => item[member] === undefined)) continue
      const key = JSON.stringify([name, item.tenant, members.map((member) => item[member])])
      if (taken.has(key)) return undefined
      taken.add(key)
    }
    return item
  })
}

/** @param isWithin do items of a model relate to items of their own tenant only? */
function withinTenants(state: WorldState, isWithin: (name: ModelName) => boolean): WorldState {
  return mapState(state, (name, item) => {
    if (!isWithin(name)) return item
    const kept = Object.entries(relations[name]).map(([member, { target }]) => {
      const isOwn = (id: string) => state[target].get(id)?.tenant === item.tenant
      const value = item[member]
      if (Array.isArray(value)) return [member, value.filter(isOwn)]
      return [member, typeof value === 'string' && isOwn(value) ? value : null]
    })
    return { ...item, ...Object.fromEntries(kept) }
  })
}

export function callerArbitrary(hasTenants: boolean): fc.Arbitrary<MatrixCaller> {
  const tenant = hasTenants ? fc.constantFrom(...tenants) : fc.constant(undefined)
  const users = ['p1', 'p2', 'p3', 'p9'].map((id) => ({ id, roles: [] as string[] }))
  const caller = fc.constantFrom<MatrixCaller>(
    undefined,
    ...users,
    { id: 'root', roles: ['admin'] },
    { id: 'p1', roles: ['admin'] },
  )
  return fc
    .tuple(caller, tenant)
    .map(([each, of]) => each && { ...each, ...(of && { tenant: of }) })
}

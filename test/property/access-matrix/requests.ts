import fc from 'fast-check'
import { idsOf, membersArbitrary, valuesOf } from './data.ts'
import type { Search } from './search.ts'
import { files, type ModelName, modelNames, relations } from './state.ts'
import type { Setting } from './visible.ts'

/** A header with a tag that a response had before. */
export interface TagHeader {
  readonly header: 'if-none-match' | 'if-match' | 'if-range'
  /** A tag of the same address, of any address, or the one that an administrator sees. */
  readonly from: 'own' | 'any' | 'admin'
  readonly pick: number
}

export interface MatrixRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly tag?: TagHeader | undefined
  /** Sends the request again, with the same `Idempotency-Key`. */
  readonly isRepeated?: boolean
  /** Follows the link with a cursor that this many responses ago had. */
  readonly follow?: number
}

export const plurals: Readonly<Record<ModelName, string>> = {
  team: 'teams',
  person: 'people',
  talk: 'talks',
  comment: 'comments',
  track: 'tracks',
  vault: 'vaults',
}

export const inverses: Readonly<Record<ModelName, Readonly<Record<string, ModelName>>>> = {
  team: { members: 'person', sponsored: 'talk' },
  person: { talks: 'talk', mentees: 'person', hosted: 'track' },
  talk: { comments: 'comment' },
  comment: { replies: 'comment' },
  track: { talks: 'talk' },
  vault: {},
}

const wireNames: Readonly<Record<string, string>> = { level: 'grade' }
export const wireName = (member: string) => wireNames[member] ?? member

/** Mostly models of which callers see something. */
export const anyName: fc.Arbitrary<ModelName> = fc.constantFrom(
  ...modelNames,
  ...(['talk', 'talk', 'talk', 'person', 'person', 'comment', 'comment', 'team', 'team'] as const),
)

interface Path {
  readonly path: string
  readonly values: readonly string[]
  readonly kind: keyof typeof operators
}

const compared = ['eq', 'ne', 'in', 'nin', 'isNull'] as const
const ordered = [...compared, 'gt', 'gte', 'lt', 'lte'] as const
const operators = {
  one: compared,
  boolean: compared,
  ordered,
  text: [
    ...ordered,
    ...(['contains', 'startsWith', 'endsWith', 'like'] as const),
    ...(['iequals', 'icontains', 'istartsWith'] as const),
  ],
  many: ['any', 'all'],
  unknown: ['eq', 'isNull', 'any'],
} as const

function kindOf(value: unknown): Path['kind'] {
  if (Array.isArray(value)) return 'many'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'string' && !/^\d/.test(value) ? 'text' : 'ordered'
}

/** A path to filter and sort by, here or behind a relation, with values that stand there. */
function pathArbitrary(name: ModelName, depth = 2): fc.Arbitrary<Path> {
  const own = Object.entries(valuesOf[name]).flatMap(([member, values]): Path[] => {
    const texts = values.flatMap((value) =>
      Array.isArray(value) ? value : typeof value === 'object' ? [] : [String(value)],
    )
    if (texts.length > 0)
      return [{ path: wireName(member), values: texts, kind: kindOf(values.at(-1)) }]
    return Object.keys((values as Record<string, unknown>[])[1]!).map((inner) => ({
      path: `${member}.${inner}`,
      values: (values as Record<string, unknown>[]).map((value) => String(value[inner] ?? 1)),
      kind: kindOf((values as Record<string, unknown>[])[1]![inner]),
    }))
  })
  const ids = Object.entries(relations[name]).map(
    ([member, { target, isMany }]): Path => ({
      path: member,
      values: idsOf[target],
      kind: isMany ? 'many' : 'one',
    }),
  )
  const mirrored = Object.entries(inverses[name]).map(
    ([member, target]): Path => ({ path: member, values: idsOf[target], kind: 'many' }),
  )
  const odd = ['hash', 'secret', 'internal', 'tenant', 'skore', ...files[name]].map(
    (path): Path => ({ path, values: ['hush', 'a', 'true'], kind: 'unknown' }),
  )
  const here = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom<Path>(...own, { path: 'id', values: idsOf[name], kind: 'one' }),
    },
    { weight: 15, arbitrary: fc.constantFrom(...ids, ...mirrored, ...own) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )
  const steps = Object.entries(relations[name]).filter(([, { isMany }]) => !isMany)
  if (depth === 0 || steps.length === 0) return here
  return fc.oneof(
    { weight: 2, arbitrary: here },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...steps).chain(([member, { target }]) =>
        pathArbitrary(target, depth - 1).map((path) => ({
          ...path,
          path: `${member}.${path.path}`,
        })),
      ),
    },
  )
}

const paths = Object.fromEntries(modelNames.map((name) => [name, pathArbitrary(name)])) as Record<
  ModelName,
  fc.Arbitrary<Path>
>

function comparison(name: ModelName): fc.Arbitrary<readonly [string, string, string]> {
  return fc
    .tuple(paths[name], fc.nat(), fc.nat(9), fc.boolean())
    .map(([{ path, values, kind }, dice, pick, flag]) => {
      // Sometimes an operator of values of another kind.
      const choices = operators[dice % 20 === 0 ? 'text' : kind]
      const by = choices[Math.floor(dice / 20) % choices.length]!
      const value = values[pick % Math.max(1, values.length)] ?? 'x'
      const other = values[(pick + 1) % Math.max(1, values.length)] ?? 'x'
      if (by === 'isNull') return [path, by, String(flag)] as const
      if (['in', 'nin', 'any', 'all'].includes(by))
        return [path, by, flag ? `${value},${other}` : value] as const
      return [path, by, by === 'like' ? `%${value}` : value] as const
    })
}

const expressions = Object.fromEntries(
  modelNames.map((name) => [
    name,
    fc.letrec<{ tree: string; leaf: string; node: string }>((tie) => ({
      leaf: comparison(name).map(([path, by, value]) => {
        const isPlain = by === 'isNull' || /^(?:\d+(?:\.\d+)?|true|false)$/.test(value)
        const values = value
          .split(',')
          .map((each) => (isPlain ? each : `'${each.replaceAll("'", "''")}'`))
        if (by === 'isNull') return value === 'true' ? `isNull(${path})` : `not(isNull(${path}))`
        return `${by}(${path},${values.join(',')})`
      }),
      node: fc
        .tuple(fc.constantFrom('and', 'or', 'not'), tie('tree'), tie('tree'))
        .map(([by, one, other]) => (by === 'not' ? `not(${one})` : `${by}(${one},${other})`)),
      tree: fc.oneof({ maxDepth: 3, depthSize: 'small' }, tie('leaf'), tie('node')),
    })).tree,
  ]),
) as Record<ModelName, fc.Arbitrary<string>>

/** Mostly one that can be sorted by. */
function sortPath(path: fc.Arbitrary<Path>): fc.Arbitrary<Path> {
  const isSortable = ({ kind, path: { length } }: Path, dice: number) =>
    dice === 0 || ['text', 'ordered', 'boolean'].includes(kind) || length === 2
  return fc
    .tuple(path, fc.nat(20))
    .filter(([each, dice]) => isSortable(each, dice))
    .map(([each]) => each)
}

const sorts = Object.fromEntries(
  modelNames.map((name) => [
    name,
    fc
      .array(fc.tuple(fc.constantFrom('', '-'), sortPath(paths[name])), {
        minLength: 1,
        maxLength: 2,
      })
      .map((keys) => keys.map(([minus, { path }]) => minus + path).join(',')),
  ]),
) as Record<ModelName, fc.Arbitrary<string>>

const pages = fc.constantFrom(
  'page[size]=1',
  'page[size]=2',
  'page[size]=2&withCount=true',
  'page[number]=2&page[size]=2',
  'page[offset]=1&page[limit]=2',
)

interface IncludePath {
  readonly path: string
  readonly target: ModelName
  readonly isMany: boolean
}

function includePath(name: ModelName, depth: number): fc.Arbitrary<IncludePath> {
  const steps = [
    ...Object.entries(relations[name]).map(([path, shape]) => ({ path, ...shape })),
    ...Object.entries(inverses[name]).map(([path, target]) => ({ path, target, isMany: true })),
  ]
  if (steps.length === 0) return fc.constant({ path: 'nothing', target: name, isMany: false })
  return fc.constantFrom(...steps).chain((step) =>
    depth === 0
      ? fc.constant(step)
      : fc.oneof(
          fc.constant(step),
          relations[step.target] === relations.vault
            ? fc.constant(step)
            : includePath(step.target, depth - 1).map((inner) => ({
                ...inner,
                path: `${step.path}.${inner.path}`,
              })),
        ),
  )
}

const includePaths = Object.fromEntries(
  modelNames.map((name) => [name, includePath(name, 2)]),
) as Record<ModelName, fc.Arbitrary<IncludePath>>

const encode = encodeURIComponent

export function filterParameter(name: ModelName): fc.Arbitrary<string> {
  return fc.oneof(
    comparison(name).map(([path, by, value]) => `filter[${path}][${by}]=${encode(value)}`),
    expressions[name].map((expression) => `filter=${encode(expression)}`),
  )
}

/** Chooses fields and related items, of any read. */
function shapeParameters(name: ModelName): fc.Arbitrary<string> {
  const include = fc
    .tuple(fc.array(includePaths[name], { minLength: 1, maxLength: 2 }), fc.nat(5))
    .chain(([included, kind]) => {
      const [{ path, target, isMany }] = included as [IncludePath]
      const all = `include=${included.map((each) => each.path).join(',')}`
      if (!isMany && kind !== 0) return fc.constant(all)
      if (kind === 4) return sorts[target].map((keys) => `${all}&sortIncluded[${path}]=${keys}`)
      if (kind === 1) return fc.constant(`${all}&pageIncluded[${path}][size]=1`)
      if (kind === 2)
        return comparison(target).map(
          ([inner, by, value]) =>
            `${all}&filterIncluded[${path}][${inner}][${by}]=${encode(value)}`,
        )
      return fc.constant(all)
    })
  const fields = fc
    .tuple(fc.array(paths[name], { maxLength: 3 }), fc.nat(20), anyName)
    .map(
      ([chosen, dice, other]) =>
        `fields[${plurals[dice === 0 ? other : name]}]=${chosen
          .map(({ path }) => path.split('.')[0]!)
          .join(',')}`,
    )
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: include },
    { weight: 1, arbitrary: fields },
  )
}

export function listParameters(name: ModelName): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.option(filterParameter(name), { nil: '', freq: 2 }),
      fc.option(
        sorts[name].map((keys) => `sort=${keys}`),
        { nil: '' },
      ),
      fc.option(pages, { nil: '' }),
      shapeParameters(name),
    )
    .map((all) => all.filter((each) => each !== '').join('&'))
}

export const ids = (name: ModelName): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...idsOf[name]) },
    { weight: 1, arbitrary: fc.constantFrom('none', 'p9', 'n1') },
  )

const withQuery = (path: string, query: string) => (query === '' ? path : `${path}?${query}`)

function readPath(name: ModelName, policy: Setting['policy']): fc.Arbitrary<string> {
  const list = listParameters(name).map((query) => withQuery(`/${plurals[name]}`, query))
  const item = fc
    .tuple(ids(name), shapeParameters(name))
    .map(([id, query]) => withQuery(`/${plurals[name]}/${id}`, query))
  const fileNames = files[name]
  const resource = fc
    .tuple(ids(name), fc.constantFrom(...(fileNames.length > 0 ? fileNames : ['photo'])))
    .map(([id, path]) => `/${plurals[name]}/${id}/${path}`)
  const related = fc
    .tuple(
      ids(name),
      includePath(name, 0),
      fc.constantFrom('', 'relationships/'),
      fc.option(fc.nat(), { nil: undefined }),
    )
    .chain(([id, { path, target, isMany }, prefix, dice]) => {
      const isList = isMany && prefix === ''
      const parameters = isList ? listParameters(target) : shapeParameters(target)
      return (dice === undefined || prefix !== '' ? fc.constant('') : parameters).map((query) =>
        withQuery(`/${plurals[name]}/${id}/${prefix}${path}`, query),
      )
    })
  return fc.oneof(
    { weight: 8, arbitrary: list },
    { weight: 4, arbitrary: item },
    { weight: fileNames.length > 0 ? 2 : 0, arbitrary: resource },
    { weight: policy === 'json-api' ? 5 : 1, arbitrary: related },
  )
}

export function readArbitrary(policy: Setting['policy']): fc.Arbitrary<MatrixRequest> {
  const byName = Object.fromEntries(modelNames.map((name) => [name, readPath(name, policy)]))
  const path = fc.oneof(
    { weight: 60, arbitrary: anyName.chain((name) => byName[name]!) },
    { weight: 1, arbitrary: fc.constantFrom('/openapi.json', '/', '/nothing') },
  )
  const headers = fc.oneof(
    { weight: 10, arbitrary: fc.constant({}) },
    {
      weight: policy === 'rest' ? 2 : 0,
      arbitrary: fc.constant({ accept: 'application/jsonl' }),
    },
    { weight: 1, arbitrary: fc.constantFrom({ range: 'bytes=0-1' }, { range: 'bytes=-2' }) },
    { weight: 1, arbitrary: fc.constant({ 'if-none-match': '*' }) },
  )
  const plain = fc.record({
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD'),
    path,
    headers,
    tag: fc.option(tagHeader('if-none-match', 'if-range'), { nil: undefined, freq: 6 }),
  })
  const follow = fc.nat(3).map((back) => ({ method: 'GET', path: '', headers: {}, follow: back }))
  return fc.oneof(
    { weight: 8, arbitrary: plain },
    { weight: 1, arbitrary: follow },
    { weight: 2, arbitrary: searchArbitrary(policy) },
  )
}

/** Code of an action looks for items in the name of its caller. */
function searchArbitrary(policy: Setting['policy']): fc.Arbitrary<MatrixRequest> {
  const input = anyName.chain((model) =>
    fc
      .tuple(
        comparison(model),
        fc.option(sorts[model], { nil: '' }),
        fc.constantFrom<Search['place']>('query', 'items', 'transaction', 'open transaction'),
        fc.constantFrom<Search['read']>('all', 'all', 'count', 'first', 'inner count'),
      )
      .map(([[path, operator, value], keys, place, read]): Search => {
        const isNumber = (text: string) =>
          /^[\d.]+$/.test(text) &&
          /level|grade|score|stars|rank|floor|code|rating|best|hosted|Count/.test(path)
        const typed = (text: string) => {
          if (text === 'true' || text === 'false') return text === 'true'
          return isNumber(text) ? Number(text) : text
        }
        const sort = keys.split(',').filter((key) => key !== '')
        return {
          model,
          place,
          read,
          path: modelPath(path),
          operator,
          values: value.split(',').map(typed),
          sort: sort.map((key) => ({
            path: modelPath(key.replace(/^-/, '')),
            direction: key.startsWith('-') ? 'desc' : 'asc',
          })),
        }
      }),
  )
  return fc.tuple(ids('talk'), input).map(([id, search]) => ({
    method: 'POST',
    path: `/talks/${id}/search`,
    headers: {
      'content-type': policy === 'rest' ? 'application/json' : 'application/vnd.api+json',
    },
    body: JSON.stringify(policy === 'rest' ? search : { meta: search }),
  }))
}

/** A path in the names of the model. */
function modelPath(path: string): string {
  return path.replace(/\bgrade\b/, 'level')
}

function tagHeader(...headers: TagHeader['header'][]): fc.Arbitrary<TagHeader> {
  return fc.record({
    header: fc.constantFrom(...headers),
    from: fc.constantFrom('own', 'own', 'any', 'admin'),
    pick: fc.nat(20),
  })
}

type Members = Readonly<Record<string, unknown>>

/** The body of a write, in the format of the policy. */
export function bodyOf(
  policy: Setting['policy'],
  name: ModelName,
  id: string | undefined,
  members: Members,
): object {
  if (policy === 'rest')
    return {
      [name]: {
        ...(id !== undefined && { id }),
        ...Object.fromEntries(
          Object.entries(members).map(([member, value]) => [wireName(member), value]),
        ),
      },
    }
  return { data: resourceOf(name, id, members) }
}

export function resourceOf(name: ModelName, id: string | undefined, members: Members) {
  const shapes = relations[name]
  const entries = Object.entries(members)
  return {
    type: plurals[name],
    ...(id !== undefined && { id }),
    attributes: Object.fromEntries(
      entries
        .filter(([member]) => !shapes[member])
        .map(([member, value]) => [wireName(member), value]),
    ),
    relationships: Object.fromEntries(
      entries.flatMap(([member, value]) => {
        const shape = shapes[member]
        return shape ? [[member, { data: linkage(shape.target, value) }]] : []
      }),
    ),
  }
}

export function linkage(target: ModelName, value: unknown): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((id) => ({ type: plurals[target], id }))
  return { type: plurals[target], id: value }
}

const newIds = ['n1', 'n2', 'n3']

/** Some of the members, and sometimes one that nobody declares. */
function changes(name: ModelName): fc.Arbitrary<Members> {
  return fc
    .tuple(
      membersArbitrary(name),
      fc.nat(),
      fc.constantFrom({}, {}, {}, { skore: 1 }, { secret: 'x' }, { tenant: 'b' }, { badge: null }),
    )
    .map(([members, dice, odd]) => ({
      ...Object.fromEntries(
        Object.entries(members).filter((_, index) => (dice >> index) % 3 === 0),
      ),
      ...odd,
    }))
}

interface Operation {
  readonly op: string
  readonly ref?: object
  readonly data?: unknown
}

/** Some writes are repeated. */
export function writeArbitrary(policy: Setting['policy']): fc.Arbitrary<MatrixRequest> {
  return fc
    .tuple(onceArbitrary(policy), fc.nat(3))
    .map(([request, dice]) => (dice < 2 ? { ...request, isRepeated: true } : request))
}

function onceArbitrary(policy: Setting['policy']): fc.Arbitrary<MatrixRequest> {
  const type = policy === 'rest' ? 'application/json' : 'application/vnd.api+json'
  const headers = { 'content-type': type }
  const tag = fc.option(tagHeader('if-match', 'if-none-match'), { nil: undefined, freq: 3 })
  const json = (value: unknown) => JSON.stringify(value)
  const create = anyName.chain((name) =>
    fc
      .tuple(fc.oneof(fc.constantFrom(...newIds), fc.constantFrom(...idsOf[name])), created(name))
      .map(([id, members]) => ({
        method: 'POST',
        path: `/${plurals[name]}`,
        headers,
        body: json(bodyOf(policy, name, id, members)),
      })),
  )
  const change = anyName.chain((name) =>
    fc
      .tuple(ids(name), fc.constantFrom('PATCH', 'PATCH', 'PUT'), changes(name), created(name), tag)
      .map(([id, method, some, all, tagged]) => ({
        method,
        path: `/${plurals[name]}/${id}`,
        headers,
        body: json(
          bodyOf(policy, name, policy === 'rest' ? undefined : id, method === 'PUT' ? all : some),
        ),
        tag: tagged,
      })),
  )
  const remove = anyName.chain((name) =>
    fc.tuple(ids(name), tag).map(([id, tagged]) => ({
      method: 'DELETE',
      path: `/${plurals[name]}/${id}`,
      headers: {},
      tag: tagged,
    })),
  )
  const call = fc
    .tuple(
      ids('talk'),
      fc.constantFrom('accept', 'rename', 'acceptLater', 'renameLater', 'renameLater', 'nothing'),
      fc.constantFrom('Eve', 'Dawn'),
      tag,
    )
    .map(([id, name, title, tagged]) => ({
      method: 'POST',
      path: `/talks/${id}/${name}`,
      headers: name.startsWith('rename') ? headers : {},
      ...(name.startsWith('rename') && {
        body: json(policy === 'rest' ? { title } : { meta: { title } }),
      }),
      tag: tagged,
    }))
  const upload = fc
    .constantFrom<readonly [ModelName, string]>(
      ['person', 'photo'],
      ['person', 'badge'],
      ['talk', 'slides'],
    )
    .chain(([name, path]) =>
      fc.tuple(ids(name), fc.boolean(), tag).map(([id, removes, tagged]) => ({
        method: removes ? 'DELETE' : 'POST',
        path: `/${plurals[name]}/${id}/${path}`,
        headers: removes ? {} : { 'content-type': 'text/plain' },
        ...(!removes && { body: 'three' }),
        tag: tagged,
      })),
    )
  if (policy === 'rest')
    return fc.oneof(
      { weight: 3, arbitrary: create },
      { weight: 5, arbitrary: change },
      { weight: 1, arbitrary: remove },
      { weight: 1, arbitrary: call },
      { weight: 1, arbitrary: upload },
    )
  const relationship = anyName.chain((name) =>
    fc
      .tuple(
        ids(name),
        includePath(name, 0),
        fc.constantFrom('PATCH', 'POST', 'DELETE'),
        fc.nat(),
        tag,
      )
      .map(([id, { path, target }, method, pick, tagged]) => {
        const all = idsOf[target]
        const isMany = relations[name][path]?.isMany ?? inverses[name][path] !== undefined
        const some = all.filter((_, index) => (pick >> index) % 2 === 0)
        return {
          method,
          path: `/${plurals[name]}/${id}/relationships/${path}`,
          headers,
          body: json({ data: linkage(target, isMany ? some : (some[0] ?? null)) }),
          tag: tagged,
        }
      }),
  )
  const operation: fc.Arbitrary<Operation> = anyName.chain((name) =>
    fc.oneof(
      fc
        .tuple(fc.constantFrom(...newIds), created(name))
        .map(([id, members]) => ({ op: 'add', data: resourceOf(name, id, members) })),
      fc
        .tuple(ids(name), changes(name))
        .map(([id, members]) => ({ op: 'update', data: resourceOf(name, id, members) })),
      ids(name).map((id) => ({ op: 'remove', ref: { type: plurals[name], id } })),
    ),
  )
  const batch = fc.array(operation, { minLength: 1, maxLength: 3 }).map((operations) => ({
    method: 'POST',
    path: '/operations',
    headers: { 'content-type': `${type};ext="https://jsonapi.org/ext/atomic"` },
    body: json({ 'atomic:operations': operations }),
  }))
  return fc.oneof(
    { weight: 3, arbitrary: create },
    { weight: 4, arbitrary: change },
    { weight: 1, arbitrary: remove },
    { weight: 1, arbitrary: call },
    { weight: 1, arbitrary: upload },
    { weight: 2, arbitrary: relationship },
    { weight: 2, arbitrary: batch },
  )
}

/** Members of a new item, mostly without those that the service or nobody sets. */
function created(name: ModelName): fc.Arbitrary<Members> {
  return fc.tuple(membersArbitrary(name), fc.nat(3)).map(([members, dice]) => {
    if (dice === 0) return members
    const { speaker: _, lead: __, author: ___, email: ____, status: _____, ...others } = members
    const { internal: ______, score: _______, budget: ________, ...sendable } = others
    return sendable
  })
}
